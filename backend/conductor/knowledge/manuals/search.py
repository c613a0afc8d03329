"""Searches the passages of manuals by words and by meaning.

FTS5 suggests the passages that share rare words with the message, and the signs of the vectors those that are
near in meaning. Only these few hundred passages are compared exactly, so a search takes about as long with a
hundred manuals as with one (docs/adr/0035).
"""

import json
import re
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conductor.domain.knowledge import Chunk
from conductor.errors import NotAvailable
from conductor.knowledge.embedder import (
    VECTOR_DIMENSION_COUNT,
    Vectors,
    compute_cosine_similarities,
)
from conductor.knowledge.manuals.store import (
    BUSY_TIMEOUT_S,
    DATABASE_NAME,
    compute_signature,
    describe_database_error,
)
from conductor.knowledge.text import estimate_tokens, tokenize
from conductor.knowledge.typos import is_misspelling

WORD_CANDIDATE_COUNT = 200
MEANING_CANDIDATE_COUNT = 400
"""Of 100,000 passages, these contain 99 % of the ten nearest."""
MAX_WORD_ROWS = 20_000
"""Words are searched from the rarest on, until so many passages contain them.

More common words take long and distinguish nothing; they still count when the candidates are compared.
"""
CACHE_KIB = 8_000
BM25_K1, BM25_B, HEADING_WEIGHT = 1.2, 0.6, 2.0
MEAN_PASSAGE_WORDS = 90.0
PARAMETER_FACTOR = 1.15
"""The factor for a parameter, which answers a question about a number in one row."""
NAMED_FACTOR, OTHER_FACTOR, COMMON_NAME_FACTOR = 1.5, 0.5, 1.15
"""The factors for the manual whose name is in the message, for the other ones then, and for a manual whose
name is an everyday word, if no other name is in the message.
"""
_GENERIC_NAME_WORDS = frozenset(
    tokenize(
        "manual user users owner owners guide reference handbook instructions quick start midi en de fr"
        " english deutsch bedienungsanleitung handbuch mode emploi version v rev revision pdf mk final web"
        " implementation chart operation operating full complete the synthesizer synthesiser controller"
    )
)
_YEAR_OR_VERSION = re.compile(r"^(\d|v\d|19\d\d|20\d\d|[a-z]|\d+\.\d.*|\d{5,})$")


class ManualNames(NamedTuple):
    """The words in the name of a manual by which a message may name it."""

    number: int
    source: str
    title: str
    words: frozenset[str]
    """All words of the title and of the file name that are not generic."""
    title_words: frozenset[str]


@dataclass(frozen=True)
class FoundPassage:
    """A passage that may answer a message, with its scores."""

    row: sqlite3.Row
    manual: ManualNames
    words: float
    """The word score, which is comparable with those of other passages."""
    dense: float
    coverage: float
    """The share of the words of the message that the passage contains, from 0 to 1. Rare words weigh more."""
    factor: float
    matched: tuple[str, ...]
    is_named: bool
    """Whether the message names the manual."""

    @property
    def table(self) -> tuple[int, int, str] | None:
        """The manual, the page and the headings of the table if this is one of its rows."""
        if not self.row["is_parameter"]:
            return None
        return self.row["manual"], self.row["page"], "|".join(json.loads(self.row["path"])[:-1])

    def build_chunk(self) -> Chunk:
        """Return the passage as a chunk, which is needed for the best ones only."""
        return _build_chunk(self.row, self.manual)


@dataclass(frozen=True)
class _Loaded:
    """What is kept in memory: the names of the manuals and the signs of all vectors."""

    generation: int
    manuals: Mapping[int, ManualNames]
    numbers: NDArray[np.int64]
    owners: NDArray[np.int32]
    signatures: NDArray[np.uint64]


class ManualSearch:
    """Searches `manuals.db`. All methods are safe to call from any thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / DATABASE_NAME
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._loaded: _Loaded | None = None

    def close(self) -> None:
        """Close the database and drop what is in memory."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._loaded = None, None

    @contextmanager
    def _read_database(self) -> Generator[None]:
        """Hold the lock, and explain errors of the database. After one, it is opened again."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                self._drop()
                raise NotAvailable(describe_database_error(self._path, error)) from None

    def find_passages(
        self,
        text: str,
        terms: Mapping[str, float],
        vector: Vectors | None,
        hidden_sources: Sequence[str] = (),
        is_common_word: Callable[[str], bool] = bool,
    ) -> list[FoundPassage]:
        """Return the passages that may answer a message, with their scores, in no order.

        `terms` are the weighted words of the message with their synonyms. `is_common_word` tells everyday
        words from names.

        Raises:
            NotAvailable: The database cannot be read. The message says what to do.
        """
        with self._read_database():
            loaded = self._load()
            if loaded is None or not len(loaded.numbers):
                return []
            assert self._connection is not None
            named = _find_named_manuals(text, loaded.manuals.values(), is_common_word)
            all_names = {word for one in loaded.manuals.values() for word in one.title_words}
            searched = {word: weight for word, weight in terms.items() if word not in all_names}
            allowed = [n for n, one in loaded.manuals.items() if one.source not in hidden_sources]
            only = {number for number, strong in named.items() if strong and number in allowed}
            rarity = self._read_rarity(self._connection, terms, len(loaded.numbers))
            rows = _find_by_words(self._connection, searched or terms, rarity, only)
            rows |= _find_by_meaning(loaded, vector, only or set(allowed))
            passages = _read_passages(self._connection, rows, set(allowed))
        return _compare(passages, searched or terms, rarity, vector, loaded.manuals, named)

    def remove_names(self, text: str, is_common_word: Callable[[str], bool]) -> str:
        """Return a message without the names of manuals that are no everyday words.

        The model does not know these names, so they would only move the vector of the message.

        Raises:
            NotAvailable: The database cannot be read. The message says what to do.
        """
        with self._read_database():
            loaded = self._load()
        names = _RareNames(() if loaded is None else loaded.manuals.values(), is_common_word)

        def is_name(word: str) -> bool:
            return not is_common_word(word) and bool(names.find_similar(word))

        def remove_name(found: re.Match[str]) -> str:
            words = tokenize(found[0])
            return "" if words and all(map(is_name, words)) else found[0]

        rest = re.sub(r"\w+", remove_name, text)
        return rest if any(map(str.isalnum, rest)) else text

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """Return a passage by the id of its chunk, or None if it does not exist.

        Raises:
            NotAvailable: The database cannot be read. The message says what to do.
        """
        source, _, place = chunk_id.partition("#")
        number = place.rpartition("-")[2]
        with self._read_database():
            loaded = self._load()
            if loaded is None or not number.isdigit():
                return None
            assert self._connection is not None
            found = _read_passages(self._connection, {int(number)}, set(loaded.manuals))
        chunks = [_build_chunk(row, loaded.manuals[row["manual"]]) for row in found]
        return next((chunk for chunk in chunks if chunk.source == source), None)

    def _load(self) -> _Loaded | None:
        if self._connection is None:
            if not self._path.is_file():
                return None
            self._connection = sqlite3.connect(
                self._path, timeout=BUSY_TIMEOUT_S, check_same_thread=False, isolation_level=None
            )
            self._connection.row_factory = sqlite3.Row
            self._connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            self._connection.execute("PRAGMA query_only = ON")
        try:
            row = self._connection.execute(
                "SELECT value FROM meta WHERE key = 'generation'"
            ).fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return None  # being created
        if self._loaded is None or self._loaded.generation != row["value"]:
            self._loaded = _read_loaded(self._connection, row["value"])
        return self._loaded

    def _read_rarity(
        self, connection: sqlite3.Connection, terms: Mapping[str, float], total: int
    ) -> dict[str, tuple[float, int]]:
        """Return the inverse document frequency of each word, and in how many passages it is."""
        found: dict[str, tuple[float, int]] = {}
        for term in terms:
            row = connection.execute(
                "SELECT doc FROM vocabulary WHERE term = ?", (term,)
            ).fetchone()
            count = 0 if row is None else int(row["doc"])
            found[term] = (float(np.log1p((total - count + 0.5) / (count + 0.5))), count)
        return found


def _read_loaded(connection: sqlite3.Connection, generation: int) -> _Loaded:
    manuals = {
        row["number"]: _build_names(row)
        for row in connection.execute("SELECT * FROM manuals WHERE state = 'ready'")
    }
    numbers: list[int] = []
    owners: list[int] = []
    bits = bytearray()
    for row in connection.execute("SELECT number, manual, bits FROM signatures"):
        if row["manual"] in manuals:
            numbers.append(row["number"])
            owners.append(row["manual"])
            bits += row["bits"]
    return _Loaded(
        generation,
        manuals,
        np.array(numbers, np.int64),
        np.array(owners, np.int32),
        np.frombuffer(bytes(bits), np.uint64).reshape(-1, VECTOR_DIMENSION_COUNT // 64),
    )


def _build_names(row: sqlite3.Row) -> ManualNames:
    words = frozenset(
        word
        for word in tokenize(f"{row['title']} {Path(row['file_name']).stem.replace('_', ' ')}")
        if word not in _GENERIC_NAME_WORDS and not _YEAR_OR_VERSION.match(word)
    )
    title = frozenset(tokenize(row["title"])) & words
    return ManualNames(row["number"], row["id"], row["title"], words, title or words)


def _find_named_manuals(
    text: str, manuals: Iterable[ManualNames], is_common_word: Callable[[str], bool]
) -> dict[int, bool]:
    """Return the manuals that a message names, and whether the name is certain.

    It is certain if the name is no everyday word, or if it is written like a name. Only names that are no
    everyday words are recognised in spite of a typing error, if no other name is in the message.
    """
    words = set(tokenize(text))
    capitals = {
        token
        for found in re.finditer(r"(?<!^)(?<![.?!] )\b[A-Z][\w-]*", text)
        for token in tokenize(found[0])
    }
    rare = {word for word in words if not is_common_word(word)}
    manuals = tuple(manuals)
    found = {
        one.number: bool(one.words & (rare | capitals)) for one in manuals if one.words & words
    }
    if any(found.values()):
        return found
    rare_names = _RareNames(manuals, is_common_word)
    meant = {name for word in rare for name in rare_names.find_similar(word)}
    return found | {one.number: True for one in manuals if one.title_words & meant}


class _RareNames:
    """The words in the titles of manuals that are no everyday words, by their first letter."""

    def __init__(
        self, manuals: Iterable[ManualNames], is_common_word: Callable[[str], bool]
    ) -> None:
        self._names: dict[str, set[str]] = {}
        for name in {name for one in manuals for name in one.title_words}:
            if not is_common_word(name):
                self._names.setdefault(name[0], set()).add(name)

    def find_similar(self, word: str) -> list[str]:
        """Return the names that a word is, or that it misspells."""
        names = self._names.get(word[0], set())
        return [word] if word in names else [name for name in names if is_misspelling(word, name)]


def _find_by_words(
    connection: sqlite3.Connection,
    terms: Mapping[str, float],
    rarity: Mapping[str, tuple[float, int]],
    only: set[int],
) -> set[int]:
    chosen: list[str] = []
    rows = 0
    for term in sorted(terms, key=lambda one: rarity[one][1]):
        if not rarity[term][1] or (chosen and rows + rarity[term][1] > MAX_WORD_ROWS):
            continue
        chosen.append(term)
        rows += rarity[term][1]
    if not chosen:
        return set()
    match = " OR ".join(f'"{term}"' for term in chosen if '"' not in term)
    found = {
        int(row["rowid"])
        for row in connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 2.0, 1.0) LIMIT ?",
            (match, WORD_CANDIDATE_COUNT),
        )
    }
    if only:
        found |= {
            int(row["rowid"])
            for row in connection.execute(
                "SELECT words.rowid FROM words JOIN passages ON passages.number = words.rowid"
                " WHERE words MATCH ? AND manual IN (SELECT value FROM json_each(?))"
                " ORDER BY bm25(words, 2.0, 1.0) LIMIT ?",
                (match, json.dumps(sorted(only)), WORD_CANDIDATE_COUNT),
            )
        }
    return found


def _find_by_meaning(loaded: _Loaded, vector: Vectors | None, allowed: set[int]) -> set[int]:
    """Return the passages whose vectors have the most signs in common with a vector."""
    if vector is None:
        return set()
    wanted = np.frombuffer(compute_signature(vector), np.uint64)
    distances = np.bitwise_count(loaded.signatures ^ wanted).sum(axis=1, dtype=np.int32)
    if len(allowed) < len(loaded.manuals):
        distances[~np.isin(loaded.owners, list(allowed))] = VECTOR_DIMENSION_COUNT
    count = min(MEANING_CANDIDATE_COUNT, len(distances))
    nearest = np.argpartition(distances, count - 1)[:count]
    return set(loaded.numbers[nearest].tolist())


def _read_passages(
    connection: sqlite3.Connection, rows: set[int], allowed: set[int]
) -> list[sqlite3.Row]:
    found = connection.execute(
        "SELECT passages.*, heading, body FROM passages JOIN words ON words.rowid = number"
        " WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(rows)),),
    )
    return [row for row in found if row["manual"] in allowed]


def _compare(
    rows: Sequence[sqlite3.Row],
    terms: Mapping[str, float],
    rarity: Mapping[str, tuple[float, int]],
    vector: Vectors | None,
    manuals: Mapping[int, ManualNames],
    named: Mapping[int, bool],
) -> list[FoundPassage]:
    if not rows:
        return []
    if vector is None:
        cosines = np.zeros(len(rows), np.float32)
    else:
        vectors = np.frombuffer(b"".join(row["vector"] for row in rows), "<f2").astype(np.float32)
        cosines = compute_cosine_similarities(vectors.reshape(len(rows), -1), vector)
    total = sum(weight * rarity[term][0] for term, weight in terms.items()) or 1.0
    is_certain = any(named.values())
    found: list[FoundPassage] = []
    weights = {term: weight * rarity[term][0] for term, weight in terms.items()}
    for row, cosine in zip(rows, cosines.tolist(), strict=True):
        heading, body = f" {row['heading']} ", f" {row['body']} "
        counts = {
            term: HEADING_WEIGHT * heading.count(f" {term} ") + body.count(f" {term} ")
            for term in terms
        }
        room = BM25_K1 * (1 - BM25_B + BM25_B * body.count(" ") / MEAN_PASSAGE_WORDS)
        matched = tuple(term for term in terms if counts[term])
        factor = PARAMETER_FACTOR if row["is_parameter"] else 1.0
        if named.get(row["manual"], False):
            factor *= NAMED_FACTOR
        elif is_certain:
            factor *= OTHER_FACTOR
        elif row["manual"] in named:
            factor *= COMMON_NAME_FACTOR
        found.append(
            FoundPassage(
                row=row,
                manual=manuals[row["manual"]],
                words=sum(
                    weights[term] * counts[term] * (BM25_K1 + 1) / (counts[term] + room)
                    for term in matched
                ),
                dense=cosine,
                coverage=sum(weights[term] for term in matched) / total,
                factor=factor,
                matched=matched,
                is_named=named.get(row["manual"], False),
            )
        )
    return found


def _build_chunk(row: sqlite3.Row, manual: ManualNames) -> Chunk:
    path: list[str] = json.loads(row["path"])
    if path[:1] == [manual.title]:  # the heading on the first page
        path = path[1:]
    return Chunk(
        id=f"{manual.source}#p{row['page']}-{row['number']}",
        domain="manual",
        source=manual.source,
        source_title=manual.title,
        section_path=(manual.title, *path),
        content=row["content"],
        reference=f"{manual.title}, page {row['page']}",
        tokens=estimate_tokens(row["content"]),
        own=True,
        page=row["page"],
    )
