"""The live engine: one thread that waits for events and deadlines, and does what `step` decides."""

import logging
import select
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from operator import attrgetter

from conductor.base.clock import now
from conductor.domain.events import InputEvent
from conductor.domain.ports import EventSource
from conductor.domain.trace import TINY_S, Trace
from conductor.engine import play
from conductor.engine.runner import Runner
from conductor.engine.state import EngineState
from conductor.engine.step import advance, feed

log = logging.getLogger(__name__)

POLLS_A_TURN = 8
"""A repetition every millisecond must not make the engine look at its sources for ever."""
Call = Callable[[EngineState], Trace | None]
_by_time = attrgetter("time")


def _ignore(_run: int) -> None:
    return


class Engine:
    """Owns the state and its thread. Everything else is handed over: events, calls, sources."""

    def __init__(
        self,
        state: EngineState,
        runner: Runner,
        observe: Callable[[Trace], None],
        on_run_failed: Callable[[int], object] = _ignore,
    ) -> None:
        """`observe` gets each trace, `on_run_failed` each run whose action failed at once."""
        self.state = state
        self._runner = runner
        self._observe = observe
        self._on_run_failed = on_run_failed
        self._sources: dict[int, EventSource] = {}
        self._posted: deque[InputEvent] = deque()
        self._calls: deque[Call] = deque()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._stopping = False
        self.beats = 0
        """Grows while the thread is alive and not stuck."""
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread after what has already arrived; it cannot be started again."""
        self._stopping = True
        self._wake()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        if not self._thread.is_alive():
            self._wake_in.close()
            self._wake_out.close()

    def post(self, event: InputEvent) -> None:
        """Hand over an event from another thread."""
        self._posted.append(event)
        self._wake()

    def call(self, do: Call) -> None:
        """Have something done with the state, on the engine's thread, before the next event."""
        self._calls.append(do)
        self._wake()

    def add_source(self, source: EventSource) -> None:
        """Wait on a source from now on."""
        self.call(lambda _: self._sources.__setitem__(source.fileno(), source))

    def remove_source(self, source: EventSource) -> None:
        self.call(lambda _: self._forget(source))

    def _forget(self, source: EventSource) -> None:
        for fileno in [number for number, known in self._sources.items() if known is source]:
            del self._sources[fileno]

    def _wake(self) -> None:
        try:
            self._wake_out.send(b"\0")
        except (BlockingIOError, OSError):
            pass

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._turn()
            except Exception:  # the engine thread outlives every fault
                log.exception("the engine met a fault and goes on")

    def _turn(self) -> None:
        due, job_due = self.state.due(), self._runner.due()
        nearest = min((at for at in (due, job_due) if at is not None), default=None)
        timeout = None if nearest is None else max(0.0, nearest - now())
        if self._calls:  # `_poll` may have taken their wake-up
            timeout = 0.0
        filenos = [*self._sources, self._wake_in.fileno()]
        try:
            ready, _, _ = select.select(filenos, [], [], timeout)
        except (OSError, ValueError):
            self._drop_closed()
            return
        self.beats += 1
        events = self._gather(ready)
        if self._calls:
            due = self.state.due()
            if due is not None and due <= now():
                # as in a simulation: what is due by now comes before what is asked now
                self._play(deque(event for event in events if event.time <= due))
                events = [event for event in events if event.time > due]
            self._do_calls()
        at = self._play(deque(events))
        if job_due is not None and job_due <= at:
            self._runner.expire(at)

    def _play(self, events: deque[InputEvent]) -> float:
        """Judge events, and what has become due; return the time up to which that was done.

        Before a deadline is acted on the sources are read once more: a release that was stamped
        before the end of a long press, and arrives while this thread wakes up for it, is a tap.
        """
        polls = 0
        while True:
            until = events[0].time if events else now()
            due = self.state.due()
            if due is not None and due <= until + TINY_S and polls < POLLS_A_TURN:
                polls += 1
                arrived = self._poll()
                if arrived:
                    events = deque(sorted((*events, *arrived), key=_by_time))
                    continue
            if not events:
                self._follow(advance(self.state, until))
                return until
            self._take(events.popleft())

    def _poll(self) -> list[InputEvent]:
        """Return what has arrived by now."""
        try:
            ready, _, _ = select.select([*self._sources, self._wake_in.fileno()], [], [], 0)
        except (OSError, ValueError):
            self._drop_closed()
            return []
        return self._gather(ready)

    def _take(self, event: InputEvent) -> None:
        """Do one event; a fault in it must not cost the others, such as the note-off behind it."""
        try:
            self._follow(feed(self.state, event))
        except Exception:
            log.exception("the engine met a fault and goes on: %s", event)

    def _gather(self, ready: list[int]) -> list[InputEvent]:
        events: list[InputEvent] = []
        senders = 0
        for fileno in ready:
            source = self._sources.get(fileno)
            if source is None:
                continue
            try:
                arrived = source.read()
            except EOFError:
                del self._sources[fileno]
                continue
            senders += bool(arrived)
            events += arrived
        if self._wake_in.fileno() in ready:
            self._drain_wake()
        if self._posted:
            senders += 1
            while self._posted:
                events.append(self._posted.popleft())
        if senders > 1:
            events.sort(key=_by_time)
        return events

    def _drain_wake(self) -> None:
        try:
            while len(self._wake_in.recv(4096)) == 4096:
                pass
        except (BlockingIOError, OSError):
            pass

    def _do_calls(self) -> None:
        while self._calls:
            do = self._calls.popleft()
            try:
                trace = do(self.state)
                if trace is not None:
                    self._follow([trace])
            except Exception:
                log.exception("the engine met a fault and goes on")

    def _follow(self, traces: Sequence[Trace]) -> None:
        """Do what was decided.

        All these traces were judged before any of them is followed, so a run that fails ends after
        the last: a recording would otherwise have it end before an event that still met it.
        """
        failed_runs: list[int] = []
        for trace in traces:
            failed: set[int] = set()
            for effect in trace.effects:
                if effect.run in failed:
                    continue
                if not self._runner.perform(effect, trace.sequence) and effect.run:
                    failed.add(effect.run)
                    failed_runs.append(effect.run)
            self._observe(trace)
        for run in failed_runs:
            play.fail(self.state, run)
            self._on_run_failed(run)

    def _drop_closed(self) -> None:
        """Forget sources whose descriptor was closed under us."""
        for fileno, source in list(self._sources.items()):
            try:
                select.select([fileno], [], [], 0)
            except (OSError, ValueError):
                log.warning("a source was closed while it was waited on: %s", source)
                del self._sources[fileno]
