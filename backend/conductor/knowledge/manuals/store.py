"""Stores manuals, their pages and their passages in `manuals.db`.

The index of a manual grows page by page. Each step is one transaction, which also contains where to continue,
so that a process that is killed leaves nothing half written. Only manuals that are complete are searched.
"""

import hashlib
import json
import re
import shutil
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from conductor.base.json_types import JsonObject
from conductor.base.resource_paths import UNFINISHED_MANUALS_FILE
from conductor.domain.manuals import MANUAL_SOURCE_PREFIX, MANUAL_SUFFIXES, Manual, ManualPage
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge.embedder import Vectors
from conductor.knowledge.manuals.passages import Carried, Passage
from conductor.knowledge.text import tokenize

DATABASE_NAME = "manuals.db"
SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 20.0
MAX_FILE_BYTES = 300_000_000
MAX_TEXT_FILE_BYTES = 20_000_000
MAX_ATTEMPTS = 3
"""How often indexing may be begun at the same page. More often, something on the page ends the process."""
_CREATE_TABLES = """
CREATE TABLE IF NOT EXISTS manuals(
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, title TEXT NOT NULL,
  file_name TEXT NOT NULL, file TEXT NOT NULL, hash TEXT UNIQUE NOT NULL,
  size_bytes INTEGER NOT NULL, added_at TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting', problem TEXT NOT NULL DEFAULT '', pages INTEGER NOT NULL DEFAULT 0,
  done_pages INTEGER NOT NULL DEFAULT 0, letters INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0, parameters INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0, carried TEXT NOT NULL DEFAULT '{}', embedder TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS pages(
  manual INTEGER NOT NULL, page INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(manual, page)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passages(
  number INTEGER PRIMARY KEY, manual INTEGER NOT NULL, page INTEGER NOT NULL, path TEXT NOT NULL,
  content TEXT NOT NULL, is_parameter INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS passages_of_manual ON passages(manual);
CREATE TABLE IF NOT EXISTS signatures(
  number INTEGER PRIMARY KEY, manual INTEGER NOT NULL, bits BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS signatures_of_manual ON signatures(manual);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(heading, body, tokenize="unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(words, 'row');
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO meta VALUES('generation', 0);
"""
_SELECT_MANUALS = """
SELECT id, title, file_name, state, problem, pages, done_pages, size_bytes, added_at, chunks, parameters
FROM manuals
"""


class OpenManual(NamedTuple):
    """A manual whose indexing continues."""

    number: int
    file: Path
    file_name: str
    title: str
    pages: int
    done_pages: int
    attempts: int
    carried: Carried


class NewPage(NamedTuple):
    """A page with its passages and their vectors."""

    page: int
    text: str
    passages: Sequence[Passage]
    vectors: Vectors


class ManualStore:
    """The database of the manuals and the folder with their files.

    All methods are safe to call from any thread, and several processes may use the same database.
    """

    def __init__(self, folder: Path) -> None:
        """Set the folder. It is created when the first manual is added."""
        self.folder = folder
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        """Whether a manual was ever added."""
        return (self.folder / DATABASE_NAME).is_file()

    @contextmanager
    def transaction(self) -> Generator[sqlite3.Connection]:
        """Yield the connection. The changes of the block are written together, or none of them.

        Raises:
            NotAvailable: The database cannot be used. The message says why.
        """
        with self._lock:
            try:
                connection = self._connect()
                with connection:
                    yield connection
            except sqlite3.Error as error:
                raise NotAvailable(
                    f"the index of your manuals, {self.folder / DATABASE_NAME}, cannot be used ({error});"
                    " free some space, or delete the file and add the manuals again"
                ) from None

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self.folder / DATABASE_NAME, timeout=BUSY_TIMEOUT_S, check_same_thread=False
            )
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_CREATE_TABLES)
            connection.commit()
            self._connection = connection
        return self._connection

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def add_file(self, path: Path, name: str, added_at: str) -> Manual:
        """Copy a file into the folder and add it to the manuals that wait for being indexed.

        Raises:
            InvalidParams: The file is of another kind, empty, too large or already there.
        """
        suffix = Path(name).suffix.lower()
        _check_file(path, name, suffix)
        with path.open("rb") as source:
            digest = hashlib.file_digest(source, "sha256").hexdigest()
        if (known := self._find_by_hash(digest)) is not None:
            raise InvalidParams(f"{name} is already in your manuals, as {known!r}")
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / UNFINISHED_MANUALS_FILE).touch()
        copy = self.folder / f"{digest[:16]}{suffix}"
        partial = copy.with_suffix(f"{suffix}.part")
        try:
            shutil.copyfile(path, partial)
            partial.replace(copy)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise NotAvailable(
                f"{name} cannot be copied to {self.folder} ({error.strerror}); free some space"
            ) from None
        title = " ".join(Path(name).stem.replace("_", " ").split()) or name
        with self.transaction() as database:
            manual_id = _find_free_id(database, title)
            database.execute(
                "INSERT INTO manuals(id, title, file_name, file, hash, size_bytes, added_at)"
                " VALUES(?,?,?,?,?,?,?)",
                (manual_id, title, name, copy.name, digest, path.stat().st_size, added_at),
            )
        return self.get_manual(manual_id)

    def _find_by_hash(self, digest: str) -> str | None:
        if not self.exists:
            return None
        with self.transaction() as database:
            row = database.execute("SELECT title FROM manuals WHERE hash = ?", (digest,)).fetchone()
        return None if row is None else str(row["title"])

    def remove_manual(self, manual_id: str) -> None:
        """Remove a manual, its passages and its file. If it is being indexed, this is cancelled.

        Raises:
            InvalidParams: There is no such manual.
        """
        with self.transaction() as database:
            row = database.execute(
                "SELECT number, file FROM manuals WHERE id = ?", (manual_id,)
            ).fetchone()
            if row is None:
                raise InvalidParams(
                    f"there is no manual {manual_id!r}; `conductor knowledge list` lists them"
                )
            _delete_passages(database, row["number"])
            database.execute("DELETE FROM manuals WHERE number = ?", (row["number"],))
            _increase_generation(database)
        (self.folder / row["file"]).unlink(missing_ok=True)

    def list_manuals(self) -> list[Manual]:
        """Return all manuals by their titles."""
        if not self.exists:
            return []
        with self.transaction() as database:
            rows = database.execute(
                f"{_SELECT_MANUALS} ORDER BY title COLLATE NOCASE, id"
            ).fetchall()
        return [Manual(**dict(row)) for row in rows]

    def get_manual(self, manual_id: str) -> Manual:
        """Return a manual.

        Raises:
            InvalidParams: There is no such manual.
        """
        found = [manual for manual in self.list_manuals() if manual.id == manual_id]
        if not found:
            raise InvalidParams(
                f"there is no manual {manual_id!r}; `conductor knowledge list` lists them"
            )
        return found[0]

    def get_file(self, manual_id: str) -> Path:
        """Return the copy of the file of a manual.

        Raises:
            InvalidParams: There is no such manual.
        """
        with self.transaction() as database:
            row = database.execute("SELECT file FROM manuals WHERE id = ?", (manual_id,)).fetchone()
        if row is None:
            raise InvalidParams(f"there is no manual {manual_id!r}; it was removed")
        return self.folder / str(row["file"])

    def read_page(self, manual_id: str, page: int) -> ManualPage:
        """Return the text of a page.

        Raises:
            InvalidParams: There is no such manual or page.
        """
        manual = self.get_manual(manual_id)
        with self.transaction() as database:
            row = database.execute(
                "SELECT text FROM pages JOIN manuals ON manual = number WHERE id = ? AND page = ?",
                (manual_id, page),
            ).fetchone()
        if row is None:
            raise InvalidParams(f"{manual.title} has no page {page}; it has {manual.pages} pages")
        return ManualPage(
            manual_id=manual_id,
            title=manual.title,
            page=page,
            pages=manual.pages,
            text=row["text"],
            is_pdf=manual.file_name.lower().endswith(".pdf"),
        )

    def has_unfinished_manuals(self) -> bool:
        """Return whether a manual waits for being indexed."""
        return any(manual.state in ("waiting", "indexing") for manual in self.list_manuals())

    def unmark_if_finished(self) -> None:
        """Delete the file that tells the next start of Conductor to continue, if nothing waits."""
        if not self.has_unfinished_manuals():
            (self.folder / UNFINISHED_MANUALS_FILE).unlink(missing_ok=True)

    def begin_next_manual(self) -> OpenManual | None:
        """Return the manual to index next, or None if there is none. One that was begun comes first."""
        with self.transaction() as database:
            row = database.execute(
                "SELECT * FROM manuals WHERE state IN ('waiting', 'indexing')"
                " ORDER BY state = 'waiting', number LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            database.execute(
                "UPDATE manuals SET state = 'indexing', attempts = attempts + 1 WHERE number = ?",
                (row["number"],),
            )
        carried: JsonObject = json.loads(row["carried"])
        carried["headings"] = [tuple(one) for one in carried.get("headings", ())]
        return OpenManual(
            row["number"],
            self.folder / row["file"],
            row["file_name"],
            row["title"],
            row["pages"],
            row["done_pages"],
            row["attempts"] + 1,
            Carried(**carried),
        )

    def append_pages(
        self, number: int, pages: Sequence[NewPage], carried: Carried, *, title: str, total: int
    ) -> bool:
        """Add the next pages of a manual. Return whether the manual still exists.

        Raises:
            NotAvailable: The database cannot be written.
        """
        letters = sum(sum(map(str.isalnum, page.text)) for page in pages)
        passages = [passage for page in pages for passage in page.passages]
        with self.transaction() as database:
            changed = database.execute(
                "UPDATE manuals SET done_pages = ?, pages = ?, letters = letters + ?, attempts = 0,"
                " chunks = chunks + ?, parameters = parameters + ?, carried = ?, title = ?"
                " WHERE number = ? AND state = 'indexing'",
                (
                    pages[-1].page,
                    total,
                    letters,
                    len(passages),
                    sum(passage.is_parameter for passage in passages),
                    json.dumps(asdict(carried)),
                    title,
                    number,
                ),
            ).rowcount
            if changed:
                for page in pages:
                    _insert_page(database, number, page)
        return bool(changed)

    def count_letters(self, number: int) -> int:
        """Return how many letters and digits the pages of a manual have so far."""
        with self.transaction() as database:
            row = database.execute(
                "SELECT letters FROM manuals WHERE number = ?", (number,)
            ).fetchone()
        return 0 if row is None else int(row["letters"])

    def finish_manual(self, number: int, embedder: str, problem: str = "") -> None:
        """Make a manual searchable. `problem` says what is missing in it."""
        with self.transaction() as database:
            database.execute(
                "UPDATE manuals SET state = 'ready', problem = ?, embedder = ? WHERE number = ?",
                (problem, embedder, number),
            )
            _increase_generation(database)

    def fail_manual(self, number: int, problem: str) -> None:
        """Store why a manual cannot be indexed, and drop what was indexed of it."""
        with self.transaction() as database:
            _delete_passages(database, number)
            database.execute(
                "UPDATE manuals SET state = 'failed', problem = ?, done_pages = 0, chunks = 0, parameters = 0"
                " WHERE number = ?",
                (problem, number),
            )

    def reset_other_embedders(self, embedder: str) -> None:
        """Mark manuals for being indexed again if their vectors are of another language model."""
        with self.transaction() as database:
            rows = database.execute(
                "SELECT number FROM manuals WHERE state = 'ready' AND embedder != ?", (embedder,)
            ).fetchall()
            for row in rows:
                _delete_passages(database, row["number"])
                database.execute(
                    "UPDATE manuals SET state = 'waiting', done_pages = 0, letters = 0, chunks = 0,"
                    " parameters = 0, carried = '{}', attempts = 0 WHERE number = ?",
                    (row["number"],),
                )
            if rows:
                _increase_generation(database)


def _check_file(path: Path, name: str, suffix: str) -> None:
    if suffix not in MANUAL_SUFFIXES:
        raise InvalidParams(
            f"{name} is no PDF, text, Markdown or HTML file; export the manual as one of these"
        )
    try:
        size = path.stat().st_size if path.is_file() else -1
    except OSError as error:
        raise InvalidParams(f"{name} cannot be read ({error.strerror})") from None
    if size < 0:
        raise InvalidParams(f"there is no file {path}; check the path")
    if size == 0:
        raise InvalidParams(f"{name} is empty")
    limit = MAX_FILE_BYTES if suffix == ".pdf" else MAX_TEXT_FILE_BYTES
    if size > limit:
        raise InvalidParams(
            f"{name} has {size / 1e6:.0f} MB, and the limit is {limit / 1e6:.0f} MB; split it"
        )


def _find_free_id(database: sqlite3.Connection, title: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "manual"
    free, number = f"{MANUAL_SOURCE_PREFIX}{slug}", 2
    while database.execute("SELECT 1 FROM manuals WHERE id = ?", (free,)).fetchone():
        free, number = f"{MANUAL_SOURCE_PREFIX}{slug}-{number}", number + 1
    return free


def _insert_page(database: sqlite3.Connection, number: int, page: NewPage) -> None:
    database.execute("INSERT INTO pages VALUES(?,?,?)", (number, page.page, page.text))
    for passage, vector in zip(page.passages, page.vectors, strict=True):
        row = database.execute(
            "INSERT INTO passages(manual, page, path, content, is_parameter, vector) VALUES(?,?,?,?,?,?)",
            (
                number,
                page.page,
                json.dumps(passage.path, ensure_ascii=False),
                passage.content,
                passage.is_parameter,
                vector.astype("<f2").tobytes(),
            ),
        ).lastrowid
        database.execute(
            "INSERT INTO signatures VALUES(?,?,?)", (row, number, compute_signature(vector))
        )
        database.execute(
            "INSERT INTO words(rowid, heading, body) VALUES(?,?,?)",
            (row, " ".join(tokenize(" ".join(passage.path))), " ".join(tokenize(passage.content))),
        )


def compute_signature(vector: Vectors) -> bytes:
    """Return the signs of the numbers of a vector as bits.

    The nearer two vectors are, the fewer of these bits differ.
    """
    return np.packbits(vector > 0).tobytes()


def _delete_passages(database: sqlite3.Connection, number: int) -> None:
    database.execute(
        "DELETE FROM words WHERE rowid IN (SELECT number FROM passages WHERE manual = ?)", (number,)
    )
    for table in ("passages", "signatures", "pages"):
        database.execute(f"DELETE FROM {table} WHERE manual = ?", (number,))  # noqa: S608


def _increase_generation(database: sqlite3.Connection) -> None:
    database.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
