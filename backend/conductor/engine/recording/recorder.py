"""What was played lately: events for replays, traces for explanations, counts for the status."""

from collections import deque
from typing import Any

from conductor.domain.events import CONTROL_CLASS, InputEvent, is_touch
from conductor.domain.trace import Effect, Trace, plain_event
from conductor.engine.explain.events import Facts, explain

EVENTS_KEPT = 50_000
TRACES_KEPT = 1_000
FAILURES_KEPT = 50


class Recorder:
    """Filled by the engine thread; read by others, who may see it a moment old."""

    def __init__(self) -> None:
        self.events: deque[InputEvent] = deque(maxlen=EVENTS_KEPT)
        self.traces: deque[Trace] = deque(maxlen=TRACES_KEPT)
        self.failures: deque[dict[str, Any]] = deque(maxlen=FAILURES_KEPT)
        self.events_processed = 0
        self.last_event_at: dict[str, float] = {}

    def take(self, trace: Trace) -> None:
        event = trace.event
        if event.kind not in ("timer", "completed"):
            self.events.append(event)
            self.events_processed += 1
            self.last_event_at[event.device] = event.time
        self.traces.append(trace)

    def forget_before(self, time: float) -> None:
        """Forget events and traces that are older, as the recording has; on the engine's thread."""
        events, traces = self.events, self.traces
        while events and events[0].time < time:
            events.popleft()
        while traces and traces[0].time < time:
            traces.popleft()

    def clear(self) -> None:
        """Forget what was played and what failed; on the engine's thread."""
        self.events.clear()
        self.traces.clear()
        self.failures.clear()
        self.last_event_at.clear()

    def fail(self, effect: Effect, sequence: int, reason: str, at: float) -> dict[str, Any]:
        """Keep a failure, and give it as it is shown."""
        failure = {
            "mapping": effect.ref.name(),
            "scope": effect.ref.scope,
            "index": effect.ref.index,
            "action": effect.action.to_plain(),
            "reason": reason,
            "sequence": sequence,
            "time": round(at, 6),
        }
        self.failures.append(failure)
        return failure

    def recent_events(self, limit: int) -> list[dict[str, Any]]:
        return [plain_event(event) for event in list(self.events)[-limit:]]

    def recent_traces(self, limit: int) -> list[dict[str, Any]]:
        """Return the newest traces, the oldest first."""
        return [trace.to_plain() for trace in list(self.traces)[-limit:]]

    def find(self, sequence: int | None) -> Trace | None:
        """Return the trace with this number, or the last touch, or what acted or failed after it."""
        failed = {failure["sequence"] for failure in list(self.failures)}
        fallback: Trace | None = None
        for trace in reversed(list(self.traces)):
            if sequence is None:
                if is_touch(trace.event) or trace.fired or trace.sequence in failed:
                    return trace
                if fallback is None and trace.event.kind in CONTROL_CLASS:
                    fallback = trace  # a pressure or a release is told only when there is no touch
            elif trace.sequence == sequence:
                return trace
        return fallback

    def explain(self, sequence: int | None, facts: Facts | None = None) -> dict[str, Any] | None:
        """Return a trace with what of it failed, and the explanation of the gesture that it belongs to."""
        trace = self.find(sequence)
        if trace is None:
            return None
        told = explain(trace, list(self.traces), facts or self._facts())
        failures = [one for one in list(self.failures) if one["sequence"] == trace.sequence]
        return {**trace.to_plain(), "failures": failures, "explanation": told.model_dump()}

    def _facts(self) -> Facts:
        """Return what is known without an engine: nothing is open any more."""
        return Facts(0.0, failures=list(self.failures))
