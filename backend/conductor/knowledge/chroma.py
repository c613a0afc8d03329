"""chromadb for ids and vectors, nothing else. Only `chroma_process.py` makes one.

It is kept from three things that it does by itself: reading `.env` of the current folder while it is imported,
choosing an embedding function that would download a model, and telling its maker of its use.
"""

import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from conductor.knowledge.embedder import Vectors

COLLECTION = "vectors"
HNSW = {"space": "cosine", "ef_construction": 400, "ef_search": 500, "max_neighbors": 48}
"""With its own defaults it misses a quarter of the nearest among 10,000."""
AT_ONCE = 500


class ChromaStore:
    """A collection in a folder of its own. What it keeps was made of what its fingerprint names."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        """Open the collection of a folder, or make an empty one with this fingerprint.

        Whoever makes one must be alone in its process: the current folder changes for a moment.
        """
        with _in_an_empty_folder():
            import chromadb
            from chromadb.config import Settings

            quiet: Any = {"_env_file": None, "anonymized_telemetry": False}
            settings = Settings(**quiet)
            self._client: Any = chromadb.PersistentClient(str(folder), settings)
        names = [each.name for each in self._client.list_collections()]
        self._vectors: Any = (
            self._client.get_collection(COLLECTION, embedding_function=None)
            if COLLECTION in names
            else self._client.create_collection(
                COLLECTION,
                configuration={"hnsw": HNSW},
                metadata={"fingerprint": fingerprint},
                embedding_function=None,
            )
        )

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors; those with known ids are replaced."""
        for start in range(0, len(ids), AT_ONCE):
            end = start + AT_ONCE
            self._vectors.upsert(ids=list(ids[start:end]), embeddings=vectors[start:end])

    def query(self, vector: Vectors, k: int) -> list[str]:
        """Return about the nearest ids, nearest first."""
        asked = vector.astype(np.float32)[None]
        found = self._vectors.query(query_embeddings=asked, n_results=k, include=[])
        return list(found["ids"][0])

    def count(self) -> int:
        """Return how many vectors are kept."""
        return int(self._vectors.count())

    def fingerprint(self) -> str:
        """Return what the vectors were made of."""
        return str((self._vectors.metadata or {}).get("fingerprint", ""))

    def close(self) -> None:
        """Let go of files."""
        self._client.close()


@contextmanager
def _in_an_empty_folder() -> Generator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="conductor-", ignore_cleanup_errors=True) as empty:
        os.chdir(empty)
        try:
            yield
        finally:
            with suppress(OSError):
                os.chdir(before)
