"""Searches the messages of earlier conversations by their words, and lists the latest messages."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlmodel import text

from conductor.domain.notes import Recollection
from conductor.storage.database import Database, retry_after_reopen
from conductor.storage.entries import build_fts_terms

MAX_FOUND_TEXT_LENGTH = 2_000
SELECT_FOUND_MESSAGES = """
SELECT w.words, m.role, m.created_at, c.conversation_id, c.title FROM {found}
JOIN chat_words AS w ON w.rowid = f.number
JOIN message AS m ON m.number = f.number
JOIN conversation AS c ON c.conversation_id = m.conversation_id
WHERE c.conversation_id IS NOT :present ORDER BY f.place
"""
SELECT_BY_WORDS = (
    "(SELECT rowid AS number, bm25(chat_words) AS place FROM chat_words"
    " WHERE chat_words MATCH :match AND conversation_id IS NOT :present ORDER BY place LIMIT :limit) AS f"
)
SELECT_LATEST_MESSAGES = (
    "(SELECT number, -number AS place FROM message WHERE state != 'streaming'"
    " AND conversation_id IS NOT :present ORDER BY number DESC LIMIT :limit) AS f"
)


class MessageSearch:
    """Full-text search in messages of earlier conversations, for the assistant's memory.

    Every method raises `NotAvailable` if the database cannot be used.
    """

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @retry_after_reopen
    def search_messages(self, query: str, current_id: str | None, limit: int) -> list[Recollection]:
        """Return messages with any word of the query, best match first, except those of the current
        conversation.
        """
        match = " OR ".join(build_fts_terms(query))
        return (
            self._build_recollections(SELECT_BY_WORDS, current_id, limit, match=match)
            if match
            else []
        )

    @retry_after_reopen
    def list_latest_messages(self, current_id: str | None, limit: int) -> list[Recollection]:
        """Return the latest messages, except those of the current conversation."""
        return self._build_recollections(SELECT_LATEST_MESSAGES, current_id, limit)

    def _build_recollections(
        self, selection: str, current_id: str | None, limit: int, **values: Any
    ) -> list[Recollection]:
        query = text(SELECT_FOUND_MESSAGES.format(found=selection))
        parameters = {"present": current_id, "limit": limit, **values}
        with self._database().read_session() as session:
            rows = session.connection().execute(query, parameters).all()
        return [
            Recollection(
                kind="conversation",
                id=row.conversation_id,
                title=row.title,
                at=datetime.fromtimestamp(row.created_at, UTC),
                who=row.role,
                text=row.words[:MAX_FOUND_TEXT_LENGTH],
            )
            for row in rows
        ]
