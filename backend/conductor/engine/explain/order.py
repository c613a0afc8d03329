"""Explains undecided gestures, events that wait for them, and holds that other controls decide."""

from collections.abc import Iterator, Sequence

from conductor.domain.events import CONTROL_CLASS
from conductor.domain.reasons import OTHER_PRESS, WAITED, WAITS_IN_ORDER, render
from conductor.domain.recording import DeviceMuted, Panicked, PauseChanged
from conductor.domain.trace import TINY_S, Candidate, Trace
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.engine.explain.remedies import more
from conductor.engine.explain.story import PRESSES, RELEASES, Story, arrival_of


def arrived_to_wait(trace: Trace) -> bool:
    """Return whether an event had to wait when it arrived."""
    return trace.note is not None and trace.note[0] == WAITS_IN_ORDER


def judging(story: Story, arrival: Trace) -> Trace | None:
    """Return the trace in which an event that had to wait was judged, or None."""
    return next((one for one in story.traces if arrival_of(one) == arrival.sequence), None)


def as_judged(story: Story) -> Trace:
    """Return the first event of a gesture in the mode and profile in which it was judged."""
    first = story.first
    judged = judging(story, first) if arrived_to_wait(first) else None
    if judged is None:
        return first
    return Trace(judged.sequence, first.event, judged.mode, judged.profile, judged.time)


def waits_told(story: Story) -> Iterator[str]:
    """Return for each event of a gesture that waited how long that took, and for what."""
    for arrival in story.traces:
        judged = judging(story, arrival) if arrived_to_wait(arrival) else None
        if judged is not None and judged.note is not None and judged.note[0] == WAITED:
            event = arrival.event
            what = "the release of " if event.kind in RELEASES else ""
            if event.kind in PRESSES:
                what = "the press of "
            yield f"{what}{CONTROL_CLASS[event.kind]} {event.number} {render(judged.note)}"


def why_dropped(traces: Sequence[Trace], arrival: Trace) -> str:
    """Return why an event never had its turn."""
    device = arrival.event.device
    for trace in traces:
        if trace.sequence <= arrival.sequence:
            continue
        command = trace.command
        if trace.event.kind == "device_gone" and trace.event.device == device:
            return "its device went away"
        if isinstance(command, DeviceMuted) and command.muted and trace.event.device == device:
            return "its device was muted"
        if isinstance(command, Panicked | PauseChanged):
            return "everything was let go"
    return "what waited was dropped"


def holds_decided(story: Story, traces: Sequence[Trace]) -> list[Candidate]:
    """Return the holds of other controls that a press or a release of this gesture decided."""
    touches = [trace.event for trace in story.traces if trace.event.kind in CONTROL_CLASS]
    return [
        candidate
        for trace in traces
        for candidate in trace.candidates
        if candidate.outcome == "fired" and candidate.reason[0] == OTHER_PRESS
        if any(
            touch.device == trace.event.device
            and (CONTROL_CLASS[touch.kind], touch.number) == candidate.reason[1:3]
            and abs(trace.event.time - touch.time) < TINY_S
            for touch in touches
        )
    ]


def still_waiting(story: Story, now: float) -> Iterator[str]:
    """Return each mapping of an open gesture that is undecided, with what decides it."""
    waiting = [one for one in story.verdicts().values() if one.outcome == "waiting"]
    timed = [(one, _left_ms(story, one, now)) for one in waiting]
    longest = max((left for _, left in timed if left is not None), default=0.0)
    for one, left in timed:
        left_ms = longest if left is None else left
        advice = more(one.ref.mapping.trigger, left_ms)
        more_words = f": {advice}" if advice else ""
        yield f"`{one.ref.name()}` waits, {left_ms:.0f} ms left{more_words}"


def _left_ms(story: Story, candidate: Candidate, now: float) -> float | None:
    """Return the time until a waiting mapping is decided; None for a tap, which waits for the others."""
    trigger = candidate.ref.mapping.trigger
    match trigger:
        case LongPressTrigger():
            limit_ms = trigger.duration_ms
        case DoubleTapTrigger() | NoteChordTrigger() | GamepadButtonChordTrigger():
            limit_ms = trigger.timeout_ms
        case _:
            return None
    judged = next(trace for trace, one in story.candidates() if one.ref is candidate.ref)
    # A press that waited for its turn is measured by when it was played.
    arrived = (one for one in story.traces if one.sequence == arrival_of(judged))
    began = next(arrived, judged).event.time
    return max(0.0, limit_ms - (now - began) * 1000)
