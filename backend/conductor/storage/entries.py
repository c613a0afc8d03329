"""What notes and tasks have in common: an index of their words, and how it is asked."""

import json
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from sqlalchemy import DDL, Connection, event
from sqlmodel import SQLModel, text

from conductor.domain.storable import whole
from conductor.errors import InvalidParams

AT_MOST = 10_000
_WORD = re.compile(r"[^\W_]+")
_SAID = """
a about all and any are as at be by do did for from had has have how i in is it me my of on or our that
the this to was we were what when where which who why will with you your
"""
_COMMON = frozenset(_SAID.split())
RANK = "bm25({table}, 4.0, 1.0, 2.0)"


class Row(Protocol):
    """A note or a task as a row."""

    number: int | None
    title: str
    text: str
    tags: str


def index_words(table: str) -> None:
    """Have a table's words in an index that is made with it."""
    statement = (
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {table}_words USING fts5("
        "title, text, tags, tokenize = 'porter unicode61 remove_diacritics 2', prefix = '2 3')"
    )
    event.listen(SQLModel.metadata.tables[table], "after_create", DDL(statement))


def set_words(connection: Connection, table: str, row: Row) -> None:
    """Have a row found by the words that are in it now."""
    forget_words(connection, table, row)
    query = f"INSERT INTO {table}_words (rowid, title, text, tags) VALUES (?, ?, ?, ?)"  # noqa: S608 -- our own words
    connection.exec_driver_sql(query, (row.number, row.title, row.text, " ".join(tags_of(row))))


def forget_words(connection: Connection, table: str, row: Row) -> None:
    query = f"DELETE FROM {table}_words WHERE rowid = ?"  # noqa: S608 -- our own words
    connection.exec_driver_sql(query, (row.number,))


def numbers_of(connection: Connection, table: str, asked: str) -> list[int]:
    """Return the rows that have every word of a query, the best first; if there are none, those with any."""
    words = words_asked(asked)
    query = text(
        f"SELECT rowid FROM {table}_words WHERE {table}_words MATCH :match"  # noqa: S608 -- our own words
        f" ORDER BY {RANK.format(table=f'{table}_words')} LIMIT 500"
    )
    for joined in (" ", " OR ") if words else ():
        found = connection.execute(query, {"match": joined.join(words)}).scalars().all()
        if found:
            return list(found)
    return []


def words_asked(query: str) -> list[str]:
    """Return the words of a query as FTS5 is asked for them: the start of each is enough."""
    all_words = _WORD.findall(query)
    telling = [one for one in all_words if one.lower() not in _COMMON]
    return [f'"{one}"*' for one in (telling or all_words)[:20]]


def make_room(count: int, things: str) -> None:
    """Refuse another one when there are very many.

    Raises:
        InvalidParams: the limit is reached.
    """
    if count >= AT_MOST:
        raise InvalidParams(f"there are {AT_MOST} {things} already; delete some first")


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(4)}"


def stamp() -> float:
    return datetime.now(UTC).timestamp()


def moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def as_tags(tags: Sequence[str]) -> str:
    """Return tags as they are kept, each once."""
    return json.dumps(list(dict.fromkeys(whole(one.strip().lower()) for one in tags)))


def tags_of(row: Row) -> tuple[str, ...]:
    return tuple(json.loads(row.tags))


def tagged(column: Any, tag: str) -> Any:
    """Return the condition that a row has a tag."""
    return column.contains(json.dumps(tag.strip().lower()), autoescape=True)
