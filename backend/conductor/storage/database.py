"""conductor.db: one SQLite file for everything that is kept, opened once for all its tables."""

import logging
import os
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlmodel import Session, SQLModel, create_engine, text

from conductor.errors import NotAvailable

log = logging.getLogger(__name__)

BUSY_TIMEOUT_MS = 5_000
FILE_MODE = 0o600
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Database:
    """The open file. A session is one transaction: all of it is kept, or nothing."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it; a damaged one is moved aside and a new one made.

        Raises:
            NotAvailable: the file can neither be opened nor made.
        """
        self.path = path
        self.moved_aside: Path | None = None
        """Where a damaged file was put."""
        try:
            self._engine = _open(path)
        except DatabaseError as error:
            if not _is_damaged(error):
                raise NotAvailable(_cannot_open(path, error)) from error
            self.moved_aside = _move_aside(path)
            log.warning("%s was damaged and is now %s; a new one is made", path, self.moved_aside)
            self._engine = _open(path)
        except OSError as error:
            raise NotAvailable(_cannot_open(path, error)) from error
        self._writer = self._engine.execution_options(immediate=True)

    @contextmanager
    def reading(self) -> Generator[Session]:
        """Give a session that only reads.

        Raises:
            NotAvailable: the file cannot be used any more.
        """
        with self._session(self._engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Generator[Session]:
        """Give a session that may write; it has the file to itself, and is kept when it ends well.

        Raises:
            NotAvailable: the file cannot be used any more.
        """
        with self._session(self._writer) as session:
            yield session
            session.commit()

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()

    @contextmanager
    def _session(self, engine: Engine) -> Generator[Session]:
        try:
            with Session(engine, expire_on_commit=False) as session:
                yield session
        except DatabaseError as error:
            raise NotAvailable(_cannot_open(self.path, error)) from error


def _open(path: Path) -> Engine:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
    path.chmod(FILE_MODE)
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    try:
        with engine.begin() as connection:
            _check(connection)
        with engine.execution_options(immediate=True).begin() as connection:
            SQLModel.metadata.create_all(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _on_connect(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by `_on_begin`
    for pragma in ("journal_mode = WAL", f"busy_timeout = {BUSY_TIMEOUT_MS}", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _on_begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _check(connection: Connection) -> None:
    found = connection.execute(text("PRAGMA quick_check(1)")).scalar()
    if found != "ok":
        cause = sqlite3.DatabaseError(found)
        cause.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise DatabaseError("quick_check", None, cause)


def _is_damaged(error: DatabaseError) -> bool:
    code: int = getattr(error.orig, "sqlite_errorcode", 0)
    return not isinstance(error, OperationalError) and code & 0xFF in _BROKEN


def _move_aside(path: Path) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def _cannot_open(path: Path, error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return f"{path} cannot be used: {cause}; check that its folder is there and has room"
