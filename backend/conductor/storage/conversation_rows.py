"""Defines the database tables of conversations and messages, with their full-text index."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TypedDict

from pydantic import ValidationError
from sqlalchemy import DDL, Connection, event
from sqlmodel import Field, SQLModel

from conductor.domain.chat.messages import (
    ChatMessage,
    Conversation,
    FilePart,
    NotePart,
    TextPart,
)
from conductor.domain.storable import make_storable, repair_surrogates
from conductor.storage.usage import build_usage_from_sums

CREATE_CHAT_WORDS_TABLE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS chat_words USING fts5("
    "words, conversation_id UNINDEXED, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
)
UPSERT_MESSAGE = """
INSERT INTO message (message_id, conversation_id, parent_id, role, created_at, state, data)
VALUES (:message_id, :conversation_id, :parent_id, :role, :created_at, :state, :data)
ON CONFLICT (message_id) DO UPDATE SET
    parent_id = excluded.parent_id, state = excluded.state, data = excluded.data
"""
UNREADABLE_MESSAGE_TEXT = (
    "This message was saved by another version of Conductor and cannot be shown by this one."
)


class ConversationRow(SQLModel, table=True):
    __tablename__: Any = "conversation"

    number: int | None = Field(default=None, primary_key=True)
    conversation_id: str = Field(unique=True)
    title: str
    created_at: float
    updated_at: float = Field(index=True)
    provider: str | None = None
    model: str | None = None
    tip_id: str | None = None


class MessageRow(SQLModel, table=True):
    __tablename__: Any = "message"

    number: int | None = Field(default=None, primary_key=True)
    """A number that increases with each new message, and the row id of the message in the full-text index."""
    message_id: str = Field(unique=True)
    conversation_id: str = Field(
        foreign_key="conversation.conversation_id", ondelete="CASCADE", index=True
    )
    parent_id: str | None = None
    role: str
    created_at: float
    state: str = Field(index=True)
    data: str
    """The complete message as JSON."""


event.listen(SQLModel.metadata.tables["message"], "after_create", DDL(CREATE_CHAT_WORDS_TABLE))


class MessageFields(TypedDict):
    """The parameters of the SQL statement `UPSERT_MESSAGE`, which inserts or updates a message."""

    message_id: str
    conversation_id: str
    parent_id: str | None
    role: str
    created_at: float
    state: str
    data: str
    """The complete message as JSON."""


def build_message_fields(message: ChatMessage) -> MessageFields:
    """Return the parameters of `UPSERT_MESSAGE` for a message.

    Characters that SQLite cannot store are replaced.
    """
    message = make_storable(message)
    return {
        "message_id": message.message_id,
        "conversation_id": message.conversation_id,
        "parent_id": message.parent_id,
        "role": message.role,
        "created_at": message.created_at.timestamp(),
        "state": message.state,
        "data": message.model_dump_json(),
    }


def parse_message_row(row: Any) -> ChatMessage:
    """Return the message in a database row. If the row cannot be read, the message says so in its text."""
    try:
        return ChatMessage.model_validate_json(row.data)
    except ValidationError:
        return ChatMessage(
            message_id=row.message_id,
            conversation_id=row.conversation_id,
            parent_id=row.parent_id,
            role=row.role,
            created_at=datetime.fromtimestamp(row.created_at, UTC),
            parts=(NotePart(kind="degraded", text=UNREADABLE_MESSAGE_TEXT),),
        )


def parse_conversation_row(row: Any) -> Conversation:
    """Return the conversation in a database row, with its number of messages and its token usage."""
    (*_, messages), sums = row[:8], row[8:]
    return Conversation(
        conversation_id=row.conversation_id,
        title=row.title,
        created_at=datetime.fromtimestamp(row.created_at, UTC),
        updated_at=datetime.fromtimestamp(row.updated_at, UTC),
        provider=row.provider,
        model=row.model,
        tip_id=row.tip_id,
        usage=build_usage_from_sums(sums),
        messages=messages,
    )


def extract_message_words(message: ChatMessage) -> str:
    """Return the text of a message as it is indexed for full-text search."""
    texts = [part.text for part in message.parts if isinstance(part, TextPart | FilePart)]
    return "\n".join(texts)


def index_words_for_search(
    connection: Connection, number: int, conversation_id: str, words: str
) -> None:
    """Replace the indexed text of a message or a conversation title.

    The row id in the index is the number of the message or, for a title, the negative number of the
    conversation.
    """
    connection.exec_driver_sql("DELETE FROM chat_words WHERE rowid = ?", (number,))
    if words.strip():
        connection.exec_driver_sql(
            "INSERT INTO chat_words (rowid, words, conversation_id) VALUES (?, ?, ?)",
            (number, repair_surrogates(words), conversation_id),
        )


def build_fts_match_query(query: str) -> str:
    """Return an FTS5 expression that matches texts with every word of a query; the start of a word is
    enough.
    """
    return " ".join(f'"{word}"*' for word in _split_query_words(query))


def _split_query_words(query: str) -> Iterable[str]:
    return (word.replace('"', '""') for word in query.split() if any(c.isalnum() for c in word))
