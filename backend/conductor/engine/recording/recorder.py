"""Keeps the most recent events, traces and failures of the engine, for explanations and for the status."""

from collections import deque

from conductor.domain.engine_replies import RecentTracesReply
from conductor.domain.events import CONTROL_CLASS, InputEvent, is_press_or_turn
from conductor.domain.trace import Effect, Trace
from conductor.domain.wire_rows import (
    EventRow,
    ExplainedTraceRow,
    FailureRow,
    event_to_plain,
)
from conductor.engine.explain.events import EngineFacts, explain_event

EVENTS_KEPT = 50_000
TRACES_KEPT = 1_000
FAILURES_KEPT = TRACES_KEPT
"""The maximum number of failures that are kept, equal to the number of traces, so that no
trace lacks its failures."""


class TraceRecorder:
    """Records traces in the engine thread.

    Other threads may read them, because appending to a deque is atomic.
    """

    def __init__(self) -> None:
        self.events: deque[InputEvent] = deque(maxlen=EVENTS_KEPT)
        self.traces: deque[Trace] = deque(maxlen=TRACES_KEPT)
        self.failures: deque[FailureRow] = deque(maxlen=FAILURES_KEPT)
        self.events_processed = 0
        self.last_event_at: dict[str, float] = {}

    def record(self, trace: Trace) -> None:
        event = trace.event
        if event.kind not in ("timer", "completed"):
            self.events.append(event)
            self.events_processed += 1
            self.last_event_at[event.device] = event.time
        self.traces.append(trace)

    def forget_before(self, time: float) -> None:
        """Drop the events and traces before a time, which the recording has dropped too.

        Call this in the engine thread.
        """
        events, traces = self.events, self.traces
        while events and events[0].time < time:
            events.popleft()
        while traces and traces[0].time < time:
            traces.popleft()

    def clear(self) -> None:
        """Drop all events, traces and failures. Call this in the engine thread."""
        self.events.clear()
        self.traces.clear()
        self.failures.clear()
        self.last_event_at.clear()

    def record_failure(self, effect: Effect, sequence: int, reason: str, at: float) -> FailureRow:
        """Record that an effect has failed, and return the failure as JSON data."""
        failure: FailureRow = {
            "mapping": effect.ref.get_identifier(),
            "scope": effect.ref.scope,
            "index": effect.ref.index,
            "trigger": effect.ref.mapping.trigger.to_plain(),
            "action": effect.action.to_plain(),
            "reason": reason,
            "sequence": sequence,
            "time": round(at, 6),
        }
        self.failures.append(failure)
        return failure

    def recent_events(self, limit: int) -> list[EventRow]:
        return [event_to_plain(event) for event in list(self.events)[-limit:]]

    def recent_traces(self, limit: int) -> RecentTracesReply:
        """Return the newest `limit` traces, oldest first, and their failures as JSON data."""
        traces = list(self.traces)[-limit:]
        shown = {trace.sequence for trace in traces}
        return {
            "traces": [trace.to_plain() for trace in traces],
            "failures": [one for one in list(self.failures) if one["sequence"] in shown],
        }

    def find_trace(self, sequence: int | None) -> Trace | None:
        """Return the trace with a sequence number or, for None, the last trace that a user would ask about.

        That is the last use of a control, firing or failure.
        """
        failed = {failure["sequence"] for failure in list(self.failures)}
        fallback: Trace | None = None
        for trace in reversed(list(self.traces)):
            if sequence is None:
                if is_press_or_turn(trace.event) or trace.fired or trace.sequence in failed:
                    return trace
                if fallback is None and trace.event.kind in CONTROL_CLASS:
                    # pressure and releases count only if no control was pressed or moved
                    fallback = trace
            elif trace.sequence == sequence:
                return trace
        return fallback

    def explain(
        self, sequence: int | None, facts: EngineFacts | None = None
    ) -> ExplainedTraceRow | None:
        """Return a trace with its failures and the explanation of its gesture, or None
        if it is no longer kept.
        """
        trace = self.find_trace(sequence)
        if trace is None:
            return None
        explanation = explain_event(trace, list(self.traces), facts or self._facts_without_engine())
        failures = [
            failure for failure in list(self.failures) if failure["sequence"] == trace.sequence
        ]
        return {**trace.to_plain(), "failures": failures, "explanation": explanation.model_dump()}

    def _facts_without_engine(self) -> EngineFacts:
        """Return the facts for an explanation without an engine: only failures, as if
        no gesture were pending.
        """
        return EngineFacts(0.0, failures=list(self.failures))
