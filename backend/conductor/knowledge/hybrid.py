"""A ranking of texts that are in no index, such as what was said: by words and by meaning, fused by rank."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from conductor.knowledge.embedder import Embedder, Vectors
from conductor.knowledge.lexical import Fields, index
from conductor.knowledge.text import words

KEPT = 6_000
"""Vectors that are kept in memory; 9 MB."""
AT_ONCE = 100
"""Texts that a search reads for their meaning, beside those it knows."""
CHARACTERS = 400
"""Of a text, for its meaning."""
NEAR = 0.3
"""The least cosine that is taken for a likeness in meaning."""
CONSTANT = 60
"""Of reciprocal rank fusion, as its authors chose it."""


class Meanings:
    """The vectors of texts, by the text, the latest used kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
        self._lock = Lock()

    def of(self, texts: Sequence[str], embedder: Embedder) -> list[Vectors | None]:
        """Return the vector of each text; None beyond what one search may read anew."""
        with self._lock:
            left, found = AT_ONCE, list[Vectors | None]()
            for text in texts:
                key = (embedder.id, text)
                vector = self._kept.get(key)
                if vector is None and left:
                    left -= 1
                    vector = self._kept[key] = embedder.embed([text])[0]
                if vector is not None:
                    self._kept.move_to_end(key)
                found.append(vector)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return found


def fuse_rankings(orders: Sequence[Sequence[int]]) -> list[int]:
    """Return the rows of several rankings as one, best first."""
    scores: dict[int, float] = {}
    for order in orders:
        for place, row in enumerate(order):
            scores[row] = scores.get(row, 0.0) + 1 / (CONSTANT + place)
    return sorted(scores, key=lambda row: (-scores[row], row))


def by_words(query: str, texts: Sequence[str]) -> list[int]:
    """Return the rows of short texts that have words of a query, best first."""
    scores = index([Fields([], [], [], words(one)) for one in texts]).scores(
        dict.fromkeys(words(query), 1.0)
    )
    return [int(row) for row in np.argsort(-scores, kind="stable") if scores[row] > 0]


def by_meaning(
    query: str, texts: Sequence[str], embedder: Embedder, meanings: Meanings
) -> list[int]:
    """Return the rows of texts that mean something like a query, best first."""
    if not texts:
        return []
    asked = embedder.embed([query])[0]
    known = meanings.of([one[:CHARACTERS] for one in texts], embedder)
    near = {row: float(vector @ asked) for row, vector in enumerate(known) if vector is not None}
    return sorted((row for row in near if near[row] >= NEAR), key=lambda row: -near[row])
