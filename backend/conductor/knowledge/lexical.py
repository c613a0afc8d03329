"""Searches by words with BM25F over the title, the headings, the questions and the text.

The weights are computed in advance.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from conductor.domain.knowledge import Chunk
from conductor.knowledge.text import tokenize

BM25_K1, BM25_B = 1.2, 0.6
TITLE_FIELD_WEIGHT, HEADINGS_FIELD_WEIGHT, QUESTIONS_FIELD_WEIGHT, BODY_FIELD_WEIGHT = (
    3.0,
    1.0,
    2.0,
    1.0,
)
FloatArray = NDArray[np.float32]


class FieldWords(NamedTuple):
    """The words of a chunk, by the field that contains them."""

    title: list[str]
    path: list[str]
    ask: list[str]
    body: list[str]


def extract_field_words(chunk: Chunk) -> FieldWords:
    """Return the words of a chunk, by the field that contains them."""
    above = [chunk.source_title, *chunk.section_path[:-1], chunk.platform or ""]
    return FieldWords(
        tokenize(chunk.title),
        tokenize(" ".join(above)),
        tokenize(" ".join(chunk.ask)),
        tokenize(chunk.content),
    )


@dataclass(frozen=True)
class Lexicon:
    """An inverted index for the search by words, which maps each term to the chunks that contain it and
    its weight in each chunk.
    """

    terms: dict[str, int]
    starts: NDArray[np.int32]
    rows: NDArray[np.int32]
    weights: FloatArray
    chunks: int

    def score_chunks(self, query: Mapping[str, float]) -> FloatArray:
        """Return the score of each chunk for a query, whose terms have weights."""
        total = np.zeros(self.chunks, np.float32)
        for term, weight in query.items():
            rows, weights = self.find_postings(term)
            total[rows] += weight * weights
        return total

    def find_postings(self, term: str) -> tuple[NDArray[np.int32], FloatArray]:
        """Return the rows of the chunks that contain a term, and the weight of the term in each of them."""
        at = self.terms.get(term)
        if at is None:
            return self.rows[:0], self.weights[:0]
        part = slice(self.starts[at], self.starts[at + 1])
        return self.rows[part], self.weights[part]

    def contains_term(self, row: int, term: str) -> bool:
        """Return whether the chunk in a row contains a term."""
        rows, _ = self.find_postings(term)
        at = int(np.searchsorted(rows, row))
        return at < len(rows) and int(rows[at]) == row

    def compute_term_rarity(self, term: str) -> float:
        """Return the inverse document frequency of a term. It is highest for a term that no chunk contains."""
        return _compute_inverse_document_frequency(len(self.find_postings(term)[0]), self.chunks)

    def compute_term_coverage(self, row: int, terms: Mapping[str, float]) -> float:
        """Return the share of the terms that a chunk contains, from 0 to 1. Rare terms weigh more."""
        weights = {term: weight * self.compute_term_rarity(term) for term, weight in terms.items()}
        covered = sum(weight for term, weight in weights.items() if self.contains_term(row, term))
        return covered / (sum(weights.values()) or 1.0)


def build_lexicon(chunks: Sequence[Chunk]) -> Lexicon:
    """Build the inverted index of chunks. Its rows are in the order of the chunks."""
    return build_lexicon_of_texts([extract_field_words(chunk) for chunk in chunks])


def build_lexicon_of_texts(texts: Sequence[FieldWords]) -> Lexicon:
    """Build the inverted index of plain texts. Its rows are in the order of the texts."""
    counted = [_count_weighted_words(text) for text in texts]
    lengths = np.array([sum(each.values()) for each in counted], np.float32)
    mean = float(lengths.mean()) or 1.0 if len(lengths) else 1.0
    postings: dict[str, list[tuple[int, float]]] = {}
    for row, frequencies in enumerate(counted):
        room = BM25_K1 * (1 - BM25_B + BM25_B * float(lengths[row]) / mean)
        for term, frequency in frequencies.items():
            postings.setdefault(term, []).append(
                (row, frequency * (BM25_K1 + 1) / (frequency + room))
            )
    return _build_packed_lexicon(postings, len(texts))


def _count_weighted_words(found: FieldWords) -> Counter[str]:
    total: Counter[str] = Counter()
    for part, weight in zip(
        found,
        (TITLE_FIELD_WEIGHT, HEADINGS_FIELD_WEIGHT, QUESTIONS_FIELD_WEIGHT, BODY_FIELD_WEIGHT),
        strict=True,
    ):
        for word in part:
            total[word] += weight  # type: ignore[assignment]
    return total


def _build_packed_lexicon(postings: dict[str, list[tuple[int, float]]], chunks: int) -> Lexicon:
    terms = sorted(postings)
    starts = np.zeros(len(terms) + 1, np.int32)
    starts[1:] = np.cumsum([len(postings[term]) for term in terms])
    rows = np.array([row for term in terms for row, _ in postings[term]], np.int32)
    weights = np.array(
        [
            weight * _compute_inverse_document_frequency(len(postings[term]), chunks)
            for term in terms
            for _, weight in postings[term]
        ],
        np.float32,
    )
    return Lexicon({term: at for at, term in enumerate(terms)}, starts, rows, weights, chunks)


def _compute_inverse_document_frequency(chunks_with_term: int, chunks: int) -> float:
    return float(np.log1p((chunks - chunks_with_term + 0.5) / (chunks_with_term + 0.5)))
