"""Where vectors are kept and compared: the promise of a store, and the exact one."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from conductor.knowledge.embedder import Vectors


class VectorStore(Protocol):
    """Vectors by id. An id is a chunk's, or with `|1`, `|2` … one of the ways to ask for it."""

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors; those with known ids are replaced."""
        ...

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the nearest ids with their cosine, nearest first; equals in the order of their ids."""
        ...

    def count(self) -> int:
        """Give how many vectors are kept."""
        ...

    def fingerprint(self) -> str:
        """Give what the vectors were made of; another one means that they have to be made anew."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


class ExactStore:
    """All vectors in one matrix: exact, and quicker than an index up to about 100,000."""

    def __init__(self, ids: Sequence[str], vectors: Vectors, fingerprint: str = "") -> None:
        self._ids = list(ids)
        self._vectors = vectors
        self._fingerprint = fingerprint

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors; those with known ids are replaced."""
        kept = dict(zip(self._ids, self._vectors, strict=True))
        kept.update(zip(ids, vectors, strict=True))
        self._ids = sorted(kept)
        self._vectors = np.stack([kept[one] for one in self._ids])

    def query(self, vector: Vectors, k: int) -> list[tuple[str, float]]:
        """Give the nearest ids with their cosine, nearest first; equals in the order of their ids."""
        cosines = self.all(vector)
        nearest = sorted(range(len(self._ids)), key=lambda at: (-cosines[at], self._ids[at]))
        return [(self._ids[at], float(cosines[at])) for at in nearest[:k]]

    def all(self, vector: Vectors) -> NDArray[np.float32]:
        """Give the cosine of each."""
        return self._vectors @ vector if len(self._ids) else np.zeros(0, np.float32)

    def count(self) -> int:
        """Give how many vectors are kept."""
        return len(self._ids)

    def fingerprint(self) -> str:
        """Give what the vectors were made of."""
        return self._fingerprint

    def close(self) -> None:
        """Nothing is open."""
