"""conductor.db: for its owner only, and made anew when it is damaged."""

import stat
from pathlib import Path

import pytest

from conductor.errors import NotAvailable
from conductor.storage.database import Database
from conductor.storage.history import open_history


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(file.stat().st_mode) for file in folder.glob("conductor.db*")}


def test_the_file_and_its_companions_are_for_the_owner_only(tmp_path: Path):
    history = open_history(tmp_path / "conductor.db")
    history.add("a", "h", "r")
    assert (tmp_path / "conductor.db-wal").exists()
    assert modes(tmp_path) == {0o600}
    history.close()


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path):
    path = tmp_path / "conductor.db"
    path.touch(mode=0o644)
    Database(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "garbage", [b"not a database " * 500, b"SQLite format 3\x00" + b"\xff" * 9000]
)
def test_a_file_that_is_no_database_is_moved_aside(
    tmp_path: Path, garbage: bytes, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "conductor.db"
    path.write_bytes(garbage)
    database = Database(path)
    assert database.moved_aside is not None
    assert database.moved_aside.read_bytes() == garbage
    assert "was damaged and is now" in caplog.text
    database.close()
    history = open_history(path)
    history.add("a", "h", "r")
    assert len(history.list()) == 1
    history.close()


def test_a_database_with_a_broken_page_is_moved_aside(tmp_path: Path):
    path = tmp_path / "conductor.db"
    history = open_history(path)
    for number in range(200):
        history.add(f"{number}" * 99, f"{number}", "r")
    history.close()
    data = bytearray(path.read_bytes())
    data[4096:20_000] = b"\x00" * (20_000 - 4096)
    path.write_bytes(data)
    database = Database(path)
    assert database.moved_aside is not None
    database.close()


def test_a_good_file_is_not_moved(tmp_path: Path):
    Database(tmp_path / "conductor.db").close()
    again = Database(tmp_path / "conductor.db")
    assert again.moved_aside is None
    again.close()


def test_a_place_where_no_file_can_be_is_said(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(NotAvailable, match="cannot be used"):
        Database(tmp_path / "file" / "conductor.db")
    (tmp_path / "conductor.db").mkdir()
    with pytest.raises(NotAvailable, match="cannot be used"):
        Database(tmp_path / "conductor.db")


def test_an_error_inside_a_writing_session_keeps_nothing(tmp_path: Path):
    history = open_history(tmp_path / "conductor.db")
    database = Database(tmp_path / "conductor.db")

    def write_and_fail() -> None:
        from conductor.storage.history import ConfigVersionRow

        with database.writing() as session:
            session.add(ConfigVersionRow(at=0, hash="h", reason="r", data=b""))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert history.list() == []
    history.close()
    database.close()
