"""Reads and writes `knowledge.db`: the chunks, their vectors, the arrays of the word search and metadata.

A new version is written beside the old file and then replaces it in one step, so the file is never changed
in place. The same contents always give the same bytes.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from conductor.domain.knowledge import Chunk
from conductor.errors import NotAvailable
from conductor.knowledge.documents import compute_content_hash
from conductor.knowledge.embedder import VECTOR_DIMENSION_COUNT, Vectors
from conductor.knowledge.lexical import Lexicon

INDEX_SCHEMA_VERSION = "5"
FIXED_CREATION_TIME = "2020-02-02T00:00:00Z"
"""A fixed time, because the real time would change the file with every build.

`manifest.json` contains the real time.
"""
_CREATE_TABLES = """
CREATE TABLE knowledge_chunks(
  id TEXT PRIMARY KEY, domain TEXT NOT NULL, source TEXT NOT NULL, section_path TEXT NOT NULL,
  content TEXT NOT NULL,
  embedding BLOB NOT NULL, metadata TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  ask TEXT NOT NULL, tokens INTEGER NOT NULL, content_hash TEXT NOT NULL, layer TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX idx_chunks_domain ON knowledge_chunks(domain);
CREATE INDEX idx_chunks_source ON knowledge_chunks(source);
CREATE TABLE embeddings(id TEXT PRIMARY KEY, text_hash TEXT NOT NULL, vector BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE postings(name TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE chunks_fts USING fts5(title, path, ask, content, content='', tokenize='porter unicode61');
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_CHUNK_COLUMN_FIELDS = (
    "domain",
    "source",
    "section_path",
    "content",
    "ask",
    "tokens",
    "layer",
    "id",
)
"""The fields of a chunk that have a column of their own. The others are in the column `metadata`."""


@dataclass(frozen=True)
class IndexContents:
    """The contents of a knowledge database: chunks, vectors, the arrays of the word search, and metadata."""

    chunks: tuple[Chunk, ...]
    lexicon: Lexicon
    vector_ids: tuple[str, ...] = ()
    vectors: Vectors = field(
        default_factory=lambda: np.zeros((0, VECTOR_DIMENSION_COUNT), np.float32)
    )
    text_hashes: tuple[str, ...] = ()
    """The hash of the text of each vector, by which a later build recognises texts that have not changed."""
    meta: Mapping[str, str] = field(default_factory=dict[str, str])
    spelling: Mapping[str, int] = field(default_factory=dict[str, int])
    """Every word of the texts in its original spelling, with its frequency. The spelling correction uses it."""
    small_talk: Vectors = field(
        default_factory=lambda: np.zeros((0, VECTOR_DIMENSION_COUNT), np.float32)
    )
    """The vectors of the small-talk messages, which the query classifier compares with a message."""


def write_index(path: Path, contents: IndexContents) -> None:
    """Write a knowledge database. If this fails, an existing file remains unchanged.

    Raises:
        NotAvailable: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(partial)) as database:
            database.execute("PRAGMA journal_mode = OFF")
            database.executescript(_CREATE_TABLES)
            _insert_contents(database, contents)
            database.commit()
            database.execute("VACUUM")
        partial.replace(path)
    except sqlite3.Error as error:
        problem = f"the knowledge index {path} cannot be written ({error})"
        raise NotAvailable(
            f"{problem}; free some space and check that its folder is writable"
        ) from None
    finally:
        partial.unlink(missing_ok=True)


def _insert_contents(database: sqlite3.Connection, contents: IndexContents) -> None:
    vectors = dict(zip(contents.vector_ids, contents.vectors, strict=True))
    no_vector = np.zeros(0, "<f4")
    for row, chunk in enumerate(contents.chunks, 1):
        vector_data = vectors.get(chunk.id, no_vector).astype("<f4").tobytes()
        database.execute(
            f"INSERT INTO knowledge_chunks VALUES({','.join('?' * 13)})",
            _build_chunk_row(chunk, vector_data),
        )
        search_fields = (
            row,
            chunk.title,
            " > ".join(chunk.section_path),
            "\n".join(chunk.ask),
            chunk.content,
        )
        database.execute(
            "INSERT INTO chunks_fts(rowid, title, path, ask, content) VALUES(?,?,?,?,?)",
            search_fields,
        )
    embeddings = zip(contents.vector_ids, contents.text_hashes, contents.vectors, strict=True)
    database.executemany(
        "INSERT INTO embeddings VALUES(?,?,?)",
        (
            (vector_id, text_hash, vector.astype("<f2").tobytes())
            for vector_id, text_hash, vector in embeddings
        ),
    )
    database.executemany("INSERT INTO postings VALUES(?,?)", _serialize_lexicon(contents.lexicon))
    word_counts = "\n".join(f"{word} {count}" for word, count in sorted(contents.spelling.items()))
    database.execute("INSERT INTO postings VALUES(?,?)", ("spelling", word_counts.encode()))
    small_talk = contents.small_talk.astype("<f2").tobytes()
    database.execute("INSERT INTO postings VALUES(?,?)", ("small_talk", small_talk))
    database.executemany("INSERT INTO meta VALUES(?,?)", sorted(contents.meta.items()))


def _build_chunk_row(chunk: Chunk, vector: bytes) -> tuple[Any, ...]:
    other_fields = chunk.model_dump(mode="json", exclude=set(_CHUNK_COLUMN_FIELDS))
    return (
        chunk.id,
        chunk.domain,
        chunk.source,
        json.dumps(chunk.section_path, ensure_ascii=False),
        chunk.content,
        vector,
        json.dumps(other_fields, ensure_ascii=False, sort_keys=True),
        FIXED_CREATION_TIME,
        FIXED_CREATION_TIME,
        json.dumps(chunk.ask, ensure_ascii=False),
        chunk.tokens,
        compute_content_hash(chunk),
        chunk.layer,
    )


def _serialize_lexicon(lexicon: Lexicon) -> Iterable[tuple[str, bytes]]:
    yield "rows", lexicon.rows.astype("<i4").tobytes()
    yield "starts", lexicon.starts.astype("<i4").tobytes()
    yield "terms", "\n".join(lexicon.terms).encode()
    yield "weights", lexicon.weights.astype("<f4").tobytes()


def read_index(path: Path) -> IndexContents:
    """Return the contents of a knowledge database. No file is created beside it.

    Raises:
        NotAvailable: The file is missing, damaged or of another version. The message says how to build it.
    """
    if not path.is_file():
        raise NotAvailable("the knowledge index is not built; run `conductor knowledge build`")
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as database:
            return _read_contents(database)
    except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotAvailable(
            f"the knowledge index {path} is damaged ({error}); run `conductor knowledge build`"
        ) from None


def _read_contents(database: sqlite3.Connection) -> IndexContents:
    meta = dict(database.execute("SELECT key, value FROM meta"))
    if meta.get("schema") != INDEX_SCHEMA_VERSION:
        raise ValueError(f"its version is {meta.get('schema')}, not {INDEX_SCHEMA_VERSION}")
    chunks = tuple(_parse_chunk_row(row) for row in database.execute(_SELECT_CHUNKS))
    if len(chunks) != int(meta["chunks"]):
        raise ValueError(f"it contains {len(chunks)} of {meta['chunks']} chunks")
    embeddings = database.execute(
        "SELECT id, text_hash, vector FROM embeddings ORDER BY id"
    ).fetchall()
    arrays = dict(database.execute("SELECT name, data FROM postings"))
    return IndexContents(
        chunks=chunks,
        lexicon=_decode_lexicon(arrays, len(chunks)),
        vector_ids=tuple(row[0] for row in embeddings),
        vectors=_decode_vectors(b"".join(row[2] for row in embeddings)),
        text_hashes=tuple(row[1] for row in embeddings),
        meta=meta,
        spelling=_parse_word_frequencies(arrays["spelling"].decode()),
        small_talk=_decode_vectors(arrays["small_talk"]),
    )


def _decode_vectors(data: bytes) -> Vectors:
    numbers = np.frombuffer(data, "<f2").astype(np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("a vector contains a number that is not finite")
    return numbers.reshape(-1, VECTOR_DIMENSION_COUNT)


_SELECT_CHUNKS = """
SELECT id, domain, source, section_path, content, ask, tokens, layer, metadata FROM knowledge_chunks ORDER BY id
"""


def _parse_chunk_row(row: Sequence[Any]) -> Chunk:
    chunk_id, domain, source, path, content, questions, tokens, layer, other_fields = row
    return Chunk(
        id=chunk_id,
        domain=domain,
        source=source,
        section_path=tuple(json.loads(path)),
        content=content,
        ask=tuple(json.loads(questions)),
        tokens=tokens,
        layer=layer,
        **json.loads(other_fields),
    )


def _parse_word_frequencies(text: str) -> dict[str, int]:
    rows = (line.split(" ") for line in text.splitlines())
    return {word: int(count) for word, count in rows}


def _decode_lexicon(arrays: dict[str, bytes], chunks: int) -> Lexicon:
    terms = arrays["terms"].decode().split("\n") if arrays["terms"] else []
    return Lexicon(
        {term: at for at, term in enumerate(terms)},
        np.frombuffer(arrays["starts"], "<i4"),
        np.frombuffer(arrays["rows"], "<i4"),
        np.frombuffer(arrays["weights"], "<f4"),
        chunks,
    )
