"""Stores conversations as trees of messages. When `save_messages` returns, the messages are on the disk."""

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
    UPSERT_MESSAGE,
    build_fts_match_query,
    build_message_fields,
    extract_message_words,
    index_words_for_search,
    parse_conversation_row,
    parse_message_row,
)
from conductor.storage.database import Database, retry_after_reopen

INTERRUPTED_ANSWER_NOTE = (
    "Conductor stopped while this was being written. The text up to that point is kept."
)
STOPPED_CALL_RESULT = (
    "stopped: Conductor stopped before this call finished; it may or may not have had an effect"
)
SELECT_CONVERSATIONS = """
SELECT c.conversation_id, c.title, c.created_at, c.updated_at, c.provider, c.model, c.tip_id,
    (SELECT COUNT(*) FROM message AS m WHERE m.conversation_id = c.conversation_id),
    SUM(requests), SUM(input_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens),
    SUM(output_tokens), SUM(cost_usd)
FROM (SELECT * FROM conversation AS k WHERE {condition} ORDER BY updated_at DESC, number DESC
    LIMIT :limit) AS c
LEFT JOIN usage AS u ON u.conversation_id = c.conversation_id
GROUP BY c.number ORDER BY c.updated_at DESC, c.number DESC
"""
CONTAINS_WORDS_CONDITION = (
    "k.conversation_id IN (SELECT conversation_id FROM chat_words WHERE chat_words MATCH :match)"
)
USED_BEFORE_CONDITION = """(updated_at, number) <
    (SELECT updated_at, number FROM conversation WHERE conversation_id = :before)"""
SELECT_BRANCH = """
WITH RECURSIVE branch (message_id, parent_id, depth) AS (
    SELECT message_id, parent_id, 0 FROM message WHERE message_id = :tip AND conversation_id = :id
    UNION ALL
    SELECT m.message_id, m.parent_id, depth + 1
    FROM branch JOIN message AS m ON m.message_id = branch.parent_id
    WHERE m.conversation_id = :id
    LIMIT COALESCE(:limit, (SELECT COUNT(*) FROM message WHERE conversation_id = :id))
) SELECT m.*, depth FROM branch JOIN message AS m USING (message_id)
"""
"""Selects a branch without sorting it: to sort, SQLite would copy the whole messages, including pictures."""
DELETE_CHAT_WORDS = """
DELETE FROM chat_words WHERE rowid = -:number
    OR rowid IN (SELECT number FROM message WHERE conversation_id = :id)
"""


@dataclass(frozen=True, slots=True)
class MessageNode:
    """The position of a message in the tree of its conversation, without the content of the message."""

    message_id: str
    parent_id: str | None
    role: str


class Conversations:
    """Stores conversations and their messages in the database. Every method raises `NotAvailable` if the
    database cannot be used.
    """

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @retry_after_reopen
    def create_conversation(
        self, provider: str | None, model: str | None, title: str = ""
    ) -> Conversation:
        """Create an empty conversation, whose answers come from the given provider and model."""
        now = datetime.now(UTC)
        conversation = Conversation(
            conversation_id=secrets.token_urlsafe(12),
            title=title,
            created_at=now,
            updated_at=now,
            provider=provider,
            model=model,
        )
        columns = conversation.model_dump(exclude={"usage", "messages"})
        stamps = {"created_at": now.timestamp(), "updated_at": now.timestamp()}
        with self._database().write_session() as session:
            result = session.connection().execute(
                text(
                    "INSERT INTO conversation"
                    " (conversation_id, title, created_at, updated_at, provider, model, tip_id)"
                    " VALUES (:conversation_id, :title, :created_at, :updated_at, :provider, :model, :tip_id)"
                ),
                columns | stamps,
            )
            number = result.lastrowid or 0
            index_words_for_search(
                session.connection(), -number, conversation.conversation_id, title
            )
        return conversation

    @retry_after_reopen
    def list_conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> tuple[Conversation, ...]:
        """Return the conversations whose title or messages contain every word of `query`, latest first.

        With `before_id`, return only conversations that were last used before the one with this id.

        Raises:
            UnknownConversation: no conversation has the id `before_id`.
        """
        match = build_fts_match_query(query)
        if query.strip() and not match:
            return ()
        conditions = [CONTAINS_WORDS_CONDITION] * bool(match) + [USED_BEFORE_CONDITION] * (
            before_id is not None
        )
        condition = " AND ".join(conditions) or "TRUE"
        found = self._read_conversations(condition, match=match, limit=limit, before=before_id)
        if not found and before_id is not None:
            self.get_conversation(before_id)
        return found

    @retry_after_reopen
    def get_conversation(self, conversation_id: str) -> Conversation:
        """Return the conversation with this id.

        Raises:
            UnknownConversation: no conversation has this id.
        """
        found = self._read_conversations("conversation_id = :id", id=conversation_id, limit=1)
        if not found:
            raise _build_unknown_error(conversation_id)
        return found[0]

    @retry_after_reopen
    def list_messages(self, conversation_id: str) -> tuple[ChatMessage, ...]:
        """Return all messages of a conversation, of every branch, in the order in which they were written."""
        rows = self._select_rows(
            "SELECT * FROM message WHERE conversation_id = :id ORDER BY number", conversation_id
        )
        return tuple(parse_message_row(row) for row in rows)

    @retry_after_reopen
    def list_message_nodes(self, conversation_id: str) -> tuple[MessageNode, ...]:
        """Return the position of each message in the tree; without the contents this is fast for long
        conversations.
        """
        query = "SELECT message_id, parent_id, role FROM message WHERE conversation_id = :id ORDER BY number"
        return tuple(MessageNode(*row) for row in self._select_rows(query, conversation_id))

    @retry_after_reopen
    def find_message(self, conversation_id: str, message_id: str) -> ChatMessage | None:
        """Return a message of a conversation, or None if the conversation does not contain it."""
        query = "SELECT * FROM message WHERE conversation_id = :id AND message_id = :message"
        rows = self._select_rows(query, conversation_id, message=message_id)
        return parse_message_row(rows[0]) if rows else None

    @retry_after_reopen
    def find_conversation_id(self, message_id: str) -> str:
        """Return the id of the conversation that a message belongs to.

        Raises:
            UnknownConversation: no message has this id.
        """
        query = text("SELECT conversation_id FROM message WHERE message_id = :id")
        with self._database().read_session() as session:
            found = session.connection().execute(query, {"id": message_id}).scalar()
        if found is None:
            raise UnknownConversation(
                f"no message has the id {message_id!r}; its conversation may have been deleted"
            )
        return found

    @retry_after_reopen
    def list_branch_messages(
        self,
        conversation_id: str,
        tip_id: str | None = None,
        limit: int | None = None,
    ) -> tuple[ChatMessage, ...]:
        """Return the messages from the root to the message `tip_id`, or only the last `limit` of them.

        Without `tip_id`, the branch ends at the conversation's current tip. To load earlier messages,
        pass the parent of the first message as the tip.
        """
        tip = tip_id or self.get_conversation(conversation_id).tip_id
        rows = self._select_rows(SELECT_BRANCH, conversation_id, tip=tip, limit=limit)
        return tuple(map(parse_message_row, sorted(rows, key=lambda row: row.depth, reverse=True)))

    @retry_after_reopen
    def save_messages(self, *messages: ChatMessage, tip_id: str | None = None) -> None:
        """Insert or update messages of a conversation in one transaction. The current branch of the
        conversation then ends with `tip_id`, or with the last new message if `tip_id` is None.

        Raises:
            UnknownConversation: the conversation has been deleted.
        """
        with self._database().write_session() as session:
            connection = session.connection()
            for message in messages:
                self._save_message(connection, message)
            if tip_id is not None:
                self._update_conversation_row(
                    connection, messages[-1].conversation_id, tip_id=tip_id
                )

    @retry_after_reopen
    def rename_conversation(self, conversation_id: str, title: str) -> None:
        """Change the title of a conversation."""
        with self._database().write_session() as session:
            connection = session.connection()
            number = self._update_conversation_row(connection, conversation_id, title=title)
            index_words_for_search(connection, -number, conversation_id, title)

    @retry_after_reopen
    def set_branch_tip(self, conversation_id: str, message_id: str | None) -> None:
        """Make the branch that ends with this message the current branch of the conversation."""
        with self._database().write_session() as session:
            self._update_conversation_row(session.connection(), conversation_id, tip_id=message_id)

    @retry_after_reopen
    def set_model(self, conversation_id: str, provider: str | None, model: str | None) -> None:
        """Set the provider and the model for the next answers in a conversation."""
        with self._database().write_session() as session:
            self._update_conversation_row(
                session.connection(), conversation_id, provider=provider, model=model
            )

    @retry_after_reopen
    def delete_conversation(self, conversation_id: str) -> None:
        """Delete a conversation with its messages; its cost remains in the usage log."""
        with self._database().write_session() as session:
            connection = session.connection()
            number = self._update_conversation_row(connection, conversation_id)
            values = {"id": conversation_id, "number": number}
            connection.execute(text(DELETE_CHAT_WORDS), values)
            connection.execute(text("DELETE FROM conversation WHERE number = :number"), values)

    @retry_after_reopen
    def mark_unfinished_as_stopped(self) -> int:
        """Mark messages that a crash left unfinished as stopped, and return how many there were."""
        with self._database().write_session() as session:
            connection = session.connection()
            rows = connection.execute(text("SELECT * FROM message WHERE state = 'streaming'")).all()
            # Checked again on the parsed message, because an unreadable row is replaced by a message that is
            # not streaming.
            messages = [
                message for row in rows if (message := parse_message_row(row)).state == "streaming"
            ]
            for message in messages:
                self._save_message(connection, _copy_as_stopped(message))
        return len(messages)

    def _read_conversations(self, condition: str, **values: Any) -> tuple[Conversation, ...]:
        query = text(SELECT_CONVERSATIONS.format(condition=condition))
        with self._database().read_session() as session:
            rows = session.connection().execute(query, values).all()
        return tuple(parse_conversation_row(row) for row in rows)

    def _select_rows(self, query: str, conversation_id: str, **values: Any) -> Any:
        """Return the rows that an SQL query selects for a conversation.

        Raises:
            UnknownConversation: the conversation does not exist.
        """
        with self._database().read_session() as session:
            rows = (
                session.connection().execute(text(query), {"id": conversation_id, **values}).all()
            )
        if not rows:
            self.get_conversation(conversation_id)
        return rows

    def _save_message(self, connection: Connection, message: ChatMessage) -> None:
        number = _find_row_number(connection, message.message_id)
        now = datetime.now(UTC).timestamp()
        changed = (
            {"updated_at": now} if number else {"updated_at": now, "tip_id": message.message_id}
        )
        self._update_conversation_row(connection, message.conversation_id, **changed)
        connection.execute(text(UPSERT_MESSAGE), build_message_fields(message))
        # An unfinished message is saved every second, and indexing its words each time would be wasteful.
        if message.state != "streaming":
            number = number or _find_row_number(connection, message.message_id)
            index_words_for_search(
                connection, number, message.conversation_id, extract_message_words(message)
            )

    def _update_conversation_row(
        self, connection: Connection, conversation_id: str, **columns: Any
    ) -> int:
        """Update some columns of a conversation, and return the number of its row."""
        query = text("SELECT number FROM conversation WHERE conversation_id = :id")
        number = connection.execute(query, {"id": conversation_id}).scalar()
        if number is None:
            raise _build_unknown_error(conversation_id)
        if columns:
            changes = ", ".join(f"{name} = :{name}" for name in columns)
            query = text(f"UPDATE conversation SET {changes} WHERE number = :number")  # noqa: S608 -- our own names
            connection.execute(query, columns | {"number": number})
        return number


def _find_row_number(connection: Connection, message_id: str) -> int:
    query = text("SELECT number FROM message WHERE message_id = :id")
    return connection.execute(query, {"id": message_id}).scalar() or 0


def _copy_as_stopped(message: ChatMessage) -> ChatMessage:
    """Return a stopped copy of an unfinished message, in which every tool call has a result."""
    answered = {part.call_id for part in message.parts if isinstance(part, ToolResultPart)}
    results: tuple[Part, ...] = tuple(
        ToolResultPart(call_id=part.call_id, tool=part.tool, ok=False, content=STOPPED_CALL_RESULT)
        for part in message.parts
        if isinstance(part, ToolCallPart) and part.call_id not in answered
    )
    note = NotePart(kind="restarted", text=INTERRUPTED_ANSWER_NOTE)
    return message.model_copy(
        update={"state": "stopped", "parts": (*message.parts, *results, note)}
    )


def _build_unknown_error(conversation_id: str) -> UnknownConversation:
    return UnknownConversation(
        f"no conversation has the id {conversation_id!r}; it may have been deleted; choose one from the list"
    )
