"""Performs effects, in the engine thread or on a worker if the action may block."""

import logging
import queue
import threading
from collections.abc import Callable
from typing import NamedTuple

from conductor.base.clock import now
from conductor.base.realtime import leave_real_time
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.events import InputEvent
from conductor.domain.ports import Ports
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect
from conductor.engine.effects import perform_effect
from conductor.engine.plugin_lanes import PluginCallScheduler
from conductor.errors import ActionCancelled, ActionFailed

log = logging.getLogger(__name__)

WORKER_COUNT = 4
MAX_QUEUED_JOBS = 64


class EffectOutcome(NamedTuple):
    """How a watched effect ended."""

    is_known: bool
    """Whether the effect has ended. Otherwise it still runs."""
    reason: str | None = None
    """The reason of a failure."""


OnEnd = Callable[[EffectOutcome], None]
CANCELLATION_GRACE_S = 1.0
"""Time, in seconds, that a cancelled job has to end before its worker is abandoned."""


class WorkerJob:
    """An action that runs on a worker thread."""

    def __init__(self, effect: Effect, sequence: int, limit_s: float) -> None:
        self.cancelled = threading.Event()
        fire = effect.fire._replace(cancelled=self.cancelled)
        self.effect = effect._replace(fire=fire)
        self.sequence = sequence
        self.limit_s = limit_s
        self.deadline = 0.0
        """The engine time at which the job is cancelled or, once cancelled, abandoned; set when the job starts.
        """
        self.is_late = False
        self.is_finished = False
        """True once the result of the job was reported. The result is reported exactly once: by the worker, or
        when the job is abandoned.
        """

    def describe_cancellation(self, error: ActionCancelled) -> str:
        """Return why the job was cancelled."""
        if self.is_late:
            return f"took longer than {self.limit_s:g} s and was stopped"
        return str(error) or "cancelled"


class EffectRunner:
    """Performs effects and reports each failure exactly once, with its reason.

    `post` receives the `completed` events; `on_failure` is called from any thread with the effect, the
    sequence number of its trace, and the reason.
    """

    def __init__(
        self,
        ports: Ports,
        post: Callable[[InputEvent], None],
        on_failure: Callable[[Effect, int, str], None],
    ) -> None:
        self._ports = ports
        self._post = post
        self._on_failure = on_failure
        self._settings = EngineSettings()
        self.dry_run = False
        """Whether actions are only reported, not performed."""
        self.done = 0
        """Effects performed, without releases."""
        self._jobs: queue.Queue[WorkerJob | None] = queue.Queue(MAX_QUEUED_JOBS)
        self._running: set[WorkerJob] = set()
        self._lock = threading.Lock()
        self._workers: set[threading.Thread] = set()
        self._workers_started = 0
        self._plugins = PluginCallScheduler(ports, self._complete_action, self._wake_engine)
        self._watches: dict[int, tuple[float, OnEnd]] = {}
        """The engine time at which each watch gives up, and its callback, by the sequence of the trace."""

    def apply_settings(self, settings: EngineSettings) -> None:
        self._settings = settings

    def perform_effect(self, effect: Effect, sequence: int) -> bool:
        """Perform one effect of a trace without raising or blocking. Return False if the effect failed
        immediately.
        """
        if effect.kind in ("mode", "variable"):
            return True
        self.done += effect.kind != "release"
        if self.dry_run:
            self._complete_action(effect, sequence, None)
        elif isinstance(effect.action, PluginAction):
            self._plugins.submit_call(effect, sequence, effect.action)
        elif effect.action.blocking:
            self._enqueue_job(effect, sequence)
        else:
            return self._perform_in_engine_thread(effect, sequence)
        return True

    def watch_first_effect(self, sequence: int, until: float, on_end: OnEnd) -> None:
        """Call `on_end` when the first effect of a trace has ended, or at the engine time `until`.

        Must be called before the effect is performed. `on_end` is called once, from any thread.
        """
        with self._lock:
            self._watches[sequence] = (until, on_end)

    def get_due_time(self) -> float | None:
        """Return the engine time of the next job's time limit, plugin call or end of a watch, or None."""
        with self._lock:
            times = [job.deadline for job in self._running if not job.is_finished]
            times += [until for until, _ in self._watches.values()]
        plugin_due = self._plugins.get_due_time()
        return min(times if plugin_due is None else [*times, plugin_due], default=None)

    def cancel_expired(self, at: float) -> None:
        """Cancel jobs at their time limit, and abandon jobs that do not end within the grace period."""
        self._plugins.process_due_calls(at)
        with self._lock:
            late = [job for job in self._running if job.deadline <= at and not job.is_finished]
            unknown = [number for number, (until, _) in self._watches.items() if until <= at]
        for sequence in unknown:
            self._end_watch(sequence, EffectOutcome(is_known=False))
        for job in late:
            if not job.cancelled.is_set():
                # `is_late` is set first, because the worker reads it as soon as it notices the cancellation.
                job.is_late = True
                job.cancelled.set()
                job.deadline = at + CANCELLATION_GRACE_S
            else:
                self._finish_job(job, f"took longer than {job.limit_s:g} s and was abandoned")
                # A thread cannot be killed. The worker ends once its action returns; until then the
                # new worker takes its place.
                self._start_worker()

    def cancel_all(self) -> None:
        """Cancel every job and plugin call, queued or running."""
        self._plugins.cancel_all()
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is not None:
                self._complete_action(job.effect, job.sequence, "cancelled")
        with self._lock:
            for job in self._running:
                job.cancelled.set()

    def close(self) -> None:
        """Cancel everything and stop the workers."""
        self.cancel_all()
        with self._lock:
            workers = list(self._workers)
        for _ in workers:
            try:
                self._jobs.put_nowait(None)
            except queue.Full:
                break
        for worker in workers:
            worker.join(timeout=CANCELLATION_GRACE_S)

    def _perform_in_engine_thread(self, effect: Effect, sequence: int) -> bool:
        reason: str | None = None
        try:
            self._perform_through_ports(effect)
        except ActionFailed as error:
            reason = str(error)
        except Exception as error:  # a broken action must not end the engine
            log.exception("action %s failed", effect.action.type)  # pyright: ignore[reportAttributeAccessIssue]
            reason = f"failed unexpectedly: {error}"
        self._complete_action(effect, sequence, reason)
        return reason is None

    def _perform_through_ports(self, effect: Effect) -> None:
        perform_effect(effect, self._ports, self._settings)

    def _enqueue_job(self, effect: Effect, sequence: int) -> None:
        limit_s = max(
            self._settings.action_timeout_s,
            getattr(effect.action, "timeout_s", 0) + CANCELLATION_GRACE_S,
        )
        job = WorkerJob(effect, sequence, limit_s)
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self._complete_action(
                effect,
                sequence,
                f"{MAX_QUEUED_JOBS} actions are already waiting, so this action was dropped",
            )
            return
        # No lock is needed: only this thread adds workers, and a worker that ends in the meantime was
        # abandoned and has already been replaced.
        if len(self._workers) < WORKER_COUNT:
            self._start_worker()

    def _start_worker(self) -> None:
        self._workers_started += 1
        worker = threading.Thread(
            target=self._run_worker, name=f"worker {self._workers_started}", daemon=True
        )
        with self._lock:
            self._workers.add(worker)
        worker.start()

    def _run_worker(self) -> None:
        leave_real_time()
        try:
            self._run_jobs()
        finally:
            with self._lock:
                self._workers.discard(threading.current_thread())

    def _run_jobs(self) -> None:
        """Run jobs until `close` sends None, or until the current job is abandoned."""
        while (job := self._jobs.get()) is not None:
            job.deadline = now() + job.limit_s
            with self._lock:
                self._running.add(job)
            self._wake_engine()
            reason: str | None = None
            try:
                self._perform_through_ports(job.effect)
            except ActionCancelled as error:
                reason = job.describe_cancellation(error)
            except ActionFailed as error:
                reason = str(error)
            except Exception as error:  # a broken action must not end the worker
                log.exception("action %s failed", job.effect.action)
                reason = f"failed unexpectedly: {error}"
            if job.is_finished:  # abandoned: another worker has replaced this worker
                return
            self._finish_job(job, reason)

    def _wake_engine(self) -> None:
        """Wake the engine so that it re-evaluates its deadlines."""
        self._post(InputEvent("timer", "", 0, 0, 0, now()))

    def _finish_job(self, job: WorkerJob, reason: str | None) -> None:
        # The worker may end at the moment when the engine abandons it. The first result counts.
        with self._lock:
            if job.is_finished:
                return
            job.is_finished = True
            self._running.discard(job)
        self._complete_action(job.effect, job.sequence, reason)

    def _end_watch(self, sequence: int, outcome: EffectOutcome) -> None:
        with self._lock:
            watch = self._watches.pop(sequence, None)
        if watch is not None:
            watch[1](outcome)

    def _complete_action(self, effect: Effect, sequence: int, reason: str | None) -> None:
        if reason is not None:
            self._on_failure(effect, sequence, reason)
        if self._watches:
            self._end_watch(sequence, EffectOutcome(is_known=True, reason=reason))
        if effect.waits:
            done = int(reason is None)
            self._post(InputEvent("completed", "", 0, effect.run, done, now(), reason))
