"""A ranking of texts that are in no index, such as what was said: by words and by meaning, fused by rank."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np

from conductor.knowledge.embedder import Embedder, Vectors
from conductor.knowledge.lexical import Fields, index
from conductor.knowledge.text import STOP, words

KEPT = 6_000
"""Vectors that are kept in memory; 9 MB."""
AT_ONCE = 300
"""Texts that a search reads for their meaning, beside those it knows; about a second of one core."""
CHARACTERS = 800
"""Of a text, for its meaning: the model reads no more of it."""
NEAR = 0.3
"""The least cosine that is taken for a likeness in meaning."""
CONSTANT = 60
"""Of reciprocal rank fusion, as its authors chose it."""


class Text(NamedTuple):
    title: str
    body: str


class Meanings:
    """The vectors of texts, by the text, the latest used kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
        self._lock = Lock()

    def of(self, texts: Sequence[str], embedder: Embedder) -> list[Vectors | None]:
        """Give the vector of each text; None beyond what one search may read anew."""
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


def rank(
    query: str, texts: Sequence[Text], embedder: Embedder | None, meanings: Meanings
) -> list[int]:
    """Give the places of the texts that have to do with a query, best first."""
    orders = [_by_words(query, texts)]
    if embedder is not None and texts:
        orders.append(_by_meaning(query, texts, embedder, meanings))
    scores: dict[int, float] = {}
    for order in orders:
        for place, row in enumerate(order):
            scores[row] = scores.get(row, 0.0) + 1 / (CONSTANT + place)
    return sorted(scores, key=lambda row: (-scores[row], row))


def _by_words(query: str, texts: Sequence[Text]) -> list[int]:
    lexicon = index([Fields(words(one.title), [], [], words(one.body)) for one in texts])
    told = [word for word in words(query) if word not in STOP]
    scores = lexicon.scores(dict.fromkeys(told, 1.0))
    return [int(row) for row in np.argsort(-scores, kind="stable") if scores[row] > 0]


def _by_meaning(
    query: str, texts: Sequence[Text], embedder: Embedder, meanings: Meanings
) -> list[int]:
    asked = embedder.embed([query])[0]
    known = meanings.of([f"{one.title}\n{one.body}"[:CHARACTERS] for one in texts], embedder)
    nearness = [
        (float(vector @ asked), row) for row, vector in enumerate(known) if vector is not None
    ]
    return [row for near, row in sorted(nearness, key=lambda one: -one[0]) if near >= NEAR]
