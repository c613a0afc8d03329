"""Stores manuals, their pages and their passages in `manuals.db`.

The index of a manual grows page by page. Each step is one transaction, which also contains where to continue,
so that a process that is killed leaves nothing half written. Only manuals that are complete are searched.
"""

import json
import logging
import re
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
from conductor.domain.manuals import MANUAL_SOURCE_PREFIX, Manual, ManualPage
from conductor.errors import InvalidParams, NotAvailable
from conductor.knowledge.embedder import Vectors
from conductor.knowledge.manuals.files import check_file, compute_digest, copy_file
from conductor.knowledge.manuals.passages import Carried, Passage
from conductor.knowledge.text import tokenize

log = logging.getLogger(__name__)

DATABASE_NAME = "manuals.db"
SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 20.0
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
_IS_UNFINISHED = "state IN ('waiting', 'indexing')"
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
    def transaction(self, *, writes: bool = False) -> Generator[sqlite3.Connection]:
        """Yield the connection. The changes of the block are written together, or none of them.

        With `writes`, no other process changes the database during the block.

        Raises:
            NotAvailable: The database cannot be used. The message says why.
        """
        with self._lock:
            try:
                connection = self._connect()
                with connection:
                    if writes:
                        # A block that reads first and asks for the lock afterwards fails without waiting
                        # if another process has written in between.
                        connection.execute("BEGIN IMMEDIATE")
                    yield connection
            except sqlite3.Error as error:
                raise NotAvailable(
                    describe_database_error(self.folder / DATABASE_NAME, error)
                ) from None

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            self._create_folder()
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

    def _create_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NotAvailable(
                f"the folder of your manuals, {self.folder}, cannot be created ({error.strerror});"
                " check its permissions and the free space"
            ) from None

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
        check_file(path, name)
        digest = compute_digest(path, name)
        if self.exists:
            with self.transaction() as database:
                _require_new_file(database, digest, name)
        self._create_folder()
        copy = copy_file(path, self.folder, name, digest)
        manual: Manual | None = None
        try:
            with self.transaction(writes=True) as database:
                # Checked again, because the same file may have been added during the copy.
                _require_new_file(database, digest, name)
                manual = _insert_manual(
                    database, name, copy.name, digest, copy.stat().st_size, added_at
                )
                (self.folder / UNFINISHED_MANUALS_FILE).touch()
        finally:
            if manual is None:
                copy.unlink(missing_ok=True)
        assert manual is not None
        return manual

    def remove_manual(self, manual_id: str) -> None:
        """Remove a manual, its passages and its file. If it is being indexed, this is cancelled.

        Raises:
            InvalidParams: There is no such manual.
        """
        with self.transaction(writes=True) as database:
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
        try:
            (self.folder / row["file"]).unlink(missing_ok=True)
        except OSError as error:  # on Windows, while the file is being read
            log.warning("%s cannot be deleted: %s", row["file"], error)

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
            raise InvalidParams(
                f"there is no manual {manual_id!r}; it was removed: add its file again"
            )
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
        if not self.exists:
            return False
        with self.transaction() as database:
            return _has_unfinished_manuals(database)

    def unmark_if_finished(self) -> None:
        """Delete the file that tells the next start of Conductor to continue, if nothing waits."""
        with self.transaction(writes=True) as database:
            if not _has_unfinished_manuals(database):
                (self.folder / UNFINISHED_MANUALS_FILE).unlink(missing_ok=True)

    def note_problem(self, problem: str) -> None:
        """Store why the manuals that wait cannot be indexed now. The next attempt clears it."""
        with self.transaction(writes=True) as database:
            query = f"UPDATE manuals SET problem = ? WHERE {_IS_UNFINISHED}"  # noqa: S608
            database.execute(query, (problem,))

    def forget_attempt(self) -> None:
        """Undo the count of an attempt that ended for a reason that is not in the file."""
        with self.transaction(writes=True) as database:
            database.execute("UPDATE manuals SET attempts = attempts - 1 WHERE state = 'indexing'")

    def begin_next_manual(self) -> OpenManual | None:
        """Return the manual to index next, or None if there is none. One that was begun comes first."""
        with self.transaction(writes=True) as database:
            row = database.execute(
                f"SELECT * FROM manuals WHERE {_IS_UNFINISHED}"  # noqa: S608
                " ORDER BY state = 'waiting', number LIMIT 1"
            ).fetchone()
            if row is None:
                return None
            database.execute(
                "UPDATE manuals SET state = 'indexing', problem = '', attempts = attempts + 1"
                " WHERE number = ?",
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
        with self.transaction(writes=True) as database:
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
        with self.transaction(writes=True) as database:
            database.execute(
                "UPDATE manuals SET state = 'ready', problem = ?, embedder = ? WHERE number = ?",
                (problem, embedder, number),
            )
            _increase_generation(database)

    def fail_manual(self, number: int, problem: str) -> None:
        """Store why a manual cannot be indexed, and drop what was indexed of it."""
        with self.transaction(writes=True) as database:
            _delete_passages(database, number)
            database.execute(
                "UPDATE manuals SET state = 'failed', problem = ?, done_pages = 0, chunks = 0, parameters = 0"
                " WHERE number = ?",
                (problem, number),
            )

    def reset_other_embedders(self, embedder: str) -> None:
        """Mark manuals for being indexed again if their vectors are of another language model."""
        with self.transaction(writes=True) as database:
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


def describe_database_error(path: Path, error: sqlite3.Error) -> str:
    """Return why the database of the manuals cannot be used, and what to do."""
    advice = {
        sqlite3.SQLITE_FULL: "free some space on the disk",
        sqlite3.SQLITE_BUSY: "another program uses it: close that program, or try again in a minute",
        sqlite3.SQLITE_CANTOPEN: "check the permissions of the file and the free space",
        sqlite3.SQLITE_READONLY: "check the permissions of the file",
        sqlite3.SQLITE_IOERR: "check the disk and the free space, and restart Conductor",
    }.get(
        # The low byte is the kind of the error, and the others are details of it.
        getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF,
        "restart Conductor; if that does not help, delete the file and add the manuals again",
    )
    return f"the index of your manuals, {path}, cannot be used ({error}); {advice}"


def _require_new_file(database: sqlite3.Connection, digest: str, name: str) -> None:
    row = database.execute("SELECT title FROM manuals WHERE hash = ?", (digest,)).fetchone()
    if row is not None:
        raise InvalidParams(f"{name} is already in your manuals, as {str(row['title'])!r}")


def _insert_manual(
    database: sqlite3.Connection, name: str, file: str, digest: str, size: int, added_at: str
) -> Manual:
    title = " ".join(Path(name).stem.replace("_", " ").split()) or name
    manual = Manual(
        id=_find_free_id(database, title),
        title=title,
        file_name=name,
        state="waiting",
        size_bytes=size,
        added_at=added_at,
    )
    database.execute(
        "INSERT INTO manuals(id, title, file_name, file, hash, size_bytes, added_at)"
        " VALUES(?,?,?,?,?,?,?)",
        (manual.id, title, name, file, digest, size, added_at),
    )
    return manual


def _has_unfinished_manuals(database: sqlite3.Connection) -> bool:
    query = f"SELECT 1 FROM manuals WHERE {_IS_UNFINISHED} LIMIT 1"  # noqa: S608
    return database.execute(query).fetchone() is not None


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
