"""Computes the impact of a change, and plays gestures in the background to increase the coverage of its
proof.
"""

import logging
import queue
import threading
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

from conductor.base.clock import now
from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.coverage import Coverage
from conductor.domain.impact import Impact
from conductor.engine.gestures.exhaustive import ExhaustiveProof, ProofBudget
from conductor.engine.touches import PlayedTouches

log = logging.getLogger(__name__)

PLAY_STEP_MS = 15.0
PAUSE_BETWEEN_STEPS_S = 0.015
"""The pause of the thread after each step, so that other threads and programs can run."""
COVERAGE_PUBLISH_INTERVAL_S = 0.5
PublishCoverage = Callable[[str, Coverage], bool]


class _ProofJob(NamedTuple):
    plan_id: str
    proof: ExhaustiveProof
    publish: PublishCoverage


class GestureProofQueue:
    """Plays the gestures of one plan after another in a thread, which uses at most half of the CPU time."""

    def __init__(
        self,
        budget: ProofBudget = ProofBudget(),  # noqa: B008 - a named tuple is immutable
        pause_s: float = PAUSE_BETWEEN_STEPS_S,
    ) -> None:
        self._budget = budget
        self._pause_s = pause_s
        self._last: tuple[Config, Config, ExhaustiveProof] | None = None
        self._jobs: queue.Queue[_ProofJob | None] = queue.Queue()
        self._last_job: dict[str, _ProofJob] = {}
        """The last proof of each plan: it replaces one for an earlier config."""
        self._closed = threading.Event()
        self._pauses = 0
        self._may_play = threading.Event()
        self._may_play.set()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._proofs: weakref.WeakSet[ExhaustiveProof] = weakref.WeakSet()
        """All proofs that are in use. Each one remembers which controls were played."""

    def start_proof(
        self,
        old: Config,
        new: Config,
        touches: PlayedTouches | None,
        names: ControlNames = NO_CONTROL_NAMES,
    ) -> tuple[Impact, Coverage]:
        """Return the impact of a change, and the coverage that has been reached so far.

        `touches` is None if the recording cannot be read. `names` are the control names for the texts.
        """
        proof = self._build_proof(old, new, touches, names)
        with self._lock:
            self._last = old, new, proof
        return proof.impact, proof.coverage

    def queue_proof(
        self,
        plan_id: str,
        old: Config,
        new: Config,
        read_touches: Callable[[], PlayedTouches | None],
        publish: PublishCoverage,
        names: ControlNames = NO_CONTROL_NAMES,
    ) -> None:
        """Queue the gestures of a plan, which are played in the background.

        `read_touches` returns the controls that were played. It is not called if the last call of
        `start_proof` had the same configs.
        """
        with self._lock:
            last, self._last = self._last, None
            if self._closed.is_set():
                return
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run_proof_jobs, name="gestures", daemon=True
                )
                self._thread.start()
        if last is not None and last[0] is old and last[1] is new:
            proof = last[2]
        else:
            proof = self._build_proof(old, new, read_touches(), names)
        job = _ProofJob(plan_id, proof, publish)
        with self._lock:
            self._last_job[plan_id] = job
        self._jobs.put(job)

    @contextmanager
    def pause_playing(self) -> Generator[None]:
        """Pause the gestures, so that a proof for which the user waits gets the whole CPU time."""
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

    def forget_played_controls(self) -> None:
        """Forget which controls were played, because the recording was cleared."""
        with self._lock:
            self._last = None
            proofs = list(self._proofs)
        for proof in proofs:
            proof.forget_recorded_touches()

    def close(self) -> None:
        """Stop the thread. The proof in progress stays incomplete."""
        self._closed.set()
        self._may_play.set()
        self._jobs.put(None)
        thread = self._thread
        if thread is not None:
            thread.join(timeout=5)

    def _build_proof(
        self, old: Config, new: Config, touches: PlayedTouches | None, names: ControlNames
    ) -> ExhaustiveProof:
        proof = ExhaustiveProof(old, new, self._budget, touches, names)
        with self._lock:
            self._proofs.add(proof)
        return proof

    def _run_proof_jobs(self) -> None:
        while not self._closed.is_set() and (job := self._jobs.get()) is not None:
            try:
                self._run_proof_job(job)
            except Exception:  # a proof that fails must not prevent later proofs
                log.exception("could not play the gestures of plan %s", job.plan_id)
            with self._lock:
                if self._last_job.get(job.plan_id) is job:
                    del self._last_job[job.plan_id]

    def _run_proof_job(self, job: _ProofJob) -> None:
        self._may_play.wait()
        published_at = now()
        for coverage in job.proof.run(PLAY_STEP_MS):
            if self._closed.is_set() or self._last_job.get(job.plan_id) is not job:
                return
            if coverage.finished or now() - published_at >= COVERAGE_PUBLISH_INTERVAL_S:
                published_at = now()
                if not job.publish(job.plan_id, coverage):
                    return
            if self._closed.wait(self._pause_s):
                return
            self._may_play.wait()
