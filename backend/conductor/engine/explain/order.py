"""Explains the order of events: unfinished gestures, events queued behind them, and holds decided early."""

from collections.abc import Iterator, Sequence

from conductor.domain.events import CONTROL_CLASS
from conductor.domain.reasons import (
    DECIDED_BY_OTHER_CONTROL,
    WAITED_FOR_OTHER_GESTURE,
    WAITS_FOR_OTHER_GESTURE,
    render_reason,
)
from conductor.domain.recording import DeviceMuted, Panicked, PauseChanged
from conductor.domain.trace import TIME_TOLERANCE_S, Candidate, Trace
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.engine.explain.remedies import suggest_next_step
from conductor.engine.explain.story import (
    PRESS_EVENT_KINDS,
    RELEASE_EVENT_KINDS,
    GestureTraces,
    find_arrival_sequence,
)


def was_event_queued(trace: Trace) -> bool:
    """Return whether an event had to be queued when it arrived, because another gesture was unfinished."""
    return trace.note is not None and trace.note[0] == WAITS_FOR_OTHER_GESTURE


def find_judging_trace(story: GestureTraces, arrival: Trace) -> Trace | None:
    """Return the trace in which a queued event was judged later, or None if that has not happened yet."""
    return next(
        (trace for trace in story.traces if find_arrival_sequence(trace) == arrival.sequence), None
    )


def build_judged_trace(story: GestureTraces) -> Trace:
    """Return the first trace of a gesture, with the mode and the profile that were
    active when it was judged.
    """
    first = story.first_trace
    judged = find_judging_trace(story, first) if was_event_queued(first) else None
    if judged is None:
        return first
    return Trace(judged.sequence, first.event, judged.mode, judged.profile, judged.time)


def describe_queue_times(story: GestureTraces) -> Iterator[str]:
    """Yield a sentence for each event that was queued: how long it waited, and for which gesture."""
    for arrival in story.traces:
        judged = find_judging_trace(story, arrival) if was_event_queued(arrival) else None
        if (
            judged is not None
            and judged.note is not None
            and judged.note[0] == WAITED_FOR_OTHER_GESTURE
        ):
            event = arrival.event
            prefix = "the release of " if event.kind in RELEASE_EVENT_KINDS else ""
            if event.kind in PRESS_EVENT_KINDS:
                prefix = "the press of "
            yield f"{prefix}{CONTROL_CLASS[event.kind]} {event.number} {render_reason(judged.note)}"


def find_drop_reason(traces: Sequence[Trace], arrival: Trace) -> str:
    """Return the reason why a queued event was dropped and never judged."""
    device = arrival.event.device
    for trace in traces:
        if trace.sequence <= arrival.sequence:
            continue
        command = trace.command
        if trace.event.kind == "device_gone" and trace.event.device == device:
            return "its device was disconnected"
        if isinstance(command, DeviceMuted) and command.muted and trace.event.device == device:
            return "its device was muted"
        if isinstance(command, Panicked | PauseChanged):
            return "everything was released"
    return "queued events were dropped"


def list_early_holds(story: GestureTraces, traces: Sequence[Trace]) -> list[Candidate]:
    """Return the long presses on other controls that an event of this gesture decided before their time."""
    touches = [trace.event for trace in story.traces if trace.event.kind in CONTROL_CLASS]
    return [
        candidate
        for trace in traces
        for candidate in trace.candidates
        if candidate.outcome == "fired" and candidate.reason[0] == DECIDED_BY_OTHER_CONTROL
        if any(
            touch.device == trace.event.device
            and (CONTROL_CLASS[touch.kind], touch.number) == candidate.reason[1:3]
            and abs(trace.event.time - touch.time) < TIME_TOLERANCE_S
            for touch in touches
        )
    ]


def describe_undecided_mappings(story: GestureTraces, now: float) -> Iterator[str]:
    """Yield a sentence for each mapping that is not decided yet: the remaining time, and the
    next step of its gesture.
    """
    waiting = [
        candidate for candidate in story.find_verdicts().values() if candidate.outcome == "waiting"
    ]
    timed = [(candidate, _compute_remaining_ms(story, candidate, now)) for candidate in waiting]
    longest = max((left for _, left in timed if left is not None), default=0.0)
    for candidate, left in timed:
        left_ms = longest if left is None else left
        advice = suggest_next_step(candidate.ref.mapping.trigger, left_ms)
        more_words = f": {advice}" if advice else ""
        yield f"`{candidate.ref.describe()}` waits, {left_ms:.0f} ms left{more_words}"


def _compute_remaining_ms(story: GestureTraces, candidate: Candidate, now: float) -> float | None:
    """Return the milliseconds until a waiting mapping is decided; None for a tap, which
    waits for other gestures.
    """
    trigger = candidate.ref.mapping.trigger
    match trigger:
        case LongPressTrigger():
            limit_ms = trigger.duration_ms
        case DoubleTapTrigger() | NoteChordTrigger() | GamepadButtonChordTrigger():
            limit_ms = trigger.timeout_ms
        case _:
            return None
    judged = next(trace for trace, item in story.iterate_candidates() if item.ref is candidate.ref)
    # The time limit of a queued press counts from the press itself and not from when it was judged.
    arrived = (item for item in story.traces if item.sequence == find_arrival_sequence(judged))
    began = next(arrived, judged).event.time
    return max(0.0, limit_ms - (now - began) * 1000)
