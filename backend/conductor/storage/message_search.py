"""What was said in past conversations, for recall: by the words in it, and the latest."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlmodel import text

from conductor.domain.notes import Recollection
from conductor.storage.database import Database, done_again_if_renewed
from conductor.storage.entries import words_asked

CHARACTERS = 2_000
SAID = """
SELECT w.words, m.role, m.created_at, c.conversation_id, c.title FROM {found}
JOIN chat_words AS w ON w.rowid = f.number
JOIN message AS m ON m.number = f.number
JOIN conversation AS c ON c.conversation_id = m.conversation_id
WHERE c.conversation_id IS NOT :present ORDER BY f.place
"""
BY_WORDS = (
    "(SELECT rowid AS number, bm25(chat_words) AS place FROM chat_words"
    " WHERE chat_words MATCH :match AND conversation_id IS NOT :present ORDER BY place LIMIT :limit) AS f"
)
LATEST = (
    "(SELECT number, -number AS place FROM message WHERE state != 'streaming'"
    " AND conversation_id IS NOT :present ORDER BY number DESC LIMIT :limit) AS f"
)


class MessageSearch:
    """Every method raises NotAvailable when the database cannot be used."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database

    @done_again_if_renewed
    def with_words(self, query: str, present: str | None, limit: int) -> list[Recollection]:
        """Return messages with any word of a query, best first, except those of the current conversation."""
        match = " OR ".join(words_asked(query))
        return self._said(BY_WORDS, present, limit, match=match) if match else []

    @done_again_if_renewed
    def latest(self, present: str | None, limit: int) -> list[Recollection]:
        """Return the latest messages, but none of the present conversation."""
        return self._said(LATEST, present, limit)

    def _said(
        self, found: str, present: str | None, limit: int, **values: Any
    ) -> list[Recollection]:
        query = text(SAID.format(found=found))
        given = {"present": present, "limit": limit, **values}
        with self._database().reading() as session:
            rows = session.connection().execute(query, given).all()
        return [
            Recollection(
                kind="conversation",
                id=row.conversation_id,
                title=row.title,
                at=datetime.fromtimestamp(row.created_at, UTC),
                who=row.role,
                text=row.words[:CHARACTERS],
            )
            for row in rows
        ]
