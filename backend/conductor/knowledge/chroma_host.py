"""Has chromadb find what is near, once it is ready and has proved itself.

Until then, and whenever something is wrong, `nearest` gives None and the exact comparison answers.
"""

import hashlib
import logging
import shutil
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from conductor.base.single_instance import InstanceLock
from conductor.errors import AlreadyRunning, ConductorError, NotAvailable
from conductor.knowledge.chroma_process import packed
from conductor.knowledge.chroma_worker import Answer, Worker
from conductor.knowledge.embedder import Vectors

log = logging.getLogger(__name__)

WARM_AFTER_S = 60.0
"""Starting costs seconds of a whole core, which whoever has just opened Conductor wants for something else."""
OPEN_WITHIN_S, WRITE_WITHIN_S, PROVE_WITHIN_S = 60.0, 120.0, 5.0
ANSWER_WITHIN_S = 0.25
STRIKES = 3
CANARIES = 20
AT_ONCE = 500
SAME = 0.999
MARK = "chroma.opening"
"""There while the vectors are opened: found at a start, the last opening took everybody with it."""
FORMAT = "1"


class Unproved(Exception):
    """What came back is not what was put in."""


class ChromaHost:
    """One for a home folder. Its methods may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        *,
        warm_after_s: float = WARM_AFTER_S,
        answer_within_s: float = ANSWER_WITHIN_S,
        program: Sequence[str] = (),
    ) -> None:
        """Take the folder that holds the vectors' own folder; nothing is started yet."""
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
        """Set when it is known who answers."""
        self.is_used = False
        self.reason = "chromadb is not started before the first question"

    @property
    def pid(self) -> int | None:
        """Return the process that has the vectors."""
        return None if self._worker is None else self._worker.pid

    def prepare(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Have these found from now on; the same ones again change nothing. Returns at once."""
        with self._lock:
            if self._made_of is vectors or not len(ids) or self._is_leaving():
                return
            self._made_of = vectors
        before = self._thread
        self.settled.clear()
        self.is_used, self.reason = False, "chromadb is starting"
        self._thread = threading.Thread(
            target=self._warm, args=(before, list(ids), vectors), name="vectors", daemon=True
        )
        self._thread.start()

    def nearest(self, vector: Vectors, k: int) -> list[str] | None:
        """Return about the nearest ids; None when the exact comparison has to answer."""
        worker = self._worker
        if not self.is_used or worker is None:
            return None
        try:
            found = worker.ask("query", self.answer_within_s, vector=packed(vector), k=k)["ids"]
        except (NotAvailable, TimeoutError, KeyError) as error:
            self._strike(worker, str(error))
            return None
        return [str(one) for one in found]

    def close(self) -> None:
        """End the process; `prepare` may start it again."""
        self.leave().join()

    def leave(self) -> threading.Thread:
        """Begin to end the process: nobody is asked from now on. Gives the thread that does it."""
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
        self._let_go()

    def _strike(self, worker: Worker, problem: str) -> None:
        with self._lock:
            self._strikes += 1
            if not self.is_used or worker is not self._worker:
                return
            if self._strikes < STRIKES and not worker.has_ended:
                return
            self.is_used = False
            self.reason = f"chromadb failed ({problem}); it is tried again at the next start"
        log.warning("%s", self.reason)
        if worker.has_ended:
            self._mark()
        worker.kill()

    def _warm(self, before: threading.Thread | None, ids: Sequence[str], vectors: Vectors) -> None:
        if before is not None:
            before.join()
        try:
            self._start(ids, vectors)
        except (ConductorError, TimeoutError, OSError, Unproved) as error:
            self.reason = f"chromadb cannot be used: {error}"
            if not self._closing.is_set():
                log.warning("%s; vectors are compared one by one instead", self.reason)
        if self._made_of is vectors:
            self.settled.set()

    def _start(self, ids: Sequence[str], vectors: Vectors) -> None:
        if self._worker is not None:
            self._worker.end()
        if self._closing.wait(self._warm_after_s):
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        self._own_it()
        fingerprint = made_of(ids, vectors)
        if (self._folder / MARK).exists():
            self._clear()
            raise Unproved("its last start did not end well; it is made anew at the next start")
        self._clear(but=f"chroma-{fingerprint}")
        self._mark()
        try:
            self._open(fingerprint, ids, vectors)
        except (NotAvailable, TimeoutError, Unproved) as error:
            if self._closing.is_set():
                self._clear()
                raise
            log.info("the vectors are made anew: %s", error)
            self._clear()
            self._mark()
            self._open(fingerprint, ids, vectors)
        (self._folder / MARK).unlink(missing_ok=True)
        self._strikes = 0
        self.is_used, self.reason = True, f"chromadb has {len(ids)} vectors, and they were checked"

    def _own_it(self) -> None:
        """Be the only one for this folder."""
        if self._owned is None:
            try:
                self._owned = InstanceLock(self._folder)
            except AlreadyRunning:
                raise NotAvailable("another process has the vectors") from None

    def _let_go(self) -> None:
        owned, self._owned = self._owned, None
        if owned is not None:
            owned.release()

    def _open(self, fingerprint: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Start the process, with the vectors that are there or new ones, and have them prove themselves."""
        folder = self._folder / f"chroma-{fingerprint}"
        missing = () if folder.exists() else ids
        folder.mkdir(exist_ok=True)
        self._worker = worker = Worker(folder, fingerprint, self._program)
        if self._closing.is_set():  # it may have looked before there was a process to end
            worker.kill()
            raise NotAvailable("it is not needed any more")
        try:
            opened = worker.ask("open", OPEN_WITHIN_S)
            for start in range(0, len(missing), AT_ONCE):
                some = slice(start, start + AT_ONCE)
                fields = {"ids": missing[some], "vectors": packed(vectors[some])}
                opened |= worker.ask("upsert", WRITE_WITHIN_S, **fields)
            _prove(worker, opened, fingerprint, ids, vectors)
        except BaseException:
            worker.kill()
            raise

    def _mark(self) -> None:
        with suppress(OSError):
            (self._folder / MARK).touch()

    def _clear(self, but: str = "") -> None:
        """Delete what earlier indexes left, and the mark."""
        for each in self._folder.glob("chroma-*"):
            if each.name != but:
                shutil.rmtree(each, ignore_errors=True)
        (self._folder / MARK).unlink(missing_ok=True)


def made_of(ids: Sequence[str], vectors: Vectors) -> str:
    """Return a short name for exactly these vectors."""
    total = hashlib.sha256("\n".join([FORMAT, *ids]).encode())
    total.update(np.ascontiguousarray(vectors, "<f4").tobytes())
    return total.hexdigest()[:16]


def _prove(
    worker: Worker, opened: Answer, fingerprint: str, ids: Sequence[str], vectors: Vectors
) -> None:
    """See that all are there, and that some from all over find themselves, or one that is the same."""
    if opened.get("fingerprint") != fingerprint:
        raise Unproved("they are of other texts")
    if opened.get("count") != len(ids):
        raise Unproved(f"{opened.get('count')} of {len(ids)} are there")
    rows = {one: row for row, one in enumerate(ids)}
    for row in range(0, len(ids), max(1, len(ids) // CANARIES)):
        found = worker.ask("query", PROVE_WITHIN_S, vector=packed(vectors[row]), k=1).get("ids")
        first = rows.get(found[0]) if found else None
        if first is None or float(vectors[first] @ vectors[row]) < SAME:
            raise Unproved(f"{ids[row]} does not find itself")
