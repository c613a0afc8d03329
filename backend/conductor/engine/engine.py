"""The live engine: one thread that waits for events and deadlines, and does what `step` decides."""

import logging
import select
import socket
import threading
from collections import deque
from collections.abc import Callable
from operator import attrgetter

from conductor.base.clock import now
from conductor.domain.events import InputEvent
from conductor.domain.ports import EventSource
from conductor.domain.trace import Trace
from conductor.engine import play
from conductor.engine.runner import Runner
from conductor.engine.state import EngineState
from conductor.engine.step import advance, feed

log = logging.getLogger(__name__)

Call = Callable[[EngineState], Trace | None]
_by_time = attrgetter("time")


class Engine:
    """Owns the state and its thread. Everything else is handed over: events, calls, sources."""

    def __init__(
        self, state: EngineState, runner: Runner, observe: Callable[[Trace], None]
    ) -> None:
        self.state = state
        self._runner = runner
        self._observe = observe
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
        filenos = [*self._sources, self._wake_in.fileno()]
        try:
            ready, _, _ = select.select(filenos, [], [], timeout)
        except (OSError, ValueError):
            self._drop_closed()
            return
        self.beats += 1
        events = self._gather(ready)
        if self._calls:
            self._do_calls()
        for event in events:
            self._take(event)
        at = now()
        for trace in advance(self.state, at):
            self._follow(trace)
        if job_due is not None and job_due <= at:
            self._runner.expire(at)

    def _take(self, event: InputEvent) -> None:
        """Do one event; a fault in it must not cost the others, such as the note-off behind it."""
        try:
            for trace in feed(self.state, event):
                self._follow(trace)
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
                    self._follow(trace)
            except Exception:
                log.exception("the engine met a fault and goes on")

    def _follow(self, trace: Trace) -> None:
        failed: set[int] = set()
        for effect in trace.effects:
            if effect.run in failed:
                continue
            if not self._runner.perform(effect, trace.sequence) and effect.run:
                failed.add(effect.run)
                play.fail(self.state, effect.run)
        self._observe(trace)

    def _drop_closed(self) -> None:
        """Forget sources whose descriptor was closed under us."""
        for fileno, source in list(self._sources.items()):
            try:
                select.select([fileno], [], [], 0)
            except (OSError, ValueError):
                log.warning("a source was closed while it was waited on: %s", source)
                del self._sources[fileno]
