"""Conductor's extension of GNOME Shell reports the focused window. Node runs it, with the globals of GNOME Shell."""

import json
import os
import queue
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.gnome import INACTIVE, OUT_OF_DATE, fake_gsettings, gnome_shell
from tests.support.portal import session_bus

from conductor.errors import ActionFailed
from conductor.system import desktop_extension
from conductor.system.doctor import check_foreground
from conductor.system.foreground import make_foreground_sources
from conductor.system.foreground_watch import SourceWatcher, explain_unavailable_sources
from conductor.system.gnome import extension
from conductor.system.gnome.foreground import GnomeSource

WAIT_S = 10.0
PYTHON = Path(sys.executable).resolve().name
FILES = Path(extension.__file__).with_name("extension_files")
Apps = queue.Queue[tuple[str, str, str]]


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    with session_bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-7")
        yield address


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a `gsettings` first on the path, which keeps the values of GNOME in a file."""
    values = fake_gsettings(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return values


@pytest.fixture
def apps() -> Apps:
    return queue.Queue()


def start_watcher(apps: Apps) -> SourceWatcher:
    def report(executable: str, bundle_id: str, title: str) -> None:
        apps.put((executable, bundle_id, title))

    watcher = SourceWatcher(report, lambda: [GnomeSource()])
    watcher.start()
    return watcher


def wait_for(apps: Apps, app_id: str) -> None:
    while apps.get(timeout=WAIT_S)[1] != app_id:
        pass


def test_the_focused_window_is_reported(bus: str, apps: Apps) -> None:
    with gnome_shell(bus, FILES) as shell:
        shell.focus("editor", "Text", os.getpid())
        shell.enable()
        assert GnomeSource().get_unavailable_reason() is None
        watcher = start_watcher(apps)
        assert apps.get(timeout=WAIT_S) == (PYTHON, "editor", "Text")
        shell.set_title("Über")
        assert apps.get(timeout=WAIT_S) == (PYTHON, "editor", "Über")
        shell.focus("game", "Play")
        assert apps.get(timeout=WAIT_S) == ("game", "game", "Play")
        shell.focus(None)
        assert apps.get(timeout=WAIT_S) == ("", "", "")
        watcher.stop()


def test_an_extension_that_is_turned_off_leaves_nothing_behind_and_is_found_again(
    bus: str, apps: Apps
) -> None:
    with gnome_shell(bus, FILES) as shell:
        shell.enable()
        shell.focus("editor", "Text")
        watcher = start_watcher(apps)
        wait_for(apps, "editor")
        shell.disable()
        assert shell.left == 0
        assert apps.get(timeout=WAIT_S) == ("", "", "")
        shell.enable()
        wait_for(apps, "editor")
        watcher.stop()


def test_a_restarted_shell_is_watched_again(bus: str, apps: Apps) -> None:
    with gnome_shell(bus, FILES) as first:
        first.enable()
        first.focus("editor", "Text")
        watcher = start_watcher(apps)
        wait_for(apps, "editor")
    with gnome_shell(bus, FILES) as second:
        second.enable()
        second.focus("game", "Play")
        wait_for(apps, "game")
        watcher.stop()


def test_the_extension_is_offered_installed_and_removed(bus: str, settings: Path) -> None:
    with gnome_shell(bus, None):
        check = check_foreground(make_foreground_sources())
        assert (check.ok, check.name) == (False, "app in front")
        assert "conductor desktop install-extension" in check.remedy
        reason = explain_unavailable_sources(make_foreground_sources())
        assert "conductor desktop install-extension" in (reason or "")
        assert "Log out and in again" in desktop_extension.install_extension()
        status = desktop_extension.read_extension_status()
        assert status is not None
        assert (status.state, "log out" in status.problem) == ("not_loaded", True)
        desktop_extension.install_extension()
    values = json.loads(settings.read_text())
    assert values["enabled-extensions"] == f"['{extension.UUID}']"
    assert values["disabled-extensions"] == "['a@b']"
    folder = Path(os.environ["XDG_DATA_HOME"], "gnome-shell/extensions", extension.UUID)
    assert {path.name for path in folder.iterdir()} == {"extension.js", "metadata.json"}
    desktop_extension.remove_extension()
    desktop_extension.remove_extension()
    assert not folder.exists()
    assert json.loads(settings.read_text())["enabled-extensions"] == "[]"


def test_a_switch_that_turns_all_extensions_off_is_named(bus: str, settings: Path) -> None:
    values = json.loads(settings.read_text()) | {"disable-user-extensions": "true"}
    settings.write_text(json.dumps(values))
    with gnome_shell(bus, None):
        assert "all extensions are off" in desktop_extension.install_extension()


@pytest.mark.parametrize(
    ("state", "text"), [(INACTIVE, "is off"), (OUT_OF_DATE, "not made for GNOME 51.0")]
)
def test_the_reason_of_an_extension_that_does_not_run_is_named(
    bus: str, settings: Path, state: float, text: str
) -> None:
    with gnome_shell(bus, FILES) as shell:
        desktop_extension.install_extension()
        shell.state = state
        assert text in (GnomeSource().get_unavailable_reason() or "")


def test_no_other_desktop_is_offered_the_extension(
    bus: str, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert GnomeSource().get_unavailable_reason() == "not running"
    assert desktop_extension.read_extension_status() is None
    with pytest.raises(ActionFailed, match="only GNOME on Wayland"):
        desktop_extension.install_extension()
    monkeypatch.delenv("WAYLAND_DISPLAY")
    with gnome_shell(bus, None):
        assert desktop_extension.read_extension_status() is None


def test_the_extension_is_for_the_supported_versions_of_gnome() -> None:
    metadata = json.loads((FILES / "metadata.json").read_text())
    assert metadata["uuid"] == extension.UUID
    assert metadata["shell-version"] == [str(number) for number in range(45, 51)]
