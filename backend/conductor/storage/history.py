"""The versions of the config: every one that was accepted, and where undo stands among them."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from sqlmodel import Field, Session, SQLModel, col, desc, select

from conductor.domain.plan import Requester
from conductor.errors import NothingToUndo
from conductor.storage.database import Database, done_again_if_renewed

KEEP = 500


class ConfigVersionRow(SQLModel, table=True):
    __tablename__: Any = "config_version"

    id: int | None = Field(default=None, primary_key=True)
    at: float
    hash: str
    reason: str
    data: bytes
    """The text, compressed."""
    current: bool = False
    """True for the one version that undo and redo count from."""
    left: bool = False
    """True when it was undone and something else was done then: redo no longer leads to it."""
    author: str | None = None
    """A `Requester` as JSON; empty for what came from the file itself."""


@dataclass(frozen=True, slots=True)
class Version:
    """One accepted text of the config."""

    id: int
    at: datetime
    hash: str
    reason: str
    current: bool
    text: str
    author: Requester | None = None
    """Who had it made; None for what was found in the file."""
    left: bool = False
    """It was undone and something else was done then."""

    def plain(self) -> dict[str, Any]:
        """Return what a list shows."""
        return {
            "id": self.id,
            "at": self.at.isoformat(timespec="seconds"),
            "hash": self.hash,
            "reason": self.reason,
            "current": self.current,
            "author": self.author and self.author.to_plain(),
        }


class History:
    """Where undo and redo lead, over saved texts.

    Versions that redo no longer leads to stay in the list until they are the oldest.
    """

    def __init__(self, database: Database, keep: int = KEEP) -> None:
        self._database = database
        self._keep = keep

    @done_again_if_renewed
    def add(
        self, text: str, file_hash: str, reason: str, author: Requester | None = None
    ) -> Version:
        """Keep a version after the current one; the current one again changes nothing."""
        with self._database.writing() as session:
            current = _current(session)
            if current is not None and current.hash == file_hash:
                return _version(current)
            if current is not None:
                for later in _rows(session, col(ConfigVersionRow.id) > current.id):
                    later.left = True
                current.current = False
            row = ConfigVersionRow(
                at=datetime.now(UTC).timestamp(),
                hash=file_hash,
                reason=reason,
                data=zlib.compress(text.encode()),
                current=True,
                author=author and author.model_dump_json(exclude_none=True),
            )
            session.add(row)
            session.flush()
            _prune(session, self._keep)
            return _version(row)

    @done_again_if_renewed
    def latest(self) -> Version | None:
        """Return the current version."""
        with self._database.reading() as session:
            row = _current(session)
            return row and _version(row)

    @done_again_if_renewed
    def before(self) -> Version | None:
        """Return the version that undo leads to."""
        with self._database.reading() as session:
            row = _neighbour(session, back=True)
            return row and _version(row)

    @done_again_if_renewed
    def after(self) -> Version | None:
        """Return the version that redo leads to."""
        with self._database.reading() as session:
            row = _neighbour(session, back=False)
            return row and _version(row)

    @done_again_if_renewed
    def move_to(self, version_id: int) -> None:
        """Make a version the current one.

        Raises:
            NothingToUndo: there is no such version any more.
        """
        with self._database.writing() as session:
            row = session.get(ConfigVersionRow, version_id)
            if row is None:
                raise NothingToUndo(f"version {version_id} is no longer kept")
            current = _current(session)
            if current is not None:
                current.current = False
            row.current, row.left = True, False

    @done_again_if_renewed
    def list(self, limit: int = 50, before_id: int | None = None) -> Sequence[Version]:
        """Return the newest versions, or the newest before one, newest first."""
        number = col(ConfigVersionRow.id)
        with self._database.reading() as session:
            query = select(ConfigVersionRow).order_by(desc(number)).limit(limit)
            if before_id is not None:
                query = query.where(number < before_id)
            return [_version(row) for row in session.exec(query)]

    @done_again_if_renewed
    def with_hash(self, file_hash: str) -> Version | None:
        """Return the newest version with this hash."""
        query = select(ConfigVersionRow).where(col(ConfigVersionRow.hash) == file_hash)
        with self._database.reading() as session:
            row = session.exec(query.order_by(desc(col(ConfigVersionRow.id)))).first()
            return row and _version(row)

    @done_again_if_renewed
    def get(self, version_id: int) -> Version | None:
        """Return a version by its id."""
        with self._database.reading() as session:
            row = session.get(ConfigVersionRow, version_id)
            return row and _version(row)

    def close(self) -> None:
        """Close the database."""
        self._database.close()


def open_history(path: Path) -> History:
    """Open the history kept in a database file.

    Raises:
        NotAvailable: the file can neither be opened nor made.
    """
    return History(Database(path))


def _current(session: Session) -> ConfigVersionRow | None:
    return session.exec(select(ConfigVersionRow).where(col(ConfigVersionRow.current))).first()


def _rows(session: Session, condition: Any) -> Sequence[ConfigVersionRow]:
    return session.exec(select(ConfigVersionRow).where(condition)).all()


def _neighbour(session: Session, *, back: bool) -> ConfigVersionRow | None:
    current = _current(session)
    if current is None:
        return None
    number = col(ConfigVersionRow.id)
    side, order = (number < current.id, desc(number)) if back else (number > current.id, number)
    query = select(ConfigVersionRow).where(side, col(ConfigVersionRow.left).is_(False))
    return session.exec(query.order_by(order).limit(1)).first()


def _prune(session: Session, keep: int) -> None:
    query = select(ConfigVersionRow).order_by(desc(col(ConfigVersionRow.id))).offset(keep)
    for row in session.exec(query):
        if not row.current:
            session.delete(row)


def _version(row: ConfigVersionRow) -> Version:
    return Version(
        id=row.id or 0,
        at=datetime.fromtimestamp(row.at).astimezone(),
        hash=row.hash,
        reason=row.reason,
        current=row.current,
        text=zlib.decompress(row.data).decode(),
        author=_author(row.author),
        left=row.left,
    )


def _author(kept: str | None) -> Requester | None:
    """Return who it was; nobody, when a newer Conductor wrote something that this one does not know."""
    try:
        return None if kept is None else Requester.model_validate_json(kept)
    except ValidationError:
        return None
