"""Caches the answers of a hub for a day, so that the same request is not sent twice."""

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from conductor.domain.knowledge import Chunk

log = logging.getLogger(__name__)

MAX_ANSWER_AGE_S = 24 * 3600
MAX_CACHED_ANSWERS = 500
_CREATE_ANSWERS_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers"
    "(key TEXT PRIMARY KEY, at REAL NOT NULL, chunks TEXT NOT NULL)"
)
_CHUNKS_ADAPTER = TypeAdapter(tuple[Chunk, ...])


class HubCache:
    """A cache of answers in a file that can be deleted at any time.

    Its keys are hashes of requests, so the user's text is not in it.
    """

    def __init__(self, file: Path, now: Callable[[], float] = time.time) -> None:
        self._file = file
        self._now = now

    def get_answer(self, key: str) -> tuple[Chunk, ...] | None:
        """Return the cached answer to a request, or None if there is none or it is too old."""
        found = self._read_answers(
            "SELECT chunks FROM answers WHERE key = ? AND at BETWEEN ? AND ?", key
        )
        return found[0] if found else None

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """Return a text in any cached answer by its id, or None."""
        rows = self._read_answers(
            "SELECT chunks FROM answers WHERE ? != '' AND at BETWEEN ? AND ?", chunk_id
        )
        return next((chunk for row in rows for chunk in row if chunk.id == chunk_id), None)

    def save_answer(self, key: str, chunks: Sequence[Chunk]) -> None:
        """Keep the answer to a request for a day."""
        text = json.dumps([chunk.model_dump(mode="json") for chunk in chunks])
        try:
            self._write_answer(key, text)
        except sqlite3.DatabaseError as error:  # a damaged cache is deleted and created again
            log.warning(
                "the cache of the hub %s is damaged and is created again: %s", self._file, error
            )
            self._file.unlink(missing_ok=True)

    def _write_answer(self, key: str, text: str) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(_CREATE_ANSWERS_TABLE)
            database.execute(
                "DELETE FROM answers WHERE at NOT BETWEEN ? AND ?", self._compute_valid_time_range()
            )
            row = (key, self._now(), text)
            database.execute("INSERT OR REPLACE INTO answers VALUES(?, ?, ?)", row)
            newest = "SELECT key FROM answers ORDER BY at DESC LIMIT ?"
            delete_others = f"DELETE FROM answers WHERE key NOT IN ({newest})"  # noqa: S608 -- the text contains no input
            database.execute(delete_others, (MAX_CACHED_ANSWERS,))

    def _read_answers(self, query: str, value: str) -> list[tuple[Chunk, ...]]:
        if not self._file.is_file():
            return []
        try:
            with closing(sqlite3.connect(self._file)) as database:
                rows = database.execute(
                    query, (value, *self._compute_valid_time_range())
                ).fetchall()
            return [_CHUNKS_ADAPTER.validate_json(row[0]) for row in rows]
        except (sqlite3.Error, ValidationError) as error:
            log.warning("the cache of the hub %s cannot be read: %s", self._file, error)
            return []

    def _compute_valid_time_range(self) -> tuple[float, float]:
        return self._now() - MAX_ANSWER_AGE_S, self._now()
