"""Ranks texts that are not in the index, such as chat messages. Rankings by words and by meaning are combined
by rank.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from conductor.knowledge.embedder import Embedder, Vectors
from conductor.knowledge.lexical import Fields, index
from conductor.knowledge.text import words

KEPT = 6_000
"""The number of cached vectors, which take 9 MB."""
AT_ONCE = 100
"""The largest number of texts embedded by one search. Other texts are skipped unless they are cached."""
CHARACTERS = 400
"""The number of characters at the start of a text that are embedded."""
NEAR = 0.3
"""The smallest cosine similarity at which two texts count as similar in meaning."""
CONSTANT = 60
"""The constant of reciprocal rank fusion recommended by its authors."""


class Meanings:
    """A cache of embeddings by text. When the cache is full, the least recently used embedding is dropped."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
        self._lock = Lock()

    def of(self, texts: Sequence[str], embedder: Embedder) -> list[Vectors | None]:
        """Return the vector of each text, or None for a new text beyond the limit of one search."""
        with self._lock:
            remaining, found = AT_ONCE, list[Vectors | None]()
            for text in texts:
                key = (embedder.id, text)
                vector = self._kept.get(key)
                if vector is None and remaining:
                    remaining -= 1
                    vector = self._kept[key] = embedder.embed([text])[0]
                if vector is not None:
                    self._kept.move_to_end(key)
                found.append(vector)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return found


def fuse_rankings(orders: Sequence[Sequence[int]]) -> list[int]:
    """Combine several rankings of the same rows into one, best first."""
    scores: dict[int, float] = {}
    for order in orders:
        for place, row in enumerate(order):
            scores[row] = scores.get(row, 0.0) + 1 / (CONSTANT + place)
    return sorted(scores, key=lambda row: (-scores[row], row))


def by_words(query: str, texts: Sequence[str]) -> list[int]:
    """Rank short texts by the words of the query that they contain, and return their rows, best first."""
    scores = index([Fields([], [], [], words(text)) for text in texts]).scores(
        dict.fromkeys(words(query), 1.0)
    )
    return [int(row) for row in np.argsort(-scores, kind="stable") if scores[row] > 0]


def by_meaning(
    query: str, texts: Sequence[str], embedder: Embedder, meanings: Meanings
) -> list[int]:
    """Rank texts by their similarity in meaning to the query, and return the rows of similar texts, best
    first.
    """
    if not texts:
        return []
    target = embedder.embed([query])[0]
    known = meanings.of([text[:CHARACTERS] for text in texts], embedder)
    near = {row: float(vector @ target) for row, vector in enumerate(known) if vector is not None}
    return sorted((row for row in near if near[row] >= NEAR), key=lambda row: -near[row])
