"""A file is replaced only if it has not changed since it was read."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conductor.base import guarded_write
from conductor.base.atomic import hash_bytes
from conductor.base.exchange import swap_files
from conductor.base.guarded_write import MISSING_FILE_HASH, replace_if_unchanged

LIMIT = 1_000
OLD, NEW, BY_HAND, LATER = b"old", b"new", b"by hand", b"by hand, later"
Exchange = Callable[[Path, Path], bool]


def cannot_exchange(_one: Path, _other: Path) -> bool:
    return False


@pytest.fixture(params=["exchange", "rename"])
def path(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file, on a system that can swap files and on one that cannot."""
    if request.param == "rename":
        monkeypatch.setattr(guarded_write, "swap_files", cannot_exchange)
    path = tmp_path / "config.toml"
    path.write_bytes(OLD)
    return path


def replace(path: Path, expected: bytes = OLD) -> bool:
    return replace_if_unchanged(path, NEW, hash_bytes(expected), LIMIT)


def content(path: Path) -> tuple[bytes, int]:
    """Return the content of the file and the number of files in its folder: no temporary file may remain."""
    return path.read_bytes(), len(list(path.parent.iterdir()))


def test_an_unchanged_file_is_replaced(path: Path):
    path.chmod(0o640)
    assert replace(path)
    assert content(path) == (NEW, 1)
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_changed_file_stays(path: Path):
    path.write_bytes(BY_HAND)
    assert not replace(path)
    assert content(path) == (BY_HAND, 1)


def test_a_file_that_has_come_meanwhile_stays(path: Path):
    assert not replace_if_unchanged(path, NEW, MISSING_FILE_HASH, LIMIT)
    assert content(path) == (OLD, 1)


def test_a_missing_file_is_made(tmp_path: Path):
    path = tmp_path / "config.toml"
    assert replace_if_unchanged(path, NEW, MISSING_FILE_HASH, LIMIT)
    assert content(path) == (NEW, 1)


@pytest.fixture
def no_hard_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("no_hard_links")
def test_a_missing_file_is_made_where_there_are_no_hard_links(tmp_path: Path):
    path = tmp_path / "config.toml"
    assert replace_if_unchanged(path, NEW, MISSING_FILE_HASH, LIMIT)
    assert content(path) == (NEW, 1)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_made_at_the_last_moment_stays_where_there_are_no_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "config.toml"

    def refuse_after_a_save(*_: object) -> None:
        path.write_bytes(BY_HAND)
        raise PermissionError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", refuse_after_a_save)
    assert not replace_if_unchanged(path, NEW, MISSING_FILE_HASH, LIMIT)
    assert content(path) == (BY_HAND, 1)


@pytest.mark.usefixtures("no_hard_links")
def test_a_new_file_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "config.toml"
    real_fsync, synced = os.fsync, list[int]()

    def fail_the_second_time(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 2:
            raise OSError(errno.ENOSPC, "disk full")
        real_fsync(handle)

    monkeypatch.setattr(os, "fsync", fail_the_second_time)
    with pytest.raises(OSError, match="disk full"):
        replace_if_unchanged(path, NEW, MISSING_FILE_HASH, LIMIT)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_gone_is_not_what_was_expected(path: Path):
    path.unlink()
    assert not replace(path)
    assert not path.exists()


def test_links_that_lead_in_a_circle_are_refused(tmp_path: Path):
    path = tmp_path / "config.toml"
    path.symlink_to(path)
    with pytest.raises(OSError, match="symbolic links"):
        replace_if_unchanged(path, NEW, MISSING_FILE_HASH, LIMIT)
    assert path.is_symlink()


def save_by_rename(path: Path, text: bytes) -> None:
    beside = path.with_name("editor")
    beside.write_bytes(text)
    beside.replace(path)


def save_in_place(path: Path, text: bytes) -> None:
    path.write_bytes(text)


SAVES = pytest.mark.parametrize("save", [save_by_rename, save_in_place])


@SAVES
def test_a_save_between_the_last_look_and_the_swap_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path, bytes], None]
):
    path = tmp_path / "config.toml"
    path.write_bytes(OLD)

    def late(one: Path, other: Path) -> bool:
        monkeypatch.setattr(guarded_write, "swap_files", swap_files)
        save(path, BY_HAND)
        return swap_files(one, other)

    monkeypatch.setattr(guarded_write, "swap_files", late)
    assert not replace(path)
    assert content(path) == (BY_HAND, 1)


@SAVES
def test_the_latest_of_two_saves_around_the_swap_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Callable[[Path, bytes], None]
):
    path = tmp_path / "config.toml"
    path.write_bytes(OLD)
    saves = [BY_HAND, LATER]

    def late(one: Path, other: Path) -> bool:
        if saves:
            save(path, saves.pop(0))
        return swap_files(one, other)

    monkeypatch.setattr(guarded_write, "swap_files", late)
    assert not replace(path)
    assert content(path) == (LATER, 1)


def test_an_editor_that_writes_into_the_old_file_after_the_swap_gets_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "config.toml"
    path.write_bytes(OLD)
    with path.open("r+b") as editor:

        def while_open(one: Path, other: Path) -> bool:
            done = swap_files(one, other)
            editor.truncate(0)
            editor.flush()
            return done

        monkeypatch.setattr(guarded_write, "swap_files", while_open)
        assert not replace(path)
        os.pwrite(editor.fileno(), BY_HAND, 0)
    assert content(path) == (BY_HAND, 1)


def test_a_save_into_the_old_file_is_seen_without_a_swap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "config.toml"
    path.write_bytes(OLD)
    rename = Path.replace

    def late(self: Path, target: Path) -> Path:
        if target == path:
            monkeypatch.setattr(Path, "replace", rename)
            path.write_bytes(BY_HAND)
        return rename(self, target)

    monkeypatch.setattr(guarded_write, "swap_files", cannot_exchange)
    monkeypatch.setattr(Path, "replace", late)
    assert not replace(path)
    assert content(path) == (BY_HAND, 1)
