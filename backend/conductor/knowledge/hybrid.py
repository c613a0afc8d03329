"""Ranks texts that are not in the index, such as chat messages, by words and by meaning, fused by rank."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from conductor.knowledge.embedder import Embedder, Vectors
from conductor.knowledge.lexical import Fields, index
from conductor.knowledge.text import words

KEPT = 6_000
"""The number of cached vectors; 9 MB."""
AT_ONCE = 100
"""The most texts that one search embeds; further ones must be cached."""
CHARACTERS = 400
"""The number of characters of a text that are embedded."""
NEAR = 0.3
"""The least cosine that counts as similar in meaning."""
CONSTANT = 60
"""The constant of reciprocal rank fusion, as its authors chose it."""


class Meanings:
    """A cache of embeddings by text, which drops the least recently used."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
        self._lock = Lock()

    def of(self, texts: Sequence[str], embedder: Embedder) -> list[Vectors | None]:
        """Return the vector of each text; None for uncached texts beyond the limit of one search."""
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
    """Return several rankings of rows fused into one, best first."""
    scores: dict[int, float] = {}
    for order in orders:
        for place, row in enumerate(order):
            scores[row] = scores.get(row, 0.0) + 1 / (CONSTANT + place)
    return sorted(scores, key=lambda row: (-scores[row], row))


def by_words(query: str, texts: Sequence[str]) -> list[int]:
    """Return the rows of short texts that have words of a query, best first."""
    scores = index([Fields([], [], [], words(text)) for text in texts]).scores(
        dict.fromkeys(words(query), 1.0)
    )
    return [int(row) for row in np.argsort(-scores, kind="stable") if scores[row] > 0]


def by_meaning(
    query: str, texts: Sequence[str], embedder: Embedder, meanings: Meanings
) -> list[int]:
    """Return the rows of texts that are similar in meaning to a query, best first."""
    if not texts:
        return []
    target = embedder.embed([query])[0]
    known = meanings.of([text[:CHARACTERS] for text in texts], embedder)
    near = {row: float(vector @ target) for row, vector in enumerate(known) if vector is not None}
    return sorted((row for row in near if near[row] >= NEAR), key=lambda row: -near[row])
