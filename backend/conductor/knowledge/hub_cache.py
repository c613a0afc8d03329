"""What a Hub answered within the last day, so that the same is not asked again."""

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

KEPT_S = 24 * 3600
MOST = 500
_TABLE = "CREATE TABLE IF NOT EXISTS answers(key TEXT PRIMARY KEY, at REAL NOT NULL, chunks TEXT NOT NULL)"
_CHUNKS = TypeAdapter(tuple[Chunk, ...])


class HubCache:
    """A file that may go away at any time. Keys are hashes of what was asked, never what the user wrote."""

    def __init__(self, file: Path, now: Callable[[], float] = time.time) -> None:
        self._file = file
        self._now = now

    def answer(self, key: str) -> tuple[Chunk, ...] | None:
        """Return what was answered; None when that is not known, or too long ago."""
        found = self._rows("SELECT chunks FROM answers WHERE key = ? AND at BETWEEN ? AND ?", key)
        return found[0] if found else None

    def chunk(self, one: str) -> Chunk | None:
        """Return a text of an answer by its id."""
        rows = self._rows("SELECT chunks FROM answers WHERE ? != '' AND at BETWEEN ? AND ?", one)
        return next((chunk for row in rows for chunk in row if chunk.id == one), None)

    def keep(self, key: str, chunks: Sequence[Chunk]) -> None:
        """Keep an answer for a day."""
        text = json.dumps([chunk.model_dump(mode="json") for chunk in chunks])
        try:
            self._keep(key, text)
        except sqlite3.DatabaseError as error:  # damaged: a cache may begin anew
            log.warning("%s is made anew: %s", self._file, error)
            self._file.unlink(missing_ok=True)

    def _keep(self, key: str, text: str) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._file)) as database, database:
            database.execute(_TABLE)
            database.execute("DELETE FROM answers WHERE at NOT BETWEEN ? AND ?", self._span())
            row = (key, self._now(), text)
            database.execute("INSERT OR REPLACE INTO answers VALUES(?, ?, ?)", row)
            newest = "SELECT key FROM answers ORDER BY at DESC LIMIT ?"
            database.execute(f"DELETE FROM answers WHERE key NOT IN ({newest})", (MOST,))  # noqa: S608 -- our own words

    def _rows(self, query: str, value: str) -> list[tuple[Chunk, ...]]:
        if not self._file.is_file():
            return []
        try:
            with closing(sqlite3.connect(self._file)) as database:
                rows = database.execute(query, (value, *self._span())).fetchall()
            return [_CHUNKS.validate_json(row[0]) for row in rows]
        except (sqlite3.Error, ValidationError) as error:
            log.warning("%s cannot be read: %s", self._file, error)
            return []

    def _span(self) -> tuple[float, float]:
        return self._now() - KEPT_S, self._now()
