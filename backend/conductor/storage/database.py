"""Opens conductor.db, the SQLite file that contains all tables.

A failing disk or another program can damage, replace or delete the file while it is open. In that case the
file that is then at the path is opened, or a new one is created, so that all processes use the same file.
"""

import logging
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import ParamSpec, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session

from conductor.errors import NotAvailable
from conductor.storage.sqlite_file import (
    WAL_SUFFIXES,
    is_damaged_file_error,
    is_replaced_file_error,
    open_database_file,
    read_file_identity,
    rename_damaged_file,
)

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class Database:
    """An open SQLite file, which is reopened when it is damaged or replaced.

    Each session is one transaction, which is committed completely or not at all.
    """

    def __init__(
        self,
        path: Path,
        on_reopened: Callable[[str], None] = log.warning,
        config_file: str | None = None,
    ) -> None:
        """Open the database file, or create it if it is missing. A damaged file is renamed and replaced by a
        new one.

        Raises:
            NotAvailable: the file can be neither opened nor created.
        """
        self.path = path
        self.config_file = config_file
        self.moved_aside: Path | None = None
        """The new path of a damaged file that had to be renamed; None if the file was not damaged."""
        self._on_reopened = on_reopened
        self._reopening = Lock()
        self._open_engine()
        if self.moved_aside is not None:
            self._report_damaged_file()

    @contextmanager
    def read_session(self) -> Generator[Session]:
        """Open a session that only reads from the database.

        Raises:
            NotAvailable: the file cannot be used.
        """
        with self._open_session(immediate=False) as session:
            yield session

    @contextmanager
    def write_session(self) -> Generator[Session]:
        """Open a session that holds the write lock, and commit it unless the block raises an exception.

        Raises:
            NotAvailable: the file cannot be used.
        """
        with self._open_session(immediate=True) as session:
            yield session
            session.commit()

    def close(self) -> None:
        """Close the database file."""
        self._engine.dispose()

    @contextmanager
    def _open_session(self, *, immediate: bool) -> Generator[Session]:
        self._reopen_if_replaced()
        engine = self._engine
        pool = engine.pool
        # A transaction that starts with a read cannot wait for the write lock later: SQLite then fails
        # immediately.
        bound = engine.execution_options(immediate=True) if immediate else engine
        try:
            with Session(bound, expire_on_commit=False) as session:
                yield session
        except DatabaseError as error:
            if not (is_damaged_file_error(error) or is_replaced_file_error(error)):
                raise NotAvailable(_describe_open_failure(self.path, error)) from error
            self._reopen_file(
                engine, "was damaged and has been reopened", damaged=is_damaged_file_error(error)
            )
            raise _DatabaseReopenedError(
                f"{self.path} was damaged and has been reopened; try again"
            ) from error
        finally:
            if engine.pool is not pool:  # the database was closed during the session
                pool.dispose()

    def _open_engine(self, *, damaged: bool = False) -> None:
        try:
            if damaged:
                self.moved_aside = rename_damaged_file(self.path)
            self._engine = open_database_file(self.path)
        except DatabaseError as error:
            if damaged or not is_damaged_file_error(error):
                raise NotAvailable(_describe_open_failure(self.path, error)) from error
            self._open_engine(damaged=True)
        except OSError as error:
            raise NotAvailable(_describe_open_failure(self.path, error)) from error
        # A database that nobody closed still closes its file. Not at exit, when other threads may use it.
        weakref.finalize(self, self._engine.dispose).atexit = False
        self._file = read_file_identity(self.path)
        self._companions = [(path, read_file_identity(path)) for path in self._list_wal_paths()]

    def _reopen_if_replaced(self) -> None:
        """If another file has replaced the open one, open the file that is now at the path."""
        if read_file_identity(self.path) == self._file or not self.path.parent.is_dir():
            return
        self._reopen_file(
            self._engine, "was deleted or replaced; the file that is there now is used"
        )

    def _reopen_file(self, failed: Engine, reason: str, *, damaged: bool = False) -> None:
        """Replace a database connection that failed, unless another thread has already replaced it."""
        with self._reopening:
            if self._engine is not failed:
                return
            aside = self.moved_aside
            is_same = read_file_identity(self.path) == self._file
            if not is_same:
                self._delete_wal_files()
            failed.dispose()
            # Another process may have replaced the damaged file, and its new file must not be renamed too.
            self._open_engine(damaged=damaged and is_same)
        if self.moved_aside != aside:
            self._report_damaged_file()
        else:
            self._on_reopened(f"{self.path} {reason}")

    def _delete_wal_files(self) -> None:
        """Delete the write-ahead log of the replaced file, because SQLite would apply it to the new file."""
        for path, identity in self._companions:
            if identity is not None and read_file_identity(path) == identity:
                path.unlink(missing_ok=True)

    def _list_wal_paths(self) -> list[Path]:
        return [self.path.with_name(self.path.name + suffix) for suffix in WAL_SUFFIXES]

    def _report_damaged_file(self) -> None:
        self._on_reopened(
            f"{self.path} was damaged and has been renamed to {self.moved_aside}; a new file was created:"
            " undo history, plans and the audit log start empty"
        )


class _DatabaseReopenedError(NotAvailable):
    """Raised if the database file failed and was reopened, so that a second attempt can succeed."""


def retry_after_reopen(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that it runs again if the database had to be reopened while it ran.

    The function runs at most twice.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except _DatabaseReopenedError:
            return function(*args, **kwargs)

    return call


def _describe_open_failure(path: Path, error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return (
        f"{path} cannot be used: {cause}; check that its folder exists and the disk has free space"
    )
