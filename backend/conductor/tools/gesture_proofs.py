"""What a change can affect at once, and the gestures that show more of it in the background."""

import logging
import queue
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

from conductor.base.clock import now
from conductor.domain.config import Config
from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.engine.gestures.exhaustive import Budget, ExhaustiveProof
from conductor.engine.touches import Touches

log = logging.getLogger(__name__)

STEP_MS = 15.0
REST_S = 0.015
"""Between two slices the other threads have the interpreter, and the other programs the processor."""
PUBLISHED_EVERY_S = 0.5
Publish = Callable[[str, Coverage], bool]


class _Job(NamedTuple):
    plan_id: str
    proof: ExhaustiveProof
    publish: Publish


class GestureProofs:
    """One thread plays the gestures of one plan after another, half of the time at most. `close` ends it."""

    def __init__(
        self,
        budget: Budget = Budget(),  # noqa: B008 - a named tuple never changes
        rest_s: float = REST_S,
    ) -> None:
        self._budget = budget
        self._rest_s = rest_s
        self._last: tuple[Config, Config, ExhaustiveProof] | None = None
        self._jobs: queue.Queue[_Job | None] = queue.Queue()
        self._closed = threading.Event()
        self._pauses = 0
        self._may_play = threading.Event()
        self._may_play.set()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._proofs: weakref.WeakSet[ExhaustiveProof] = weakref.WeakSet()
        """All that are still in use: each knows which controls were played."""

    def begin(self, old: Config, new: Config, touches: Touches | None) -> tuple[Impact, Coverage]:
        """Compute what a change can affect, and which of its mappings were played.

        `touches` is None when the recording cannot be read.
        """
        proof = self._proof(old, new, touches)
        with self._lock:
            self._last = old, new, proof
        return proof.impact, proof.coverage

    def play(
        self,
        plan_id: str,
        old: Config,
        new: Config,
        read: Callable[[], Touches | None],
        publish: Publish,
    ) -> None:
        """Play the gestures of a plan in the background, after those of the plans before it.

        `read` returns what was touched, for a change that was not the last to begin.
        """
        with self._lock:
            last, self._last = self._last, None
            if self._closed.is_set():
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="gestures", daemon=True)
                self._thread.start()
        if last is not None and last[0] is old and last[1] is new:
            proof = last[2]
        else:
            proof = self._proof(old, new, read())
        self._jobs.put(_Job(plan_id, proof, publish))

    @contextmanager
    def pause(self) -> Generator[None]:
        """Keep the gestures waiting: they would take half of the time from a proof that is asked for."""
        with self._lock:
            self._pauses += 1
            self._may_play.clear()
        try:
            yield
        finally:
            with self._lock:
                self._pauses -= 1
                if not self._pauses:
                    self._may_play.set()

    def forget(self) -> None:
        """Drop which controls were played, since the recording was cleared."""
        with self._lock:
            self._last = None
            proofs = list(self._proofs)
        for proof in proofs:
            proof.forget_played()

    def close(self) -> None:
        """End the thread; what it was playing stays unfinished."""
        self._closed.set()
        self._may_play.set()
        self._jobs.put(None)
        thread = self._thread
        if thread is not None:
            thread.join(timeout=5)

    def _proof(self, old: Config, new: Config, touches: Touches | None) -> ExhaustiveProof:
        proof = ExhaustiveProof(old, new, self._budget, touches=touches)
        with self._lock:
            self._proofs.add(proof)
        return proof

    def _work(self) -> None:
        while not self._closed.is_set() and (job := self._jobs.get()) is not None:
            try:
                self._prove(job)
            except Exception:  # a fault in the proof of one plan must not cost those of the others
                log.exception("the gestures of plan %s could not be played", job.plan_id)

    def _prove(self, job: _Job) -> None:
        self._may_play.wait()
        published_at = now()
        for found in job.proof.run(STEP_MS):
            if self._closed.is_set():
                return
            if found.finished or now() - published_at >= PUBLISHED_EVERY_S:
                published_at = now()
                if not job.publish(job.plan_id, found):
                    return
            if self._closed.wait(self._rest_s):
                return
            self._may_play.wait()
