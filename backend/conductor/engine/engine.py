"""Runs the live engine: one thread waits for events and deadlines, and performs what `step` decides."""

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
from conductor.domain.trace import TIME_TOLERANCE_S, Trace
from conductor.engine import play
from conductor.engine.runner import EffectRunner
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, run_due_deadlines

log = logging.getLogger(__name__)

MAX_POLLS_PER_TURN = 8
"""The maximum number of polls before a turn runs its deadlines. Without a limit, a repetition every
millisecond would keep the thread polling."""
EngineCall = Callable[[EngineState], Trace | None]
_get_event_time = attrgetter("time")


def _ignore_run(_run: int) -> None:
    return


class Engine:
    """Owns the state of the engine and the thread that processes events and deadlines.

    Other threads hand over events, calls and sources with the methods of this class.
    """

    def __init__(
        self,
        state: EngineState,
        runner: EffectRunner,
        observe: Callable[[Trace], None],
        on_run_failed: Callable[[int], object] = _ignore_run,
    ) -> None:
        """Create an engine that is not running yet.

        `observe` receives each trace, and `on_run_failed` the id of each run whose
        action failed immediately.
        """
        self.state = state
        self._runner = runner
        self._observe = observe
        self._on_run_failed = on_run_failed
        self._sources: dict[int, EventSource] = {}
        self._posted: deque[InputEvent] = deque()
        self._calls: deque[EngineCall] = deque()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._stopping = False
        self.beats = 0
        """The number of turns of the engine thread; it stops growing if the thread is stuck."""
        self._thread = threading.Thread(target=self._run_engine_thread, name="engine", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the engine thread after the events in progress. The engine cannot be started again."""
        self._stopping = True
        self._wake_engine_thread()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        if not self._thread.is_alive():
            self._wake_in.close()
            self._wake_out.close()

    def post_event(self, event: InputEvent) -> None:
        """Add an event to the queue of the engine thread. Any thread may call this."""
        self._posted.append(event)
        self._wake_engine_thread()

    def call_in_engine_thread(self, do: EngineCall) -> None:
        """Call a function with the engine's state, in the engine thread and before the next event."""
        self._calls.append(do)
        self._wake_engine_thread()

    def add_source(self, source: EventSource) -> None:
        """Add a source of events, such as a MIDI input, on which the engine thread waits."""
        self.call_in_engine_thread(lambda _: self._sources.__setitem__(source.fileno(), source))

    def remove_source(self, source: EventSource) -> None:
        self.call_in_engine_thread(lambda _: self._remove_source(source))

    def _remove_source(self, source: EventSource) -> None:
        for fileno in [number for number, known in self._sources.items() if known is source]:
            del self._sources[fileno]

    def _wake_engine_thread(self) -> None:
        try:
            self._wake_out.send(b"\0")
        except (BlockingIOError, OSError):
            # The pipe is full, so the thread wakes up anyway, or was closed by `stop`.
            pass

    def _run_engine_thread(self) -> None:
        while not self._stopping:
            try:
                self._run_turn()
            except Exception:  # no error may end the engine thread
                log.exception("unexpected error in the engine thread, which continues")

    def _run_turn(self) -> None:
        due, job_due = self.state.get_due_time(), self._runner.get_due_time()
        nearest = min((at for at in (due, job_due) if at is not None), default=None)
        timeout = None if nearest is None else max(0.0, nearest - now())
        if self._calls:  # `_poll_sources` may have used up the wake-up of these calls
            timeout = 0.0
        filenos = [*self._sources, self._wake_in.fileno()]
        try:
            ready, _, _ = select.select(filenos, [], [], timeout)
        except (OSError, ValueError):
            self._remove_closed_sources()
            return
        self.beats += 1
        events = self._read_sources(ready)
        if self._calls:
            due = self.state.get_due_time()
            if due is not None and due <= now():
                # Due deadlines run before the calls, as in a simulation.
                self._process_events(deque(event for event in events if event.time <= due))
                events = [event for event in events if event.time > due]
            self._run_calls()
        at = self._process_events(deque(events))
        if job_due is not None and job_due <= at:
            self._runner.cancel_expired(at)

    def _process_events(self, events: deque[InputEvent]) -> float:
        """Process events and deadlines in the order of their times; return the time of the last one.

        Before a deadline runs, the sources are read once more. A release that happened before the end of a
        long press may arrive while the thread wakes up for that end, and still makes the press a tap.
        """
        polls = 0
        while True:
            until = events[0].time if events else now()
            due = self.state.get_due_time()
            if due is not None and due <= until + TIME_TOLERANCE_S and polls < MAX_POLLS_PER_TURN:
                polls += 1
                arrived = self._poll_sources()
                if arrived:
                    events = deque(sorted((*events, *arrived), key=_get_event_time))
                    continue
            if not events:
                self._perform_effects(run_due_deadlines(self.state, until))
                return until
            self._judge_safely(events.popleft())

    def _poll_sources(self) -> list[InputEvent]:
        """Return the events that have already arrived, without waiting for more."""
        try:
            ready, _, _ = select.select([*self._sources, self._wake_in.fileno()], [], [], 0)
        except (OSError, ValueError):
            self._remove_closed_sources()
            return []
        return self._read_sources(ready)

    def _judge_safely(self, event: InputEvent) -> None:
        """Process one event and log any error, so that later events, such as a note-off, are not lost."""
        try:
            self._perform_effects(feed_event(self.state, event))
        except Exception:
            log.exception(
                "unexpected error in the engine thread, which continues after the event %s", event
            )

    def _read_sources(self, ready: list[int]) -> list[InputEvent]:
        events: list[InputEvent] = []
        senders = 0
        for fileno in ready:
            source = self._sources.get(fileno)
            if source is None:
                continue
            try:
                arrived = source.read_events()
            except EOFError:
                del self._sources[fileno]
                continue
            senders += bool(arrived)
            events += arrived
        if self._wake_in.fileno() in ready:
            self._drain_wake_pipe()
        if self._posted:
            senders += 1
            while self._posted:
                events.append(self._posted.popleft())
        if senders > 1:  # the events of each source are already in order
            events.sort(key=_get_event_time)
        return events

    def _drain_wake_pipe(self) -> None:
        try:
            while len(self._wake_in.recv(4096)) == 4096:
                pass
        except (BlockingIOError, OSError):
            pass

    def _run_calls(self) -> None:
        while self._calls:
            do = self._calls.popleft()
            try:
                trace = do(self.state)
                if trace is not None:
                    self._perform_effects([trace])
            except Exception:
                log.exception("unexpected error in the engine thread, which continues")

    def _perform_effects(self, traces: Sequence[Trace]) -> None:
        """Perform the effects that the traces of one turn contain.

        All traces of a turn are judged before any effect is performed, so a run whose action fails
        ends after the last trace. Otherwise a replay would end the run before an event that was
        judged while it was running.
        """
        failed_runs: list[int] = []
        for trace in traces:
            failed: set[int] = set()
            for effect in trace.effects:
                if effect.run in failed:
                    continue
                if not self._runner.perform_effect(effect, trace.sequence) and effect.run:
                    failed.add(effect.run)
                    failed_runs.append(effect.run)
            self._observe(trace)
        for run in failed_runs:
            play.fail_run(self.state, run)
            self._on_run_failed(run)

    def _remove_closed_sources(self) -> None:
        """Remove the sources whose file descriptors another thread has closed."""
        for fileno, source in list(self._sources.items()):
            try:
                select.select([fileno], [], [], 0)
            except (OSError, ValueError):
                log.warning(
                    "an event source was closed while the engine waited for its events: %s", source
                )
                del self._sources[fileno]
