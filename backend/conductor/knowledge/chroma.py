"""Stores ids and vectors in chromadb. Only `chroma_process.py` imports this module.

Three defaults of chromadb are switched off: reading `.env` in the current folder on import, choosing an
embedding function that downloads a model, and sending telemetry.
"""

import os
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from conductor.knowledge.embedder import Vectors

COLLECTION_NAME = "vectors"
HNSW_OPTIONS = {"space": "cosine", "ef_construction": 400, "ef_search": 500, "max_neighbors": 48}
"""With chromadb's own parameters, a search missed a quarter of the nearest of 10,000 vectors."""
UPSERT_BATCH_SIZE = 500


class ChromaStore:
    """A collection of vectors in a folder of its own, with a fingerprint of the vectors in it."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        """Open the collection in a folder, or create an empty one with this fingerprint.

        No other thread may run meanwhile, because the current folder of the process changes during the
        call.
        """
        with _change_to_empty_folder():
            _stub_trace_exporter()
            import chromadb
            from chromadb.config import Settings

            quiet: Any = {"_env_file": None, "anonymized_telemetry": False}
            settings = Settings(**quiet)
            self._client: Any = chromadb.PersistentClient(str(folder), settings)
        names = [each.name for each in self._client.list_collections()]
        self._vectors: Any = (
            self._client.get_collection(COLLECTION_NAME, embedding_function=None)
            if COLLECTION_NAME in names
            else self._client.create_collection(
                COLLECTION_NAME,
                configuration={"hnsw": HNSW_OPTIONS},
                metadata={"fingerprint": fingerprint},
                embedding_function=None,
            )
        )

    def upsert_vectors(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Insert vectors. Those whose ids already exist are replaced."""
        for start in range(0, len(ids), UPSERT_BATCH_SIZE):
            end = start + UPSERT_BATCH_SIZE
            self._vectors.upsert(ids=list(ids[start:end]), embeddings=vectors[start:end])

    def find_nearest_ids(self, vector: Vectors, k: int) -> list[str]:
        """Return the ids of the `k` nearest vectors, nearest first. The search is approximate."""
        query = vector.astype(np.float32)[None]
        result = self._vectors.query(query_embeddings=query, n_results=k, include=[])
        return list(result["ids"][0])

    def count_vectors(self) -> int:
        """Return how many vectors the collection contains."""
        return int(self._vectors.count())

    def read_fingerprint(self) -> str:
        """Return the fingerprint of the vectors that are stored."""
        return str((self._vectors.metadata or {}).get("fingerprint", ""))

    def close(self) -> None:
        """Close the files of the collection."""
        self._client.close()


def _stub_trace_exporter() -> None:
    """Register an empty module in place of the OpenTelemetry exporter that chromadb imports.

    chromadb calls the exporter only if an address is configured. The real one requires grpc, 18 MB that
    `make lock` leaves out.
    """
    module = ModuleType("opentelemetry.exporter.otlp.proto.grpc.trace_exporter")
    vars(module)["OTLPSpanExporter"] = None
    sys.modules.setdefault(module.__name__, module)


@contextmanager
def _change_to_empty_folder() -> Generator[None]:
    """Run the block in an empty temporary folder, so that chromadb finds no `.env` file to read."""
    previous_folder = Path.cwd()
    with tempfile.TemporaryDirectory(
        prefix="conductor-", ignore_cleanup_errors=True
    ) as empty_folder:
        os.chdir(empty_folder)
        try:
            yield
        finally:
            with suppress(OSError):
                os.chdir(previous_folder)
