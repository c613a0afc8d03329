"""Searches vectors with a chromadb process, once that process is ready and its results have been verified.

Before that, and after any failure, `find_nearest_ids` returns None, and the caller compares all vectors
itself.
"""

import hashlib
import logging
import shutil
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from conductor.base.json_types import JsonObject
from conductor.base.single_instance import InstanceLock
from conductor.errors import AlreadyRunning, ConductorError, NotAvailable
from conductor.knowledge.chroma_process import encode_vectors
from conductor.knowledge.chroma_worker import ChromaWorker
from conductor.knowledge.embedder import Vectors

log = logging.getLogger(__name__)

CHROMA_START_DELAY_S = 60.0
"""The delay before the process is started.

The start takes seconds of CPU time, which is scarce just after Conductor was opened.
"""
OPEN_TIMEOUT_S, WRITE_TIMEOUT_S, VERIFY_TIMEOUT_S = 60.0, 120.0, 5.0
QUERY_TIMEOUT_S = 0.25
MAX_CHROMA_FAILURES = 3
VERIFIED_VECTOR_COUNT = 20
UPLOAD_BATCH_SIZE = 500
MIN_COSINE_OF_STORED_VECTOR = 0.999
OPENING_MARKER_FILE_NAME = "chroma.opening"
"""The name of a file that exists while the vectors are being opened.

If it exists at a start, the last attempt crashed.
"""
STORE_FORMAT_VERSION = "1"


class StoreVerificationFailed(Exception):
    """Raised when a search does not find the vectors that were stored, so that the process must not be used."""


class ChromaHost:
    """Manages the chromadb process for the vectors of a home folder.

    All methods are safe to call from any thread.
    """

    def __init__(
        self,
        folder: Path,
        *,
        start_delay_s: float = CHROMA_START_DELAY_S,
        query_timeout_s: float = QUERY_TIMEOUT_S,
        program: Sequence[str] = (),
    ) -> None:
        """Set the folder of the stored vectors. The process is started by `load_in_background`."""
        self._folder = folder
        self._start_delay_s = start_delay_s
        self.query_timeout_s = query_timeout_s
        self._program = program
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._start_thread: threading.Thread | None = None
        self._stop_thread: threading.Thread | None = None
        self._vectors: Vectors | None = None
        self._worker: ChromaWorker | None = None
        self._instance_lock: InstanceLock | None = None
        self._failures = 0
        self.settled = threading.Event()
        """Set once it is certain whether searches use chromadb."""
        self.is_used = False
        self.reason = "chromadb is started after the first question"

    @property
    def pid(self) -> int | None:
        """The id of the chromadb process, or None if it does not run."""
        return None if self._worker is None else self._worker.pid

    def load_in_background(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Start loading vectors in the background.

        Nothing happens if the same vectors are already loaded.
        """
        with self._lock:
            if self._vectors is vectors or not len(ids) or self._is_stopping():
                return
            self._vectors = vectors
        previous_thread = self._start_thread
        self.settled.clear()
        self.is_used, self.reason = False, "chromadb is starting"
        self._start_thread = threading.Thread(
            target=self._start_in_background,
            args=(previous_thread, list(ids), vectors),
            name="vectors",
            daemon=True,
        )
        self._start_thread.start()

    def find_nearest_ids(self, vector: Vectors, k: int) -> list[str] | None:
        """Return the ids of the `k` nearest vectors, or None if the caller must compare all vectors itself."""
        worker = self._worker
        if not self.is_used or worker is None:
            return None
        try:
            found = worker.request(
                "query", self.query_timeout_s, vector=encode_vectors(vector), k=k
            )["ids"]
        except (NotAvailable, TimeoutError, KeyError) as error:
            self._record_failure(worker, str(error))
            return None
        return [str(vector_id) for vector_id in found]

    def close(self) -> None:
        """Stop the process and wait until it has ended. `load_in_background` may start it again."""
        self.stop_in_background().join()

    def stop_in_background(self) -> threading.Thread:
        """Stop using the process, and return the thread that ends it."""
        with self._lock:
            if self._stop_thread is None or not self._stop_thread.is_alive():
                was_used, self.is_used = self.is_used, False
                self.reason = "chromadb is not started"
                self._closing.set()
                self._stop_thread = threading.Thread(
                    target=self._stop_process,
                    kwargs={"was_used": was_used},
                    name="vectors end",
                    daemon=True,
                )
                self._stop_thread.start()
            return self._stop_thread

    def _is_stopping(self) -> bool:
        return self._stop_thread is not None and self._stop_thread.is_alive()

    def _stop_process(self, *, was_used: bool) -> None:
        start_thread, worker = self._start_thread, self._worker
        if worker is not None:
            worker.stop() if was_used else worker.kill()
        if start_thread is not None:
            start_thread.join()
        self._closing.clear()
        self._start_thread = self._worker = self._vectors = None
        self.is_used, self.reason = False, "chromadb is not started"
        self._release_lock()

    def _record_failure(self, worker: ChromaWorker, problem: str) -> None:
        with self._lock:
            self._failures += 1
            if not self.is_used or worker is not self._worker:
                return
            if self._failures < MAX_CHROMA_FAILURES and not worker.has_exited:
                return
            self.is_used = False
            self.reason = f"chromadb failed ({problem}); retrying at the next start"
        log.warning("%s", self.reason)
        if worker.has_exited:
            self._create_opening_marker()
        worker.kill()

    def _start_in_background(
        self, previous_thread: threading.Thread | None, ids: Sequence[str], vectors: Vectors
    ) -> None:
        if previous_thread is not None:
            previous_thread.join()
        try:
            self._start_store(ids, vectors)
        except (ConductorError, TimeoutError, OSError, StoreVerificationFailed) as error:
            self.reason = f"chromadb cannot be used: {error}"
            if not self._closing.is_set():
                log.warning(
                    "%s; the search compares all texts itself instead, which is slower", self.reason
                )
        if self._vectors is vectors:
            self.settled.set()

    def _start_store(self, ids: Sequence[str], vectors: Vectors) -> None:
        if self._worker is not None:
            self._worker.stop()
        if self._closing.wait(self._start_delay_s):
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        self._acquire_lock()
        fingerprint = fingerprint_vectors(ids, vectors)
        if (self._folder / OPENING_MARKER_FILE_NAME).exists():
            self._delete_other_stores()
            raise StoreVerificationFailed(
                "its last start crashed; its files are rebuilt at the next start"
            )
        self._delete_other_stores(keep=f"chroma-{fingerprint}")
        self._create_opening_marker()
        try:
            self._open_store(fingerprint, ids, vectors)
        except (NotAvailable, TimeoutError, StoreVerificationFailed) as error:
            if self._closing.is_set():
                self._delete_other_stores()
                raise
            log.info("rebuilding the vectors: %s", error)
            self._delete_other_stores()
            self._create_opening_marker()
            self._open_store(fingerprint, ids, vectors)
        (self._folder / OPENING_MARKER_FILE_NAME).unlink(missing_ok=True)
        self._failures = 0
        self.is_used, self.reason = True, f"chromadb searches {len(ids)} vectors"

    def _acquire_lock(self) -> None:
        """Lock the folder of the stored vectors, so that no other process uses it.

        Raises:
            NotAvailable: Another process uses the folder.
        """
        if self._instance_lock is None:
            try:
                self._instance_lock = InstanceLock(self._folder)
            except AlreadyRunning:
                raise NotAvailable("another process uses the vectors") from None

    def _release_lock(self) -> None:
        owned, self._instance_lock = self._instance_lock, None
        if owned is not None:
            owned.release_lock()

    def _open_store(self, fingerprint: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Start the process with the stored vectors, or store them first, and verify that searches find
        them.
        """
        folder = self._folder / f"chroma-{fingerprint}"
        missing_ids = () if folder.exists() else ids
        folder.mkdir(exist_ok=True)
        self._worker = worker = ChromaWorker(folder, fingerprint, self._program)
        if (
            self._closing.is_set()
        ):  # `_stop_process` may have run before there was a process to stop
            worker.kill()
            raise NotAvailable("it is no longer needed")
        try:
            opened = worker.request("open", OPEN_TIMEOUT_S)
            for start in range(0, len(missing_ids), UPLOAD_BATCH_SIZE):
                batch = slice(start, start + UPLOAD_BATCH_SIZE)
                fields = {"ids": missing_ids[batch], "vectors": encode_vectors(vectors[batch])}
                opened |= worker.request("upsert", WRITE_TIMEOUT_S, **fields)
            _verify_store(worker, opened, fingerprint, ids, vectors)
        except BaseException:
            worker.kill()
            raise

    def _create_opening_marker(self) -> None:
        with suppress(OSError):
            (self._folder / OPENING_MARKER_FILE_NAME).touch()

    def _delete_other_stores(self, keep: str = "") -> None:
        """Delete the vectors of other indexes, and the file that marks an attempt to open them."""
        for folder in self._folder.glob("chroma-*"):
            if folder.name != keep:
                shutil.rmtree(folder, ignore_errors=True)
        (self._folder / OPENING_MARKER_FILE_NAME).unlink(missing_ok=True)


def fingerprint_vectors(ids: Sequence[str], vectors: Vectors) -> str:
    """Return a fingerprint of the vectors and their ids, which changes with any of them."""
    digest = hashlib.sha256("\n".join([STORE_FORMAT_VERSION, *ids]).encode())
    digest.update(np.ascontiguousarray(vectors, "<f4").tobytes())
    return digest.hexdigest()[:16]


def _verify_store(
    worker: ChromaWorker, opened: JsonObject, fingerprint: str, ids: Sequence[str], vectors: Vectors
) -> None:
    """Check that all vectors are stored and that searches for some of them find these vectors.

    Raises:
        StoreVerificationFailed: Vectors are missing, or a search does not find one.
    """
    if opened.get("fingerprint") != fingerprint:
        raise StoreVerificationFailed("its vectors belong to other texts")
    if opened.get("count") != len(ids):
        raise StoreVerificationFailed(f"it has only {opened.get('count')} of {len(ids)} vectors")
    rows = {vector_id: row for row, vector_id in enumerate(ids)}
    for row in range(0, len(ids), max(1, len(ids) // VERIFIED_VECTOR_COUNT)):
        found = worker.request(
            "query", VERIFY_TIMEOUT_S, vector=encode_vectors(vectors[row]), k=1
        ).get("ids")
        first = rows.get(found[0]) if found else None
        if first is None or float(vectors[first] @ vectors[row]) < MIN_COSINE_OF_STORED_VECTOR:
            raise StoreVerificationFailed(f"a search for the vector of {ids[row]} did not find it")
