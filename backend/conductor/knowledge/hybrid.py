"""Ranks texts that are not in the index, such as chat messages.

A ranking by words and a ranking by meaning are combined by the ranks of each text.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from conductor.knowledge.embedder import Embedder, Vectors
from conductor.knowledge.lexical import FieldWords, build_lexicon_of_texts
from conductor.knowledge.text import tokenize

MAX_CACHED_VECTORS = 6_000
"""The number of vectors that are cached. They take 9 MB."""
MAX_NEW_VECTORS_PER_CALL = 100
"""The maximum number of texts that one search embeds.

Further texts are ranked by meaning only if they are cached.
"""
MAX_EMBEDDED_CHARACTERS = 400
"""The number of characters at the start of a text that are embedded."""
MIN_MEANING_SIMILARITY = 0.3
"""Two texts are similar in meaning if their cosine similarity is at least this."""
RANK_FUSION_CONSTANT = 60
"""The constant of reciprocal rank fusion that its authors recommend."""


class EmbeddingCache:
    """A cache of vectors by text.

    When it is full, the vector that was not used for the longest time is dropped.
    """

    def __init__(self) -> None:
        self._vectors: OrderedDict[tuple[str, str], Vectors] = OrderedDict()
        self._lock = Lock()

    def get_or_compute_vectors(
        self, texts: Sequence[str], embedder: Embedder
    ) -> list[Vectors | None]:
        """Return the vector of each text, or None for a new text beyond the limit of one search."""
        with self._lock:
            remaining, found = MAX_NEW_VECTORS_PER_CALL, list[Vectors | None]()
            for text in texts:
                key = (embedder.id, text)
                vector = self._vectors.get(key)
                if vector is None and remaining:
                    remaining -= 1
                    vector = self._vectors[key] = embedder.embed_texts([text])[0]
                if vector is not None:
                    self._vectors.move_to_end(key)
                found.append(vector)
            while len(self._vectors) > MAX_CACHED_VECTORS:
                self._vectors.popitem(last=False)
            return found


def fuse_rankings(orders: Sequence[Sequence[int]]) -> list[int]:
    """Combine several rankings of the same rows into one ranking, best first."""
    scores: dict[int, float] = {}
    for order in orders:
        for place, row in enumerate(order):
            scores[row] = scores.get(row, 0.0) + 1 / (RANK_FUSION_CONSTANT + place)
    return sorted(scores, key=lambda row: (-scores[row], row))


def rank_by_words(query: str, texts: Sequence[str]) -> list[int]:
    """Return the rows of the texts that contain words of the query, best first."""
    scores = build_lexicon_of_texts(
        [FieldWords([], [], [], tokenize(text)) for text in texts]
    ).score_chunks(dict.fromkeys(tokenize(query), 1.0))
    return [int(row) for row in np.argsort(-scores, kind="stable") if scores[row] > 0]


def rank_by_meaning(
    query: str, texts: Sequence[str], embedder: Embedder, cache: EmbeddingCache
) -> list[int]:
    """Return the rows of the texts that are similar in meaning to the query, best first."""
    if not texts:
        return []
    target = embedder.embed_texts([query])[0]
    vectors = cache.get_or_compute_vectors(
        [text[:MAX_EMBEDDED_CHARACTERS] for text in texts], embedder
    )
    similarities = {
        row: float(vector @ target) for row, vector in enumerate(vectors) if vector is not None
    }
    return sorted(
        (row for row in similarities if similarities[row] >= MIN_MEANING_SIMILARITY),
        key=lambda row: -similarities[row],
    )
