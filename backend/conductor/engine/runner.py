"""Performs effects in the engine thread or, if their action may block, on a worker thread."""

import logging
import queue
import threading
from collections.abc import Callable
from typing import NamedTuple

from conductor.base.clock import now
from conductor.base.realtime import leave_real_time
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.actions.push_to_talk import PushToTalkAction
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
    """The outcome of an effect that was watched, such as an action the user tries out."""

    is_known: bool
    """Whether the effect has ended; if not, it is still running."""
    reason: str | None = None
    """Why the effect failed; None if it succeeded or is still running."""


OnEnd = Callable[[EffectOutcome], None]
CANCELLATION_GRACE_S = 1.0
"""Seconds that a cancelled job has to end, before its worker thread is abandoned."""


class WorkerJob:
    """An action that runs on a worker thread, with its time limit."""

    def __init__(self, effect: Effect, sequence: int, limit_s: float) -> None:
        self.cancelled = threading.Event()
        fire = effect.fire._replace(cancelled=self.cancelled)
        self.effect = effect._replace(fire=fire)
        self.sequence = sequence
        self.limit_s = limit_s
        self.deadline = 0.0
        """The engine time at which the job is cancelled or, if it is cancelled already, abandoned.
        Set when the job starts."""
        self.is_late = False
        self.is_finished = False
        """True once the result of the job was reported, by its worker or when it was abandoned. Each job
        is reported exactly once."""

    def describe_cancellation(self, error: ActionCancelled) -> str:
        """Return the reason for which the job was cancelled, as it is reported to the user."""
        if self.is_late:
            return f"took longer than {self.limit_s:g} s and was stopped"
        return str(error) or "cancelled"


class EffectRunner:
    """Performs effects, and reports each failure once with its reason.

    `post` is called with the `completed` events. `on_failure` is called from any thread, with the effect,
    the sequence number of its trace and the reason.
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
        self._listening: tuple[Effect, int] | None = None
        """The last press of a control with a `PushToTalk` action, and the number of its trace."""
        self._settings = EngineSettings()
        self.dry_run = False
        """Whether actions are only reported and not performed."""
        self.done = 0
        """The number of effects that were performed, not counting releases."""
        self._jobs: queue.Queue[WorkerJob | None] = queue.Queue(MAX_QUEUED_JOBS)
        self._running: set[WorkerJob] = set()
        self._lock = threading.Lock()
        self._workers: set[threading.Thread] = set()
        self._workers_started = 0
        self._plugins = PluginCallScheduler(ports, self._complete_action, self._wake_engine)
        self._press_failures: dict[tuple[str, int], str | None] = {}
        """Why the last press of each mapping failed; None if it succeeded."""
        self._watches: dict[int, tuple[float, OnEnd]] = {}
        """For the sequence number of each watched trace, the engine time at which to
        give up, and the callback."""

    def apply_settings(self, settings: EngineSettings) -> None:
        self._settings = settings

    def perform_effect(self, effect: Effect, sequence: int) -> bool:
        """Perform one effect of a trace, without raising an error or blocking; return False
        if it failed immediately.
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
        """Call `on_end` once the first effect of a trace has ended, or at the engine
        time `until` if it has not.

        Call this method before the effect is performed. `on_end` is called once, from any thread.
        """
        with self._lock:
            self._watches[sequence] = (until, on_end)

    def get_due_time(self) -> float | None:
        """Return the engine time at which `cancel_expired` must be called next, or None."""
        with self._lock:
            times = [job.deadline for job in self._running if not job.is_finished]
            times += [until for until, _ in self._watches.values()]
        plugin_due = self._plugins.get_due_time()
        return min(times if plugin_due is None else [*times, plugin_due], default=None)

    def cancel_expired(self, at: float) -> None:
        """Cancel jobs that have reached their time limit, and abandon jobs that did not
        end after being cancelled.
        """
        self._plugins.process_due_calls(at)
        with self._lock:
            late = [job for job in self._running if job.deadline <= at and not job.is_finished]
            unknown = [number for number, (until, _) in self._watches.items() if until <= at]
        for sequence in unknown:
            self._end_watch(sequence, EffectOutcome(is_known=False))
        for job in late:
            if not job.cancelled.is_set():
                # `is_late` is set first, because the worker reads it as soon as it
                # notices that it was cancelled.
                job.is_late = True
                job.cancelled.set()
                job.deadline = at + CANCELLATION_GRACE_S
            else:
                self._finish_job(job, f"took longer than {job.limit_s:g} s and was abandoned")
                # A thread cannot be killed. It ends when its action returns; until then, a
                # new worker takes its place.
                self._start_worker()

    def cancel_all(self) -> None:
        """Cancel every job and plugin call, whether it is queued or running."""
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
        """Cancel all jobs and calls, and stop the worker threads."""
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
            log.exception("unexpected error in the action %s", effect.action.type)  # pyright: ignore[reportAttributeAccessIssue]
            reason = f"failed unexpectedly: {error}"
        self._complete_action(effect, sequence, reason)
        if effect.kind == "press" and isinstance(effect.action, PushToTalkAction):
            self._listening = effect, sequence
        return reason is None

    def fail_listening(self, reason: str) -> None:
        """Report that the microphone could not be opened for the last control with a `PushToTalk` action.

        The press itself does not wait for the microphone, which takes seconds to open.
        """
        listening, self._listening = self._listening, None
        if listening is not None:
            self._on_failure(*listening, reason)

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
        # No lock is needed: only this thread adds workers, and a worker that has ended since
        # was abandoned and replaced.
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
        """Run jobs until `close` sends None, or until the job of this worker is abandoned."""
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
            except Exception as error:  # an unexpected error in an action must not end the worker
                log.exception("unexpected error in the action %s", job.effect.action)
                reason = f"failed unexpectedly: {error}"
            if job.is_finished:  # the job was abandoned, and another worker has replaced this one
                return
            self._finish_job(job, reason)

    def _wake_engine(self) -> None:
        """Wake the engine, so that it checks its deadlines again."""
        self._post(InputEvent("timer", "", 0, 0, 0, now()))

    def _finish_job(self, job: WorkerJob, reason: str | None) -> None:
        # The worker may finish at the moment at which the engine abandons it; only the first result counts.
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
        mapping = (effect.ref.scope, effect.ref.index)
        last_reason = self._press_failures.get(mapping)
        if effect.kind != "release":
            self._press_failures[mapping] = reason
        # The release of a press that failed fails too, for example because the output is still missing.
        if reason is not None and not (effect.kind == "release" and reason == last_reason):
            self._on_failure(effect, sequence, reason)
        if self._watches:
            self._end_watch(sequence, EffectOutcome(is_known=True, reason=reason))
        if effect.waits:
            done = int(reason is None)
            self._post(InputEvent("completed", "", 0, effect.run, done, now(), reason))
