"""Stores each accepted version of the config, and the position of undo and redo among the versions."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict

from pydantic import ValidationError
from sqlmodel import Field, Session, SQLModel, col, desc, select

from conductor.base.json_types import JsonObject
from conductor.domain.plan import Requester
from conductor.errors import NothingToUndo
from conductor.storage.database import Database, retry_after_reopen

MAX_STORED_VERSIONS = 500


class ConfigVersionRow(SQLModel, table=True):
    __tablename__: Any = "config_version"

    id: int | None = Field(default=None, primary_key=True)
    at: float
    hash: str
    reason: str
    data: bytes
    """The text of the config, compressed with zlib."""
    current: bool = False
    """Whether this is the version in use, from which undo and redo start; true for one version."""
    left: bool = False
    """True if the version was undone and another change was made after that, so that redo skips it."""
    author: str | None = None
    """The `Requester` of the change as JSON; None if the version was read from the file."""
    parent: int | None = None
    """The version that was current when this one was made; None for the first version, and in older files."""
    config_file: str | None = None
    """The path of the config file; None for the config in the home folder."""
    older_hashes: str | None = None
    """The hashes of earlier texts of the version, separated by spaces; None if there were none."""


class VersionRow(TypedDict):
    """The fields of a config version that are shown in a list of versions."""

    id: int
    at: str
    hash: str
    reason: str
    current: bool
    author: JsonObject | None
    """The JSON form of the `Requester`; None if the version was read from the file."""


@dataclass(frozen=True, slots=True)
class Version:
    """An accepted version of the config with its text, time, reason and author."""

    id: int
    at: datetime
    hash: str
    reason: str
    current: bool
    text: str
    author: Requester | None = None
    """The program or user that requested the change; None if the version was read from the file."""
    left: bool = False
    """Whether the version was undone and another change was made after that, so that redo skips it."""
    parent: int | None = None
    """The id of the version from which this version was made; None if unknown."""
    older_hashes: tuple[str, ...] = ()
    """The hashes of its earlier texts, which had other settings of the window."""

    @property
    def hashes(self) -> tuple[str, ...]:
        """The hashes of all texts that this version had."""
        return (self.hash, *self.older_hashes)

    def to_plain(self) -> VersionRow:
        """Return the fields for a list of versions as a dict of JSON values."""
        return {
            "id": self.id,
            "at": self.at.isoformat(timespec="seconds"),
            "hash": self.hash,
            "reason": self.reason,
            "current": self.current,
            "author": self.author and self.author.to_plain(),
        }


class History:
    """The history of one config file in the database, with undo and redo.

    A version that redo can no longer reach stays in the list until it is deleted as one of the oldest.
    """

    def __init__(self, database: Database, max_rows: int = MAX_STORED_VERSIONS) -> None:
        self._database = database
        self._max_rows = max_rows
        self._of_this_file = col(ConfigVersionRow.config_file) == database.config_file

    @retry_after_reopen
    def add(
        self, text: str, file_hash: str, reason: str, author: Requester | None = None
    ) -> Version:
        """Store a version after the current one and make it current; do nothing if the text equals the
        current version.
        """
        with self._database.write_session() as session:
            current = self._find_current_row(session)
            if current is not None and current.hash == file_hash:
                return _parse_version_row(current)
            if current is not None:
                later = select(ConfigVersionRow).where(
                    self._of_this_file, col(ConfigVersionRow.id) > current.id
                )
                for row in session.exec(later):
                    row.left = True
                current.current = False
            row = ConfigVersionRow(
                at=datetime.now(UTC).timestamp(),
                hash=file_hash,
                reason=reason,
                data=zlib.compress(text.encode()),
                current=True,
                parent=None if current is None else current.id,
                author=author and author.model_dump_json(exclude_none=True),
                config_file=self._database.config_file,
            )
            session.add(row)
            session.flush()
            self._delete_oldest_versions(session)
            return _parse_version_row(row)

    @retry_after_reopen
    def latest(self) -> Version | None:
        """Return the current version, or None if the history is empty."""
        with self._database.read_session() as session:
            row = self._find_current_row(session)
            return row and _parse_version_row(row)

    @retry_after_reopen
    def find_undo_target(self) -> Version | None:
        """Return the version that undo would restore, or None if there is no older version."""
        with self._database.read_session() as session:
            row = self._find_adjacent_version(session, back=True)
            return row and _parse_version_row(row)

    @retry_after_reopen
    def find_redo_target(self) -> Version | None:
        """Return the version that redo would restore, or None if no change was undone."""
        with self._database.read_session() as session:
            row = self._find_adjacent_version(session, back=False)
            return row and _parse_version_row(row)

    @retry_after_reopen
    def move_to(self, version_id: int) -> None:
        """Make a stored version the current one, as undo and redo do.

        Raises:
            NothingToUndo: the version has been pruned.
        """
        with self._database.write_session() as session:
            row = session.get(ConfigVersionRow, version_id)
            if row is None:
                raise NothingToUndo(f"version {version_id} is no longer kept")
            current = self._find_current_row(session)
            if current is not None:
                current.current = False
            row.current, row.left = True, False

    @retry_after_reopen
    def replace_text(self, version_id: int, text: str, file_hash: str) -> None:
        """Replace the text of a stored version, which is still found by the hash of its earlier texts."""
        with self._database.write_session() as session:
            row = session.get(ConfigVersionRow, version_id)
            if row is not None and row.hash != file_hash:
                older = dict.fromkeys((*_split_hashes(row.older_hashes), row.hash))
                row.older_hashes = " ".join(one for one in older if one != file_hash)
                row.data, row.hash = zlib.compress(text.encode()), file_hash

    @retry_after_reopen
    def list(self, limit: int = 50, before_id: int | None = None) -> Sequence[Version]:
        """Return the stored versions, newest first. With `before_id`, only older versions are returned."""
        number = col(ConfigVersionRow.id)
        with self._database.read_session() as session:
            query = select(ConfigVersionRow).where(self._of_this_file)
            query = query.order_by(desc(number)).limit(limit)
            if before_id is not None:
                query = query.where(number < before_id)
            return [_parse_version_row(row) for row in session.exec(query)]

    @retry_after_reopen
    def find_by_hash(self, file_hash: str) -> Version | None:
        """Return the newest version whose text has or had this hash, or None if there is none."""
        query = select(ConfigVersionRow).where(
            self._of_this_file,
            (col(ConfigVersionRow.hash) == file_hash)
            | col(ConfigVersionRow.older_hashes).contains(file_hash, autoescape=True),
        )
        with self._database.read_session() as session:
            row = session.exec(query.order_by(desc(col(ConfigVersionRow.id)))).first()
            return row and _parse_version_row(row)

    @retry_after_reopen
    def get(self, version_id: int) -> Version | None:
        """Return the version with this id, or None if there is none."""
        with self._database.read_session() as session:
            row = session.get(ConfigVersionRow, version_id)
            return row and _parse_version_row(row)

    @retry_after_reopen
    def find_parent(self, version: Version) -> Version | None:
        """Return the version from which another version was made, or None if it has been deleted."""
        with self._database.read_session() as session:
            if version.parent is not None:
                row = session.get(ConfigVersionRow, version.parent)
                return row and _parse_version_row(row)
            # Older releases stored no parent. Undo skips versions that redo cannot reach, so the parent of
            # any other version is the version that undo leads to.
            query = select(ConfigVersionRow).where(
                self._of_this_file, col(ConfigVersionRow.id) < version.id
            )
            if not version.left:
                query = query.where(col(ConfigVersionRow.left).is_(False))
            row = session.exec(query.order_by(desc(col(ConfigVersionRow.id))).limit(1)).first()
            return row and _parse_version_row(row)

    @retry_after_reopen
    def list_undone_hashes(self) -> frozenset[str]:
        """Return the hashes of the versions that were undone, except those that were later made again or
        redone.
        """
        row = ConfigVersionRow
        columns = (col(row.id), col(row.left), col(row.hash), col(row.older_hashes))
        with self._database.read_session() as session:
            current = self._find_current_row(session)
            query = select(*columns).where(self._of_this_file).order_by(col(row.id))
            newest = {
                file_hash: (version_id or 0, is_left)
                for version_id, is_left, latest, older in session.exec(query)
                for file_hash in (latest, *_split_hashes(older))
            }
        if current is None:
            return frozenset()
        current_hashes = {current.hash, *_split_hashes(current.older_hashes)}
        return frozenset(
            file_hash
            for file_hash, (version_id, is_left) in newest.items()
            if file_hash not in current_hashes and (is_left or version_id > (current.id or 0))
        )

    def close(self) -> None:
        """Close the database file of the history."""
        self._database.close()

    def _find_current_row(self, session: Session) -> ConfigVersionRow | None:
        query = select(ConfigVersionRow).where(self._of_this_file, col(ConfigVersionRow.current))
        return session.exec(query).first()

    def _find_adjacent_version(self, session: Session, *, back: bool) -> ConfigVersionRow | None:
        current = self._find_current_row(session)
        if current is None:
            return None
        number = col(ConfigVersionRow.id)
        side, order = (number < current.id, desc(number)) if back else (number > current.id, number)
        query = select(ConfigVersionRow).where(
            self._of_this_file, side, col(ConfigVersionRow.left).is_(False)
        )
        return session.exec(query.order_by(order).limit(1)).first()

    def _delete_oldest_versions(self, session: Session) -> None:
        query = select(ConfigVersionRow).where(self._of_this_file)
        for row in session.exec(
            query.order_by(desc(col(ConfigVersionRow.id))).offset(self._max_rows)
        ):
            if not row.current:
                session.delete(row)


def open_history(path: Path, config_file: str | None = None) -> History:
    """Open the history of a config in a database file.

    `config_file` is None for the config in the home folder.

    Raises:
        NotAvailable: the file can be neither opened nor created.
    """
    return History(Database(path, config_file=config_file))


def _parse_version_row(row: ConfigVersionRow) -> Version:
    return Version(
        id=row.id or 0,
        at=datetime.fromtimestamp(row.at).astimezone(),
        hash=row.hash,
        reason=row.reason,
        current=row.current,
        text=zlib.decompress(row.data).decode(),
        author=_parse_author(row.author),
        left=row.left,
        parent=row.parent,
        older_hashes=_split_hashes(row.older_hashes),
    )


def _split_hashes(hashes: str | None) -> tuple[str, ...]:
    return tuple((hashes or "").split())


def _parse_author(data: str | None) -> Requester | None:
    """Return the requester that is stored with a version.

    The result is None if none is stored, or if a newer release stored it in an unknown format.
    """
    try:
        return None if data is None else Requester.model_validate_json(data)
    except ValidationError:
        return None
