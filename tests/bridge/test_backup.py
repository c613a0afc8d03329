"""A backup to take along: made, compared with what runs, restored, and refused before anything is changed."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bridge.conftest import CONFIG
from tests.profiles.test_files import GOOD
from tests.support.page import CommandFailed, Page
from tests.support.running import RunningConductor

from conductor.bridge.backup import FORMAT_VERSION

CHANGED = CONFIG.replace('description = "go"', 'description = "stay"')


@pytest.fixture
def profiles_folder(conductor: RunningConductor) -> Path:
    folder = conductor.home / "knowledge" / "devices"
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*"):
        path.unlink()
    return folder


def make_backup(page: Page) -> dict[str, Any]:
    return json.loads(page.call("backup.make")["content"])


def test_a_backup_brings_back_the_config_the_device_profiles_and_the_preferences(
    page: Page, conductor: RunningConductor, profiles_folder: Path
) -> None:
    page.call("devices.keep_profile", text=GOOD)
    page.call("window.set_prefs", patch={"width_of_the_list": 300, "last_view": "modes"})
    made = page.call("backup.make")
    assert made["name"].startswith("conductor-backup-20")
    assert made["profiles"] == 1

    conductor.use(CHANGED)
    (profiles_folder / "my-box.toml").unlink()
    page.call("window.set_prefs", patch={"width_of_the_list": 200})
    preview = page.call("backup.preview", content=made["content"])
    assert [(one["kind"], one["scope"]) for one in preview["before_after"]] == [
        ("changed", "mode:Default")
    ]
    assert '+ description = "go"' in preview["diff"]
    assert preview["profiles"] == [{"title": "Me Box", "state": "new"}]
    assert preview["prefs"] == 1
    assert conductor.config_path.read_text() == CHANGED

    restored = page.call("backup.restore", content=made["content"], base_hash=preview["base_hash"])
    assert restored["hash"] == page.call("config.get")["hash"]
    assert conductor.config_path.read_text() == CONFIG
    assert (profiles_folder / "my-box.toml").read_text() == GOOD
    assert page.call("window.prefs")["prefs"]["width_of_the_list"] == 300
    version = page.call("history.list", limit=1)["versions"][0]
    assert version["kind"] == "restore"
    page.call("config.undo")
    assert conductor.config_path.read_text() == CHANGED


def test_a_backup_holds_no_keys_and_not_the_pause_of_this_computer(
    page: Page, conductor: RunningConductor
) -> None:
    (conductor.home / "mcp.json").write_text('{"mcpServers": {}, "token": "top-secret"}')
    page.call("engine.pause", paused=True)
    page.wait_status(paused=True)
    made = make_backup(page)
    (conductor.home / "mcp.json").unlink()
    assert set(made) == {
        *("conductor_backup", "made_at", "conductor_version", "config", "profiles", "prefs"),
    }
    assert "paused" not in made["prefs"]
    assert "top-secret" not in json.dumps(made)


def test_a_new_right_in_a_backup_is_a_warning(page: Page) -> None:
    made = make_backup(page) | {"config": CONFIG + '\n[skills]\nfolders = ["/srv/songs"]\n'}
    warnings = page.call("backup.preview", content=json.dumps(made))["warnings"]
    assert warnings == ["the assistant could read the files in /srv/songs"]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"config": "[[modes]]\nnam = 1"}, "nam"),
        ({"profiles": ["id = 3"]}, "profile 1 of the backup is not a valid device profile"),
        ({"prefs": {"big": "x" * 70_000}}, "preferences would be larger"),
        ({"conductor_backup": FORMAT_VERSION + 1}, "newer version of Conductor; update"),
        ({"made_at": "yesterday"}, "`made_at` is missing or not valid; choose another backup"),
        (None, "not a backup of Conductor; choose"),
    ],
)
def test_a_backup_that_is_not_valid_is_refused_before_anything_is_changed(
    page: Page,
    conductor: RunningConductor,
    profiles_folder: Path,
    broken: dict[str, Any] | None,
    message: str,
) -> None:
    conductor.use(CHANGED)
    content = "[]" if broken is None else json.dumps(make_backup(page) | broken)
    base_hash = page.call("config.get")["hash"]
    for method in ("backup.preview", "backup.restore"):
        more = {"base_hash": base_hash} if method == "backup.restore" else {}
        with pytest.raises(CommandFailed, match=message):
            page.call(method, content=content, **more)
    assert conductor.config_path.read_text() == CHANGED
    assert list(profiles_folder.iterdir()) == []


def test_a_backup_is_not_restored_over_a_config_that_nobody_saw(
    page: Page, conductor: RunningConductor
) -> None:
    content = page.call("backup.make")["content"]
    base_hash = page.call("backup.preview", content=content)["base_hash"]
    conductor.use(CHANGED)
    with pytest.raises(CommandFailed) as refused:
        page.call("backup.restore", content=content, base_hash=base_hash)
    assert refused.value.code == "config_stale"
    assert conductor.config_path.read_text() == CHANGED
