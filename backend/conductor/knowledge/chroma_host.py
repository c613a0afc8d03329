"""Searches vectors with a chromadb process, once that process is ready and its results have been verified.

Until then, and after any failure, `nearest` returns None and all vectors are compared instead.
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
from conductor.knowledge.chroma_process import packed
from conductor.knowledge.chroma_worker import Worker
from conductor.knowledge.embedder import Vectors

log = logging.getLogger(__name__)

WARM_AFTER_S = 60.0
"""Seconds before the process is started. Starting takes seconds of a CPU core, which are scarce right after
Conductor was opened.
"""
OPEN_WITHIN_S, WRITE_WITHIN_S, PROVE_WITHIN_S = 60.0, 120.0, 5.0
ANSWER_WITHIN_S = 0.25
STRIKES = 3
CANARIES = 20
AT_ONCE = 500
SAME = 0.999
MARK = "chroma.opening"
"""A file that exists while the vectors are being opened. If the file exists at a start, the last attempt
crashed.
"""
FORMAT = "1"


class VerificationFailed(Exception):
    """Raised when a search does not find the vectors that were stored."""


class ChromaHost:
    """Manages the chromadb process of a home folder. The methods may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        *,
        warm_after_s: float = WARM_AFTER_S,
        answer_within_s: float = ANSWER_WITHIN_S,
        program: Sequence[str] = (),
    ) -> None:
        """Set the folder that contains the stored vectors. The process is not started yet."""
        self._folder = folder
        self._warm_after_s = warm_after_s
        self.answer_within_s = answer_within_s
        self._program = program
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._leaving: threading.Thread | None = None
        self._made_of: Vectors | None = None
        self._worker: Worker | None = None
        self._owned: InstanceLock | None = None
        self._strikes = 0
        self.settled = threading.Event()
        """Set once it is decided whether searches use chromadb."""
        self.is_used = False
        self.reason = "chromadb is not started before the first question"

    @property
    def pid(self) -> int | None:
        """The id of the chromadb process, or None if it is not running."""
        return None if self._worker is None else self._worker.pid

    def prepare(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Start to load vectors in the background. Does nothing if the same vectors are loaded already."""
        with self._lock:
            if self._made_of is vectors or not len(ids) or self._is_leaving():
                return
            self._made_of = vectors
        before = self._thread
        self.settled.clear()
        self.is_used, self.reason = False, "chromadb is starting"
        self._thread = threading.Thread(
            target=self._start_in_background,
            args=(before, list(ids), vectors),
            name="vectors",
            daemon=True,
        )
        self._thread.start()

    def nearest(self, vector: Vectors, k: int) -> list[str] | None:
        """Return the ids of approximately the nearest vectors, or None if all vectors must be compared
        instead.
        """
        worker = self._worker
        if not self.is_used or worker is None:
            return None
        try:
            found = worker.ask("query", self.answer_within_s, vector=packed(vector), k=k)["ids"]
        except (NotAvailable, TimeoutError, KeyError) as error:
            self._record_failure(worker, str(error))
            return None
        return [str(vector_id) for vector_id in found]

    def close(self) -> None:
        """Stop the process and wait until it has ended. `prepare` may start it again."""
        self.stop_in_background().join()

    def stop_in_background(self) -> threading.Thread:
        """Stop using the process, and return a thread that ends it."""
        with self._lock:
            if self._leaving is None or not self._leaving.is_alive():
                used, self.is_used = self.is_used, False
                self.reason = "chromadb is not started"
                self._closing.set()
                self._leaving = threading.Thread(
                    target=self._end, kwargs={"used": used}, name="vectors end", daemon=True
                )
                self._leaving.start()
            return self._leaving

    def _is_leaving(self) -> bool:
        return self._leaving is not None and self._leaving.is_alive()

    def _end(self, *, used: bool) -> None:
        thread, worker = self._thread, self._worker
        if worker is not None:
            worker.end() if used else worker.kill()
        if thread is not None:
            thread.join()
        self._closing.clear()
        self._thread = self._worker = self._made_of = None
        self.is_used, self.reason = False, "chromadb is not started"
        self._release_lock()

    def _record_failure(self, worker: Worker, problem: str) -> None:
        with self._lock:
            self._strikes += 1
            if not self.is_used or worker is not self._worker:
                return
            if self._strikes < STRIKES and not worker.has_ended:
                return
            self.is_used = False
            self.reason = f"chromadb failed ({problem}); retrying at the next start"
        log.warning("%s", self.reason)
        if worker.has_ended:
            self._create_marker()
        worker.kill()

    def _start_in_background(
        self, before: threading.Thread | None, ids: Sequence[str], vectors: Vectors
    ) -> None:
        if before is not None:
            before.join()
        try:
            self._start(ids, vectors)
        except (ConductorError, TimeoutError, OSError, VerificationFailed) as error:
            self.reason = f"chromadb cannot be used: {error}"
            if not self._closing.is_set():
                log.warning(
                    "%s; the search compares all texts itself instead, which is slower", self.reason
                )
        if self._made_of is vectors:
            self.settled.set()

    def _start(self, ids: Sequence[str], vectors: Vectors) -> None:
        if self._worker is not None:
            self._worker.end()
        if self._closing.wait(self._warm_after_s):
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        self._acquire_lock()
        fingerprint = made_of(ids, vectors)
        if (self._folder / MARK).exists():
            self._delete_other_stores()
            raise VerificationFailed(
                "its last start crashed; its files are rebuilt at the next start"
            )
        self._delete_other_stores(but=f"chroma-{fingerprint}")
        self._create_marker()
        try:
            self._open(fingerprint, ids, vectors)
        except (NotAvailable, TimeoutError, VerificationFailed) as error:
            if self._closing.is_set():
                self._delete_other_stores()
                raise
            log.info("rebuilding the vectors: %s", error)
            self._delete_other_stores()
            self._create_marker()
            self._open(fingerprint, ids, vectors)
        (self._folder / MARK).unlink(missing_ok=True)
        self._strikes = 0
        self.is_used, self.reason = True, f"chromadb has {len(ids)} vectors, and they were checked"

    def _acquire_lock(self) -> None:
        """Acquire the lock of the folder with the stored vectors."""
        if self._owned is None:
            try:
                self._owned = InstanceLock(self._folder)
            except AlreadyRunning:
                raise NotAvailable("another process has the vectors") from None

    def _release_lock(self) -> None:
        owned, self._owned = self._owned, None
        if owned is not None:
            owned.release()

    def _open(self, fingerprint: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Start the process with existing or new vectors, and verify its results."""
        folder = self._folder / f"chroma-{fingerprint}"
        missing = () if folder.exists() else ids
        folder.mkdir(exist_ok=True)
        self._worker = worker = Worker(folder, fingerprint, self._program)
        if self._closing.is_set():  # `_end` may have run before there was a process to stop
            worker.kill()
            raise NotAvailable("it is no longer needed")
        try:
            opened = worker.ask("open", OPEN_WITHIN_S)
            for start in range(0, len(missing), AT_ONCE):
                some = slice(start, start + AT_ONCE)
                fields = {"ids": missing[some], "vectors": packed(vectors[some])}
                opened |= worker.ask("upsert", WRITE_WITHIN_S, **fields)
            _verify(worker, opened, fingerprint, ids, vectors)
        except BaseException:
            worker.kill()
            raise

    def _create_marker(self) -> None:
        with suppress(OSError):
            (self._folder / MARK).touch()

    def _delete_other_stores(self, but: str = "") -> None:
        """Delete the stored vectors of other indexes, and the marker file."""
        for each in self._folder.glob("chroma-*"):
            if each.name != but:
                shutil.rmtree(each, ignore_errors=True)
        (self._folder / MARK).unlink(missing_ok=True)


def made_of(ids: Sequence[str], vectors: Vectors) -> str:
    """Return a fingerprint of the vectors and their ids."""
    total = hashlib.sha256("\n".join([FORMAT, *ids]).encode())
    total.update(np.ascontiguousarray(vectors, "<f4").tobytes())
    return total.hexdigest()[:16]


def _verify(
    worker: Worker, opened: JsonObject, fingerprint: str, ids: Sequence[str], vectors: Vectors
) -> None:
    """Check that all vectors are stored, and that a search for some of them finds the same vectors."""
    if opened.get("fingerprint") != fingerprint:
        raise VerificationFailed("they belong to other texts")
    if opened.get("count") != len(ids):
        raise VerificationFailed(f"only {opened.get('count')} of {len(ids)} exist")
    rows = {vector_id: row for row, vector_id in enumerate(ids)}
    for row in range(0, len(ids), max(1, len(ids) // CANARIES)):
        found = worker.ask("query", PROVE_WITHIN_S, vector=packed(vectors[row]), k=1).get("ids")
        first = rows.get(found[0]) if found else None
        if first is None or float(vectors[first] @ vectors[row]) < SAME:
            raise VerificationFailed(f"{ids[row]} does not find itself")
