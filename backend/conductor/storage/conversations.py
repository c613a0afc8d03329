"""Conversations with all their messages. What `put` was given is on the disk when it returns."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, text

from conductor.domain.chat.messages import (
    ChatMessage,
    Conversation,
    NotePart,
    Part,
    ToolCallPart,
    ToolResultPart,
)
from conductor.errors import UnknownConversation
from conductor.storage.conversation_rows import (
    PUT,
    conversation_of,
    match_of,
    message_of,
    row_of,
    set_words,
    words_of,
)
from conductor.storage.database import Database, done_again_if_renewed

RESTARTED = "Conductor was ended while this was written. What had come is kept."
STOPPED_CALL = (
    "stopped: Conductor was ended before this call was done; whether it had an effect is not known"
)
CONVERSATIONS = """
SELECT c.conversation_id, c.title, c.created_at, c.updated_at, c.provider, c.model, c.tip_id,
    (SELECT COUNT(*) FROM message AS m WHERE m.conversation_id = c.conversation_id),
    SUM(requests), SUM(input_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens),
    SUM(output_tokens), SUM(cost_usd)
FROM (SELECT * FROM conversation AS k WHERE {condition} ORDER BY updated_at DESC, number DESC
    LIMIT :limit) AS c
LEFT JOIN usage AS u ON u.conversation_id = c.conversation_id
GROUP BY c.number ORDER BY c.updated_at DESC, c.number DESC
"""
FOUND = (
    "k.conversation_id IN (SELECT conversation_id FROM chat_words WHERE chat_words MATCH :match)"
)
USED_BEFORE = """(updated_at, number) <
    (SELECT updated_at, number FROM conversation WHERE conversation_id = :before)"""
BRANCH = """
WITH RECURSIVE branch (message_id, parent_id, depth) AS (
    SELECT message_id, parent_id, 0 FROM message WHERE message_id = :tip AND conversation_id = :id
    UNION ALL
    SELECT m.message_id, m.parent_id, depth + 1
    FROM branch JOIN message AS m ON m.message_id = branch.parent_id
    WHERE m.conversation_id = :id
    LIMIT COALESCE(:limit, (SELECT COUNT(*) FROM message WHERE conversation_id = :id))
) SELECT m.*, depth FROM branch JOIN message AS m USING (message_id)
"""
"""Not sorted: SQLite would copy all that is in the messages, pictures too, to do that."""
FORGET_WORDS = """
DELETE FROM chat_words WHERE rowid = -:number
    OR rowid IN (SELECT number FROM message WHERE conversation_id = :id)
"""


@dataclass(frozen=True, slots=True)
class MessageNode:
    """Where a message is in the tree, without what is in it."""

    message_id: str
    parent_id: str | None
    role: str


class Conversations:
    """Trees of messages by conversation. Every method raises NotAvailable when the database cannot be used."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @done_again_if_renewed
    def create(self, provider: str | None, model: str | None, title: str = "") -> Conversation:
        """Begin a conversation without messages."""
        now = datetime.now(UTC)
        made = Conversation(
            conversation_id=secrets.token_urlsafe(12),
            title=title,
            created_at=now,
            updated_at=now,
            provider=provider,
            model=model,
        )
        columns = made.model_dump(exclude={"usage", "messages"})
        stamps = {"created_at": now.timestamp(), "updated_at": now.timestamp()}
        with self._database().writing() as session:
            done = session.connection().execute(
                text(
                    "INSERT INTO conversation"
                    " (conversation_id, title, created_at, updated_at, provider, model, tip_id)"
                    " VALUES (:conversation_id, :title, :created_at, :updated_at, :provider, :model, :tip_id)"
                ),
                columns | stamps,
            )
            set_words(session.connection(), -(done.lastrowid or 0), made.conversation_id, title)
        return made

    @done_again_if_renewed
    def all(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> tuple[Conversation, ...]:
        """Return the latest whose title or messages have every word of `query`, the latest first.

        With `before_id`, those that were used before it.

        Raises:
            UnknownConversation: there is none with this id.
        """
        match = match_of(query)
        if query.strip() and not match:
            return ()
        conditions = [FOUND] * bool(match) + [USED_BEFORE] * (before_id is not None)
        condition = " AND ".join(conditions) or "TRUE"
        found = self._conversations(condition, match=match, limit=limit, before=before_id)
        if not found and before_id is not None:
            self.get(before_id)
        return found

    @done_again_if_renewed
    def get(self, conversation_id: str) -> Conversation:
        """Return one.

        Raises:
            UnknownConversation: there is none with this id.
        """
        found = self._conversations("conversation_id = :id", id=conversation_id, limit=1)
        if not found:
            raise _unknown(conversation_id)
        return found[0]

    @done_again_if_renewed
    def messages(self, conversation_id: str) -> tuple[ChatMessage, ...]:
        """Return the whole tree in the order it was written."""
        rows = self._read(
            "SELECT * FROM message WHERE conversation_id = :id ORDER BY number", conversation_id
        )
        return tuple(message_of(row) for row in rows)

    @done_again_if_renewed
    def tree(self, conversation_id: str) -> tuple[MessageNode, ...]:
        """Return where every message is, in the order they were written; cheap for long conversations."""
        query = "SELECT message_id, parent_id, role FROM message WHERE conversation_id = :id ORDER BY number"
        return tuple(MessageNode(*row) for row in self._read(query, conversation_id))

    @done_again_if_renewed
    def message(self, conversation_id: str, message_id: str) -> ChatMessage | None:
        """Return one message."""
        query = "SELECT * FROM message WHERE conversation_id = :id AND message_id = :message"
        rows = self._read(query, conversation_id, message=message_id)
        return message_of(rows[0]) if rows else None

    @done_again_if_renewed
    def home_of(self, message_id: str) -> str:
        """Return the conversation that a message is in.

        Raises:
            UnknownConversation: there is no such message.
        """
        query = text("SELECT conversation_id FROM message WHERE message_id = :id")
        with self._database().reading() as session:
            found = session.connection().execute(query, {"id": message_id}).scalar()
        if found is None:
            raise UnknownConversation(
                f"no message has the id {message_id!r}: its conversation may have been deleted"
            )
        return found

    @done_again_if_renewed
    def branch(
        self,
        conversation_id: str,
        tip_id: str | None = None,
        limit: int | None = None,
    ) -> tuple[ChatMessage, ...]:
        """Return the messages from the root to a tip, or the last `limit` of them.

        Without a tip it is the one that is shown. Those before come with the first one's parent as tip.
        """
        tip = tip_id or self.get(conversation_id).tip_id
        rows = self._read(BRANCH, conversation_id, tip=tip, limit=limit)
        return tuple(map(message_of, sorted(rows, key=lambda row: row.depth, reverse=True)))

    @done_again_if_renewed
    def put(self, *messages: ChatMessage, tip_id: str | None = None) -> None:
        """Keep messages of a conversation as they are now, all or none.

        The tip is the one that is given, or else the last that is new.

        Raises:
            UnknownConversation: their conversation is deleted.
        """
        with self._database().writing() as session:
            connection = session.connection()
            for message in messages:
                self._put(connection, message)
            if tip_id is not None:
                self._set(connection, messages[-1].conversation_id, tip_id=tip_id)

    @done_again_if_renewed
    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        with self._database().writing() as session:
            connection = session.connection()
            number = self._set(connection, conversation_id, title=title)
            set_words(connection, -number, conversation_id, title)

    @done_again_if_renewed
    def set_tip(self, conversation_id: str, message_id: str | None) -> None:
        """Show the branch that ends with a message."""
        with self._database().writing() as session:
            self._set(session.connection(), conversation_id, tip_id=message_id)

    @done_again_if_renewed
    def set_model(self, conversation_id: str, provider: str | None, model: str | None) -> None:
        """Have the next answer written by another model."""
        with self._database().writing() as session:
            self._set(session.connection(), conversation_id, provider=provider, model=model)

    @done_again_if_renewed
    def delete(self, conversation_id: str) -> None:
        """Delete a conversation with its messages; what it cost stays in the log of usage."""
        with self._database().writing() as session:
            connection = session.connection()
            number = self._set(connection, conversation_id)
            values = {"id": conversation_id, "number": number}
            connection.execute(text(FORGET_WORDS), values)
            connection.execute(text("DELETE FROM conversation WHERE number = :number"), values)

    @done_again_if_renewed
    def repair(self) -> int:
        """End what was being written when Conductor was ended, and say how many messages that were."""
        with self._database().writing() as session:
            connection = session.connection()
            rows = connection.execute(text("SELECT * FROM message WHERE state = 'streaming'")).all()
            cut = [one for row in rows if (one := message_of(row)).state == "streaming"]
            for message in cut:
                self._put(connection, _ended(message))
        return len(cut)

    def _conversations(self, condition: str, **values: Any) -> tuple[Conversation, ...]:
        query = text(CONVERSATIONS.format(condition=condition))
        with self._database().reading() as session:
            rows = session.connection().execute(query, values).all()
        return tuple(conversation_of(row) for row in rows)

    def _read(self, query: str, conversation_id: str, **values: Any) -> Any:
        """Return the rows of one conversation.

        Raises:
            UnknownConversation: there are none, and no such conversation either.
        """
        with self._database().reading() as session:
            rows = (
                session.connection().execute(text(query), {"id": conversation_id, **values}).all()
            )
        if not rows:
            self.get(conversation_id)
        return rows

    def _put(self, connection: Connection, message: ChatMessage) -> None:
        number = _number_of(connection, message.message_id)
        now = datetime.now(UTC).timestamp()
        changed = (
            {"updated_at": now} if number else {"updated_at": now, "tip_id": message.message_id}
        )
        self._set(connection, message.conversation_id, **changed)
        connection.execute(text(PUT), row_of(message))
        if message.state != "streaming":
            number = number or _number_of(connection, message.message_id)
            set_words(connection, number, message.conversation_id, words_of(message))

    def _set(self, connection: Connection, conversation_id: str, **columns: Any) -> int:
        """Change columns of a conversation, and give its number."""
        query = text("SELECT number FROM conversation WHERE conversation_id = :id")
        number = connection.execute(query, {"id": conversation_id}).scalar()
        if number is None:
            raise _unknown(conversation_id)
        if columns:
            changes = ", ".join(f"{name} = :{name}" for name in columns)
            query = text(f"UPDATE conversation SET {changes} WHERE number = :number")  # noqa: S608 -- our own names
            connection.execute(query, columns | {"number": number})
        return number


def _number_of(connection: Connection, message_id: str) -> int:
    query = text("SELECT number FROM message WHERE message_id = :id")
    return connection.execute(query, {"id": message_id}).scalar() or 0


def _ended(message: ChatMessage) -> ChatMessage:
    """Return a message that was being written as one that was stopped: every call has a result."""
    answered = {part.call_id for part in message.parts if isinstance(part, ToolResultPart)}
    results: tuple[Part, ...] = tuple(
        ToolResultPart(call_id=part.call_id, tool=part.tool, ok=False, content=STOPPED_CALL)
        for part in message.parts
        if isinstance(part, ToolCallPart) and part.call_id not in answered
    )
    note = NotePart(kind="restarted", text=RESTARTED)
    return message.model_copy(
        update={"state": "stopped", "parts": (*message.parts, *results, note)}
    )


def _unknown(conversation_id: str) -> UnknownConversation:
    return UnknownConversation(
        f"no conversation has the id {conversation_id!r}: it may have been deleted; choose one of the list"
    )
