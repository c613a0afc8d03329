"""The full-text index, tags and timestamps that the tables of notes and tasks have in common."""

import json
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import DDL, Connection, event
from sqlmodel import Session, SQLModel, text

from conductor.domain.storable import repair_surrogates
from conductor.errors import InvalidParams

MAX_ENTRIES_PER_TABLE = 10_000
_WORD_PATTERN = re.compile(r"[^\W_]+")
_STOP_WORDS_TEXT = """
a about all and any are as at be by do did for from had has have how i in is it me my of on or our that
the this to was we were what when where which who why will with you your
"""
STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
FTS_RANK_EXPRESSION = "bm25({table}, 4.0, 1.0, 2.0)"
"""The weights of title, text and tags in a search: a match in the title counts most."""


class EntryRow(Protocol):
    """The database row of a note or a task."""

    number: int | None
    title: str
    text: str
    tags: str
    updated_at: float


def create_word_index(table: str) -> None:
    """Register the creation of a full-text index, which runs when the table itself is created."""
    statement = (
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {table}_words USING fts5("
        "title, text, tags, tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3')"
    )
    event.listen(SQLModel.metadata.tables[table], "after_create", DDL(statement))


def change_entry_texts(
    row: EntryRow, title: str | None, body: str | None, tags: Sequence[str] | None
) -> None:
    """Change the given texts of a note or task, and update its modification time."""
    row.title = row.title if title is None else repair_surrogates(title)
    row.text = row.text if body is None else repair_surrogates(body)
    row.tags = row.tags if tags is None else encode_tags(tags)
    row.updated_at = get_current_timestamp()


def save_entry_row(session: Session, table: str, row: EntryRow) -> None:
    """Insert or update a note or task, and index its texts for full-text search."""
    session.add(row)
    session.flush()  # the flush assigns the row number to a new row
    connection = session.connection()
    _remove_from_word_index(connection, table, row)
    query = f"INSERT INTO {table}_words (rowid, title, text, tags) VALUES (?, ?, ?, ?)"  # noqa: S608 -- our own words
    connection.exec_driver_sql(query, (row.number, row.title, row.text, " ".join(decode_tags(row))))


def delete_entry_row(session: Session, table: str, row: EntryRow) -> None:
    """Delete a note or task, and remove its texts from the full-text index of the table."""
    _remove_from_word_index(session.connection(), table, row)
    session.delete(row)


def _remove_from_word_index(connection: Connection, table: str, row: EntryRow) -> None:
    query = f"DELETE FROM {table}_words WHERE rowid = ?"  # noqa: S608 -- our own words
    connection.exec_driver_sql(query, (row.number,))


def search_entry_rows(connection: Connection, table: str, query: str) -> list[int]:
    """Return the row numbers of the notes or tasks that match a query, best first.

    The results contain every word of the query or, if no entry does, at least one of the words.
    """
    terms = build_fts_terms(query)
    statement = text(
        f"SELECT rowid FROM {table}_words WHERE {table}_words MATCH :match"  # noqa: S608 -- our own words
        f" ORDER BY {FTS_RANK_EXPRESSION.format(table=f'{table}_words')} LIMIT 500"
    )
    for joined in (" ", " OR ") if terms else ():
        numbers = connection.execute(statement, {"match": joined.join(terms)}).scalars().all()
        if numbers:
            return list(numbers)
    return []


def build_fts_terms(query: str) -> list[str]:
    """Return the words of a query as FTS5 prefix terms.

    Stop words are left out, unless the query has no other words.
    """
    words = _WORD_PATTERN.findall(query)
    significant = [word for word in words if word.lower() not in STOP_WORDS]
    return [f'"{word}"*' for word in (significant or words)[:20]]


def require_capacity(count: int, plural: str) -> None:
    """Check that another entry can be added to a table.

    Raises:
        InvalidParams: the limit is reached.
    """
    if count >= MAX_ENTRIES_PER_TABLE:
        raise InvalidParams(
            f"there are already {MAX_ENTRIES_PER_TABLE} {plural}; delete some first"
        )


def create_entry_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(4)}"


def get_current_timestamp() -> float:
    return datetime.now(UTC).timestamp()


def parse_timestamp(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def encode_tags(tags: Sequence[str]) -> str:
    """Return tags as they are stored: a JSON list of lower-case strings without duplicates."""
    return json.dumps(list(dict.fromkeys(repair_surrogates(tag.strip().lower()) for tag in tags)))


def decode_tags(row: EntryRow) -> tuple[str, ...]:
    return tuple(json.loads(row.tags))


def build_tag_condition(column: Any, tag: str) -> Any:
    """Return an SQL condition for the notes or tasks that have a tag."""
    return column.contains(json.dumps(tag.strip().lower()), autoescape=True)
