"""Does what the engine decides: at once, or on a worker when it may have to wait."""

import logging
import queue
import threading
from collections.abc import Callable

from conductor.base.clock import now
from conductor.base.realtime import back_to_ordinary
from conductor.domain.actions.plugin import PluginAction
from conductor.domain.events import InputEvent
from conductor.domain.ports import Ports
from conductor.domain.settings import EngineSettings
from conductor.domain.trace import Effect
from conductor.engine.effects import perform_effect
from conductor.engine.plugin_lanes import PluginLanes
from conductor.errors import ActionCancelled, ActionFailed

log = logging.getLogger(__name__)

WORKERS = 4
WAITING_AT_MOST = 64
GRACE_S = 1.0
"""How long after its time limit a job may take to notice before its worker is given up."""


class Job:
    """One action on a worker."""

    def __init__(self, effect: Effect, sequence: int, limit_s: float) -> None:
        self.cancelled = threading.Event()
        fire = effect.fire._replace(cancelled=self.cancelled)
        self.effect = effect._replace(fire=fire)
        self.sequence = sequence
        self.limit_s = limit_s
        self.deadline = 0.0
        """When its time is over, from its start on."""
        self.late = False
        self.answered = False

    def stopped(self, error: ActionCancelled) -> str:
        """Return why it ended before its end."""
        if self.late:
            return f"took longer than {self.limit_s:g} s and was stopped"
        return str(error) or "cancelled"


class Runner:
    """Performs effects and reports each failure once, with its reason.

    `post` takes the `completed` events; `on_failure` takes (effect, number of its trace,
    reason) from any thread.
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
        self.rehearsing = False
        """True: actions are shown, not done."""
        self.done = 0
        self._jobs: queue.Queue[Job | None] = queue.Queue(WAITING_AT_MOST)
        self._running: set[Job] = set()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._plugins = PluginLanes(ports, self._complete, self._wake)

    def configure(self, settings: EngineSettings) -> None:
        self._settings = settings

    def perform(self, effect: Effect, sequence: int) -> bool:
        """Do one effect of a trace. Never raises and never waits; False when it failed at once."""
        if effect.kind in ("mode", "variable"):
            return True
        self.done += effect.kind != "release"
        if self.rehearsing:
            self._complete(effect, sequence, None)
        elif isinstance(effect.action, PluginAction):
            self._plugins.take(effect, sequence, effect.action)
        elif effect.action.blocking:
            self._hand_over(effect, sequence)
        else:
            return self._attempt(effect, sequence)
        return True

    def due(self) -> float | None:
        """Return the time when the next job on a worker runs out of time, or a plugin is to be called."""
        with self._lock:
            times = [job.deadline for job in self._running if not job.answered]
        plugin_due = self._plugins.due()
        return min(times if plugin_due is None else [*times, plugin_due], default=None)

    def expire(self, at: float) -> None:
        """Cancel jobs that have run out of time, and give up those that do not notice."""
        self._plugins.advance(at)
        with self._lock:
            late = [job for job in self._running if job.deadline <= at and not job.answered]
        for job in late:
            if not job.cancelled.is_set():
                job.late = True
                job.cancelled.set()
                job.deadline = at + GRACE_S
            else:
                self._answer(job, f"took longer than {job.limit_s:g} s and was given up")
                self._start_worker()

    def cancel_all(self) -> None:
        """Cancel every job and every call of a plugin, waiting or running."""
        self._plugins.cancel_all()
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is not None:
                self._complete(job.effect, job.sequence, "cancelled")
        with self._lock:
            for job in self._running:
                job.cancelled.set()

    def close(self) -> None:
        """Cancel everything and end the workers."""
        self.cancel_all()
        for _ in self._threads:
            try:
                self._jobs.put_nowait(None)
            except queue.Full:
                break
        for thread in self._threads:
            thread.join(timeout=GRACE_S)

    def _attempt(self, effect: Effect, sequence: int) -> bool:
        reason: str | None = None
        try:
            self._run(effect)
        except ActionFailed as error:
            reason = str(error)
        except Exception as error:  # one bad action must not end the engine
            log.exception("action %s failed", effect.action.type)  # pyright: ignore[reportAttributeAccessIssue]
            reason = f"failed unexpectedly: {error}"
        self._complete(effect, sequence, reason)
        return reason is None

    def _run(self, effect: Effect) -> None:
        perform_effect(effect, self._ports, self._settings)

    def _hand_over(self, effect: Effect, sequence: int) -> None:
        limit_s = max(
            self._settings.action_timeout_s, getattr(effect.action, "timeout_s", 0) + GRACE_S
        )
        job = Job(effect, sequence, limit_s)
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self._complete(
                effect,
                sequence,
                f"{WAITING_AT_MOST} actions are waiting already: this one was dropped",
            )
            return
        if len(self._threads) < WORKERS:
            self._start_worker()

    def _start_worker(self) -> None:
        thread = threading.Thread(
            target=self._work, name=f"worker {len(self._threads) + 1}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        back_to_ordinary()
        while (job := self._jobs.get()) is not None:
            job.deadline = now() + job.limit_s
            with self._lock:
                self._running.add(job)
            self._wake()
            reason: str | None = None
            try:
                self._run(job.effect)
            except ActionCancelled as error:
                reason = job.stopped(error)
            except ActionFailed as error:
                reason = str(error)
            except Exception as error:  # one bad action must not end the worker
                log.exception("action %s failed", job.effect.action)
                reason = f"failed unexpectedly: {error}"
            if job.answered:
                return
            self._answer(job, reason)

    def _wake(self) -> None:
        """Have the engine look anew at what is due."""
        self._post(InputEvent("timer", "", 0, 0, 0, now()))

    def _answer(self, job: Job, reason: str | None) -> None:
        with self._lock:
            if job.answered:
                return
            job.answered = True
            self._running.discard(job)
        self._complete(job.effect, job.sequence, reason)

    def _complete(self, effect: Effect, sequence: int, reason: str | None) -> None:
        if reason is not None:
            self._on_failure(effect, sequence, reason)
        if effect.waits:
            done = int(reason is None)
            self._post(InputEvent("completed", "", 0, effect.run, done, now(), reason))
