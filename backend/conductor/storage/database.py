"""conductor.db: one SQLite file for everything that is kept, opened once for all its tables.

It can be damaged, replaced or deleted while it is open, by a disk or by another program. Then the file that
is at its place is opened, or a new one made there, so that every process sees the same one.
"""

import logging
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
    COMPANIONS,
    identity_of,
    is_another,
    is_damaged,
    move_aside,
    open_file,
)

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class Database:
    """The open file. A session is one transaction: all of it is kept, or nothing."""

    def __init__(self, path: Path, on_renewed: Callable[[str], None] = log.warning) -> None:
        """Open the file, or make it; a damaged one is moved aside and a new one made.

        `on_renewed` is told of every new file that took the place of one with what was kept.

        Raises:
            NotAvailable: the file can neither be opened nor made.
        """
        self.path = path
        self.moved_aside: Path | None = None
        """Where a damaged file was put."""
        self._on_renewed = on_renewed
        self._renewing = Lock()
        self._open()
        if self.moved_aside is not None:
            self._tell_moved()

    @contextmanager
    def reading(self) -> Generator[Session]:
        """Return a session that only reads.

        Raises:
            NotAvailable: the file cannot be used any more.
        """
        with self._session(immediate=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Generator[Session]:
        """Return a session that may write; it has the file to itself, and is kept when it ends well.

        Raises:
            NotAvailable: the file cannot be used any more.
        """
        with self._session(immediate=True) as session:
            yield session
            session.commit()

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()

    @contextmanager
    def _session(self, *, immediate: bool) -> Generator[Session]:
        self._follow()
        engine = self._engine
        bound = engine.execution_options(immediate=True) if immediate else engine
        try:
            with Session(bound, expire_on_commit=False) as session:
                yield session
        except DatabaseError as error:
            if not (is_damaged(error) or is_another(error)):
                raise NotAvailable(_cannot_open(self.path, error)) from error
            self._renew(engine, "was damaged; it was opened anew", damaged=is_damaged(error))
            raise _Renewed(f"{self.path} was damaged and is renewed; try again") from error

    def _open(self, *, damaged: bool = False) -> None:
        try:
            if damaged:
                self.moved_aside = move_aside(self.path)
            self._engine = open_file(self.path)
        except DatabaseError as error:
            if damaged or not is_damaged(error):
                raise NotAvailable(_cannot_open(self.path, error)) from error
            self._open(damaged=True)
        except OSError as error:
            raise NotAvailable(_cannot_open(self.path, error)) from error
        self._file = identity_of(self.path)
        self._companions = [(path, identity_of(path)) for path in self._companion_paths()]

    def _follow(self) -> None:
        """Open the file that is at the path now, if it is another one; a folder that is gone is waited for."""
        if identity_of(self.path) == self._file or not self.path.parent.is_dir():
            return
        self._renew(self._engine, "was deleted or replaced; what is there now is used")

    def _renew(self, failed: Engine, reason: str, *, damaged: bool = False) -> None:
        """Take the file at the path instead of what failed, unless somebody has done so meanwhile."""
        with self._renewing:
            if self._engine is not failed:
                return
            aside = self.moved_aside
            is_same = identity_of(self.path) == self._file
            if not is_same:
                self._drop_companions()
            failed.dispose()
            self._open(damaged=damaged and is_same)
        if self.moved_aside != aside:
            self._tell_moved()
        else:
            self._on_renewed(f"{self.path} {reason}")

    def _drop_companions(self) -> None:
        """Delete what SQLite keeps beside the file that was there before: it would go into the new one."""
        for path, identity in self._companions:
            if identity is not None and identity_of(path) == identity:
                path.unlink(missing_ok=True)

    def _companion_paths(self) -> list[Path]:
        return [self.path.with_name(self.path.name + suffix) for suffix in COMPANIONS]

    def _tell_moved(self) -> None:
        self._on_renewed(
            f"{self.path} was damaged and is now {self.moved_aside}; a new one is made:"
            " versions to undo to, plans and the log of calls begin anew"
        )


class _Renewed(NotAvailable):
    """The file failed, and another one is open now: the same work succeeds when it is done again."""


def done_again_if_renewed(work: Callable[P, T]) -> Callable[P, T]:
    """Have what uses sessions be done again, once, when the file had to be renewed meanwhile."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(*args, **kwargs)
        except _Renewed:
            return work(*args, **kwargs)

    return call


def _cannot_open(path: Path, error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return f"{path} cannot be used: {cause}; check that its folder is there and has room"
