"""conductor.db: readable by its owner only, and recreated when it is damaged."""

import secrets
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy.pool import QueuePool

from conductor.errors import NotAvailable
from conductor.storage.database import Database
from conductor.storage.history import History, open_history


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(file.stat().st_mode) for file in folder.glob("conductor.db*")}


def test_the_file_and_its_wal_files_are_readable_by_the_owner_only(tmp_path: Path):
    history = open_history(tmp_path / "conductor.db")
    history.add("a", "h", "r")
    assert (tmp_path / "conductor.db-wal").exists()
    assert modes(tmp_path) == {0o600}
    history.close()


def test_a_file_readable_by_others_is_restricted_to_its_owner(tmp_path: Path):
    path = tmp_path / "conductor.db"
    path.touch(mode=0o644)
    Database(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "garbage", [b"not a database " * 500, b"SQLite format 3\x00" + b"\xff" * 9000]
)
def test_a_file_that_is_not_a_database_is_renamed(
    tmp_path: Path, garbage: bytes, caplog: pytest.LogCaptureFixture
):
    path = tmp_path / "conductor.db"
    path.write_bytes(garbage)
    database = Database(path)
    assert database.moved_aside is not None
    assert database.moved_aside.read_bytes() == garbage
    assert "was damaged and has been renamed" in caplog.text
    database.close()
    history = open_history(path)
    history.add("a", "h", "r")
    assert len(history.list()) == 1
    history.close()


def test_a_database_with_a_broken_page_is_renamed(tmp_path: Path):
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


def test_an_intact_file_is_not_renamed(tmp_path: Path):
    Database(tmp_path / "conductor.db").close()
    again = Database(tmp_path / "conductor.db")
    assert again.moved_aside is None
    again.close()


def test_a_path_where_no_file_can_be_created_is_an_error(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(NotAvailable, match="cannot be used"):
        Database(tmp_path / "file" / "conductor.db")
    (tmp_path / "conductor.db").mkdir()
    with pytest.raises(NotAvailable, match="cannot be used"):
        Database(tmp_path / "conductor.db")


@pytest.fixture
def news() -> list[str]:
    return []


@pytest.fixture
def open_one(tmp_path: Path, news: list[str]) -> Generator[History]:
    """Open a history with one version, whose file the test then damages."""
    history = History(Database(tmp_path / "conductor.db", news.append))
    history.add("before", "1", "r")
    yield history
    history.close()


def hashes(path: Path) -> list[str]:
    """Return the hashes that another process reads from the file."""
    other = open_history(path)
    try:
        return [version.hash for version in other.list()]
    finally:
        other.close()


def test_a_file_damaged_while_open_is_renamed(tmp_path: Path, open_one: History, news: list[str]):
    path = tmp_path / "conductor.db"
    for number in range(60):  # more than what SQLite keeps in memory
        open_one.add(secrets.token_hex(50_000), f"{number}", "r")
    with path.open("r+b") as file, (tmp_path / "conductor.db-wal").open("r+b") as wal:
        file.write(b"not a database " * (path.stat().st_size // 15))
        wal.truncate(0)
    assert open_one.list() == []
    open_one.add("after", "2", "r")
    assert hashes(path) == ["2"]
    assert len(list(tmp_path.glob("conductor.db.damaged-*"))) == 1
    assert ["was damaged and has been renamed" in text for text in news] == [True]


def test_a_file_replaced_by_another_process_is_reopened(
    tmp_path: Path, open_one: History, news: list[str]
):
    path = tmp_path / "conductor.db"
    path.rename(tmp_path / "aside")
    assert hashes(path) == []
    open_one.add("after", "2", "r")
    assert [version.hash for version in open_one.list()] == ["2"] == hashes(path)
    assert ["deleted or replaced" in text for text in news] == [True]


def test_a_deleted_file_is_recreated_without_the_old_wal_files(tmp_path: Path, open_one: History):
    (tmp_path / "conductor.db").unlink()
    open_one.add("after", "2", "r")
    assert hashes(tmp_path / "conductor.db") == ["2"]
    assert modes(tmp_path) == {0o600}


def test_an_older_copy_put_in_its_place_is_used(tmp_path: Path, open_one: History):
    copy = open_history(tmp_path / "copy.db")
    copy.add("older", "0", "r")
    copy.close()
    (tmp_path / "copy.db").replace(tmp_path / "conductor.db")
    open_one.add("after", "2", "r")
    assert hashes(tmp_path / "conductor.db") == ["2", "0"]


def test_dropped_tables_are_recreated(tmp_path: Path, open_one: History, news: list[str]):
    with closing(sqlite3.connect(tmp_path / "conductor.db")) as other:
        other.execute("DROP TABLE config_version")
    open_one.add("after", "2", "r")
    assert hashes(tmp_path / "conductor.db") == ["2"]
    assert len(news) == 1


def test_a_deleted_folder_is_not_recreated(tmp_path: Path):
    path = tmp_path / "home" / "conductor.db"
    history = open_history(path)
    shutil.rmtree(path.parent)
    with suppress(NotAvailable):
        history.add("meanwhile", "1", "r")
    assert not path.parent.exists()
    path.parent.mkdir()
    history.add("after", "2", "r")
    assert hashes(path) == ["2"]
    history.close()


def test_an_error_in_a_writing_session_rolls_back(tmp_path: Path):
    history = open_history(tmp_path / "conductor.db")
    database = Database(tmp_path / "conductor.db")

    def write_and_fail() -> None:
        from conductor.storage.history import ConfigVersionRow

        with database.write_session() as session:
            session.add(ConfigVersionRow(at=0, hash="h", reason="r", data=b""))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert history.list() == []
    history.close()
    database.close()


READ = """
import sqlite3, sys
from contextlib import closing

with closing(sqlite3.connect(sys.argv[1])) as connection:
    connection.execute("SELECT * FROM sqlite_master")
"""


def test_a_file_that_is_opened_twice_stays_locked_for_other_processes(tmp_path: Path):
    path = tmp_path / "conductor.db"
    history = open_history(path)
    history.add("a", "h", "r")
    Database(path).close()
    subprocess.run([sys.executable, "-c", READ, path], check=True)
    assert path.with_name("conductor.db-wal").exists(), (
        "it was deleted as if nobody had the file open"
    )
    history.close()


def test_a_database_that_is_closed_during_a_session_closes_its_file_after_it(tmp_path: Path):
    database = Database(tmp_path / "conductor.db")
    with database.read_session() as session:
        session.connection()
        pool = session.get_bind().engine.pool  # type: ignore[union-attr]
        database.close()
    assert isinstance(pool, QueuePool)
    assert pool.checkedin() == 0, "the connection is still open in the pool that was given up"
