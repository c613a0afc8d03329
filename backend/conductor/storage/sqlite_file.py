"""Opens and checks a SQLite file, and detects whether it is damaged or was replaced."""

import os
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlmodel import SQLModel, create_engine, text

SQLITE_BUSY_TIMEOUT_MS = 5_000
DATABASE_FILE_MODE = 0o600
WAL_SUFFIXES = ("-wal", "-shm")
_DAMAGED_FILE_ERROR_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_REPLACED_FILE_ERROR_CODES = (sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_READONLY_DBMOVED)
FileIdentity = tuple[int, int] | None


def open_database_file(path: Path) -> Engine:
    """Open the SQLite file at a path, or create it, with all tables.

    Raises:
        DatabaseError: the file is damaged, or cannot be used.
        OSError: the file cannot be created.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        # Only for a new file, because closing any descriptor of a file drops the locks that SQLite has on it
        # in this process.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, DATABASE_FILE_MODE))
    path.chmod(DATABASE_FILE_MODE)
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", _configure_connection)
    event.listen(engine, "begin", _begin_transaction)
    # Copied, because another thread may be importing a module that adds tables.
    tables = list(SQLModel.metadata.tables.values())
    try:
        with engine.begin() as connection:
            _check_integrity(connection)
        with engine.execution_options(immediate=True).begin() as connection:
            _create_tables(connection, tables)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _create_tables(connection: Connection, tables: Sequence[Table]) -> None:
    """Create the tables and columns that are missing, for example in a file of an older release.

    Columns added after the first release are nullable. Opening a new file with SQLAlchemy's `create_all` and
    inspector took twice as long.
    """
    names = "SELECT name FROM sqlite_master WHERE type = 'table'"
    existing = set(connection.exec_driver_sql(names).scalars())
    for table in tables:
        if table.name in existing:
            _add_missing_columns(connection, table)
        else:
            for statement in _compile_creation(table):
                connection.exec_driver_sql(statement)
            # Also creates the full-text index of the table.
            table.dispatch.after_create(table, connection)


@cache
def _compile_creation(table: Table) -> tuple[str, ...]:
    """Return the statements that create a table and its indexes."""
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    parts = (CreateTable(table), *map(CreateIndex, indexes))
    return tuple(str(part.compile(dialect=sqlite.dialect())) for part in parts)


def _add_missing_columns(connection: Connection, table: Table) -> None:
    rows = connection.exec_driver_sql(f'PRAGMA table_info("{table.name}")')
    existing = {row.name for row in rows}
    for column in table.columns:
        if column.name not in existing:
            kind = column.type.compile(connection.dialect)
            connection.execute(text(f'ALTER TABLE "{table.name}" ADD "{column.name}" {kind}'))


def _configure_connection(connection: Any, _record: object) -> None:
    # Without this setting, the sqlite3 module would start transactions itself, and never with BEGIN
    # IMMEDIATE.
    connection.isolation_level = None
    for pragma in (
        "journal_mode = WAL",
        f"busy_timeout = {SQLITE_BUSY_TIMEOUT_MS}",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_transaction(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _check_integrity(connection: Connection) -> None:
    found = connection.execute(text("PRAGMA quick_check(1)")).scalar()
    if found != "ok":
        cause = sqlite3.DatabaseError(found)
        cause.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise DatabaseError("quick_check", None, cause)


def is_damaged_file_error(error: DatabaseError) -> bool:
    """Return whether an error means that the file does not contain a valid database."""
    code: int = getattr(error.orig, "sqlite_errorcode", 0)
    # The low byte is the primary result code; the other bytes are details of it.
    return not isinstance(error, OperationalError) and code & 0xFF in _DAMAGED_FILE_ERROR_CODES


def rename_damaged_file(path: Path) -> Path:
    """Rename a damaged database file and return its new path."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    path.rename(aside)
    for suffix in WAL_SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return aside


def is_replaced_file_error(error: DatabaseError) -> bool:
    """Return whether an error means that another file has replaced the open database or its WAL file."""
    code: int = getattr(error.orig, "sqlite_errorcode", 0)
    return code in _REPLACED_FILE_ERROR_CODES or "no such table" in str(error.orig)


def read_file_identity(path: Path) -> FileIdentity:
    """Return the device and inode numbers of the file at a path, or None if there is no file."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino
