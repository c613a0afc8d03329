"""Notes: what the user has the assistant keep, found again by every word in it."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlmodel import Field, Session, SQLModel, col, desc, func, select

from conductor.domain.notes import Note
from conductor.domain.storable import whole
from conductor.errors import InvalidParams
from conductor.storage import entries
from conductor.storage.database import Database, done_again_if_renewed

TABLE = "note"


class NoteRow(SQLModel, table=True):
    __tablename__: Any = TABLE

    number: int | None = Field(default=None, primary_key=True)
    note_id: str = Field(unique=True)
    title: str
    text: str
    tags: str
    created_at: float
    updated_at: float = Field(index=True)


entries.index_words(TABLE)


class Notes:
    """Every method raises NotAvailable when the database cannot be used."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @done_again_if_renewed
    def add(self, title: str, text: str, tags: Sequence[str] = ()) -> Note:
        """Keep a new note."""
        now = entries.stamp()
        row = NoteRow(
            note_id=entries.new_id("note"),
            title=whole(title),
            text=whole(text),
            tags=entries.as_tags(tags),
            created_at=now,
            updated_at=now,
        )
        with self._database().writing() as session:
            entries.make_room(
                session.exec(select(func.count()).select_from(NoteRow)).one(), "notes"
            )
            self._keep(session, row)
        return _note(row)

    @done_again_if_renewed
    def find(self, query: str = "", tag: str | None = None, limit: int = 20) -> tuple[Note, ...]:
        """Return those that have the words of a query, the best first; without one, the latest."""
        with self._database().reading() as session:
            statement = select(NoteRow).order_by(desc(col(NoteRow.updated_at)))
            if tag is not None:
                statement = statement.where(entries.tagged(col(NoteRow.tags), tag))
            if not query.strip():
                return tuple(_note(row) for row in session.exec(statement.limit(limit)))
            numbers = entries.numbers_of(session.connection(), TABLE, query)
            rows = session.exec(statement.where(col(NoteRow.number).in_(numbers))).all()
        best = sorted(rows, key=lambda row: numbers.index(row.number or 0))
        return tuple(_note(row) for row in best[:limit])

    @done_again_if_renewed
    def get(self, note_id: str) -> Note:
        """Return one.

        Raises:
            InvalidParams: there is none with this id.
        """
        with self._database().reading() as session:
            return _note(_found(session, note_id))

    @done_again_if_renewed
    def change(
        self,
        note_id: str,
        title: str | None = None,
        text: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Note:
        """Change what is given, and leave the rest.

        Raises:
            InvalidParams: there is none with this id.
        """
        with self._database().writing() as session:
            row = _found(session, note_id)
            row.title = row.title if title is None else whole(title)
            row.text = row.text if text is None else whole(text)
            row.tags = row.tags if tags is None else entries.as_tags(tags)
            row.updated_at = entries.stamp()
            self._keep(session, row)
        return _note(row)

    @done_again_if_renewed
    def delete(self, note_id: str) -> Note:
        """Delete one, and give what it was.

        Raises:
            InvalidParams: there is none with this id.
        """
        with self._database().writing() as session:
            row = _found(session, note_id)
            entries.forget_words(session.connection(), TABLE, row)
            session.delete(row)
        return _note(row)

    def _keep(self, session: Session, row: NoteRow) -> None:
        session.add(row)
        session.flush()
        entries.set_words(session.connection(), TABLE, row)


def _found(session: Session, note_id: str) -> NoteRow:
    row = session.exec(select(NoteRow).where(NoteRow.note_id == note_id)).first()
    if row is None:
        raise InvalidParams(
            f"Invalid note: {note_id[:40]!r} does not exist; find its id by a search"
        )
    return row


def _note(row: NoteRow) -> Note:
    return Note(
        note_id=row.note_id,
        title=row.title,
        text=row.text,
        tags=entries.tags_of(row),
        created_at=entries.moment(row.created_at),
        updated_at=entries.moment(row.updated_at),
    )
