"""What the window saves: files where the user chooses, and its own preferences."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conductor.bridge.commands.window import SaveFileParams, save_file
from conductor.errors import InvalidParams, NotAvailable
from conductor.storage.prefs import MAX_PREFS_BYTES, PREFS_FILE_NAME, read_prefs, update_prefs


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("notes.md", "notes.md"),
        ("../../etc/notes.md", "notes.md"),
        ("C:\\Users\\me\\notes.md", "notes.md"),
        ("/home/me/.bashrc", "bashrc"),
        ("...", "conductor"),
        ("chat/", "conductor"),
    ],
)
def test_a_file_is_offered_under_its_name_without_folders_and_never_hidden(
    name: str, saved: str
) -> None:
    offered: list[tuple[str, bytes]] = []

    def ask_user(name: str, content: bytes) -> str:
        offered.append((name, content))
        return f"/chosen/{name}"

    shell = SimpleNamespace(save_file=ask_user)
    call: Any = SimpleNamespace(services=SimpleNamespace(desktop=SimpleNamespace(shell=shell)))
    result: Any = save_file(SaveFileParams(name=name, content="Aé"), call)
    assert offered == [(saved, "Aé".encode())]
    assert result.path == f"/chosen/{saved}"


def test_content_that_is_not_base64_is_not_offered_for_saving() -> None:
    call: Any = SimpleNamespace()
    with pytest.raises(InvalidParams, match="`content` is not base64"):
        save_file(SaveFileParams(name="a.png", content="%", encoding="base64"), call)


def test_preferences_are_changed_one_by_one_and_deleted_with_null(tmp_path: Path) -> None:
    update_prefs(tmp_path, {"view": "plans", "zoom": 2})
    assert update_prefs(tmp_path, {"view": None, "wide": True}) == {"zoom": 2, "wide": True}
    assert read_prefs(tmp_path) == {"zoom": 2, "wide": True}


def test_preferences_over_the_limit_are_refused_and_the_old_ones_stay(tmp_path: Path) -> None:
    room = MAX_PREFS_BYTES - len(json.dumps({"view": ""}, indent=1))
    largest = update_prefs(tmp_path, {"view": "x" * room})
    assert (tmp_path / PREFS_FILE_NAME).stat().st_size == MAX_PREFS_BYTES
    with pytest.raises(InvalidParams, match="save less"):
        update_prefs(tmp_path, {"view": "x" * (room + 1)})
    assert read_prefs(tmp_path) == largest


def test_preferences_that_cannot_be_written_are_reported_with_their_file(tmp_path: Path) -> None:
    (tmp_path / PREFS_FILE_NAME).mkdir()
    with pytest.raises(NotAvailable, match=f"{PREFS_FILE_NAME} could not be written"):
        update_prefs(tmp_path, {"view": "plans"})
