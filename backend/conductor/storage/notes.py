"""Stores the notes that the assistant takes for the user, with full-text search."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlmodel import Field, Session, SQLModel, col, desc, func, select

from conductor.domain.notes import Note
from conductor.domain.storable import repair_surrogates
from conductor.errors import InvalidParams
from conductor.storage import entries
from conductor.storage.database import Database, retry_after_reopen

NOTE_TABLE_NAME = "note"


class NoteRow(SQLModel, table=True):
    __tablename__: Any = NOTE_TABLE_NAME

    number: int | None = Field(default=None, primary_key=True)
    note_id: str = Field(unique=True)
    title: str
    text: str
    tags: str
    created_at: float
    updated_at: float = Field(index=True)


entries.create_word_index(NOTE_TABLE_NAME)


class Notes:
    """Stores the user's notes. Every method raises `NotAvailable` if the database cannot be used."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @retry_after_reopen
    def add_note(self, title: str, text: str, tags: Sequence[str] = ()) -> Note:
        """Store a new note and return it with its id."""
        now = entries.get_current_timestamp()
        row = NoteRow(
            note_id=entries.create_entry_id("note"),
            title=repair_surrogates(title),
            text=repair_surrogates(text),
            tags=entries.encode_tags(tags),
            created_at=now,
            updated_at=now,
        )
        with self._database().write_session() as session:
            entries.require_capacity(
                session.exec(select(func.count()).select_from(NoteRow)).one(), "notes"
            )
            entries.save_entry_row(session, NOTE_TABLE_NAME, row)
        return _parse_note_row(row)

    @retry_after_reopen
    def find_notes(
        self, query: str = "", tag: str | None = None, limit: int = 20
    ) -> tuple[Note, ...]:
        """Return the notes that match a query, best first. Without a query, return the latest notes."""
        with self._database().read_session() as session:
            statement = select(NoteRow).order_by(desc(col(NoteRow.updated_at)))
            if tag is not None:
                statement = statement.where(entries.build_tag_condition(col(NoteRow.tags), tag))
            if not query.strip():
                return tuple(_parse_note_row(row) for row in session.exec(statement.limit(limit)))
            numbers = entries.search_entry_rows(session.connection(), NOTE_TABLE_NAME, query)
            rows = session.exec(statement.where(col(NoteRow.number).in_(numbers))).all()
        best = sorted(rows, key=lambda row: numbers.index(row.number or 0))
        return tuple(_parse_note_row(row) for row in best[:limit])

    @retry_after_reopen
    def get_note(self, note_id: str) -> Note:
        """Return the note with this id.

        Raises:
            InvalidParams: no note has this id.
        """
        with self._database().read_session() as session:
            return _parse_note_row(_require_note_row(session, note_id))

    @retry_after_reopen
    def change_note(
        self,
        note_id: str,
        title: str | None = None,
        text: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Note:
        """Change the given fields of a note, leave the others, and return the changed note.

        Raises:
            InvalidParams: no note has this id.
        """
        with self._database().write_session() as session:
            row = _require_note_row(session, note_id)
            entries.change_entry_texts(row, title, text, tags)
            entries.save_entry_row(session, NOTE_TABLE_NAME, row)
        return _parse_note_row(row)

    @retry_after_reopen
    def delete_note(self, note_id: str) -> Note:
        """Delete the note with this id, and return it so that the caller can report what was deleted.

        Raises:
            InvalidParams: no note has this id.
        """
        with self._database().write_session() as session:
            row = _require_note_row(session, note_id)
            entries.delete_entry_row(session, NOTE_TABLE_NAME, row)
        return _parse_note_row(row)


def _require_note_row(session: Session, note_id: str) -> NoteRow:
    row = session.exec(select(NoteRow).where(NoteRow.note_id == note_id)).first()
    if row is None:
        raise InvalidParams(
            f"Invalid note: {note_id[:40]!r} does not exist; search for the note to get its id"
        )
    return row


def _parse_note_row(row: NoteRow) -> Note:
    return Note(
        note_id=row.note_id,
        title=row.title,
        text=row.text,
        tags=entries.decode_tags(row),
        created_at=entries.parse_timestamp(row.created_at),
        updated_at=entries.parse_timestamp(row.updated_at),
    )
