"""A file is replaced atomically and gets the requested mode."""

import stat
from pathlib import Path

import pytest

from conductor.base.atomic import OWNER_ONLY_MODE, write_atomic


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_for_its_owner_and_one_that_is_there_keeps_its_mode(tmp_path: Path):
    path = tmp_path / "config.toml"
    write_atomic(path, b"1")
    assert mode_of(path) == OWNER_ONLY_MODE
    path.chmod(0o640)
    write_atomic(path, b"2")
    assert (mode_of(path), path.read_bytes()) == (0o640, b"2")


def test_a_mode_that_is_asked_for_is_what_the_file_has_afterwards(tmp_path: Path):
    path = tmp_path / "keys.enc"
    path.write_bytes(b"1")
    path.chmod(0o666)
    write_atomic(path, b"2", OWNER_ONLY_MODE)
    assert mode_of(path) == OWNER_ONLY_MODE


def test_a_link_stays_one_and_what_it_leads_to_is_replaced(tmp_path: Path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"1")
    link.symlink_to(real)
    write_atomic(link, b"2", OWNER_ONLY_MODE)
    assert link.is_symlink()
    assert real.read_bytes() == b"2"


def test_a_folder_is_not_replaced_and_nothing_is_left_behind(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="not a regular file"):
        write_atomic(tmp_path / "folder", b"")
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]
