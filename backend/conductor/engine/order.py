"""Coordinates unfinished gestures with other controls of the device: holds decided early,
and the order of events.

A gesture with `keep_order` queues the events of the device's other controls. After the gesture is decided,
the queued events are judged in order as if they had just arrived, but gestures are measured by the events'
own times. A queued event may begin another `keep_order` gesture, so every event goes through the same checks
again. The events are processed by a loop over an agenda rather than by recursion, because a full queue of
such gestures would nest too deeply.
"""

from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

from conductor.domain import reasons
from conductor.domain.events import (
    CONTROL_CLASS,
    PRESS_EVENT_KINDS,
    RELEASE_EVENT_KINDS,
    Control,
    InputEvent,
)
from conductor.domain.trace import TIME_TOLERANCE_S, Trace
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.engine import chords, press
from conductor.engine.pending import PendingPress
from conductor.engine.state import EngineState, PermanentOwner
from conductor.engine.table import CompiledMapping

MAX_QUEUED_EVENTS = 256
"""The maximum number of queued events for a device. If the queue is full, gestures stop making events
wait, so that none is lost."""
MAX_NAMED_CONTROLS = 3
"""The number of controls that a note names before "n more"."""

JudgeEvent = Callable[[EngineState, InputEvent, float], Trace]


class QueuedEvent(NamedTuple):
    """An event that waits to be judged, with its place in the order of arrival."""

    event: InputEvent
    sequence: int = 0
    """The sequence number of the trace in which the event was queued, or 0 if it never had to wait."""
    waited_for: tuple[Control, ...] = ()
    """The controls for whose gestures the event had to wait."""


def deliver_event(
    state: EngineState, traces: list[Trace], event: InputEvent, judge: JudgeEvent
) -> None:
    """Judge an event, or queue it if an unfinished gesture makes other controls of its device wait."""
    _process_arrivals(state, traces, [QueuedEvent(event)], judge)


def resume_queued_events(state: EngineState, traces: list[Trace], judge: JudgeEvent) -> None:
    """Judge the queued events that no longer have to wait for a gesture."""
    _process_arrivals(state, traces, _pop_unblocked_events(state), judge)


def schedule_queued_events(state: EngineState) -> None:
    """Make all queued events due immediately, because their gestures were dropped, for example by a reload."""
    if state.waiting:
        state.schedule_callback(float("-inf"), lambda _trace: None, PermanentOwner())


def forget_device_events(state: EngineState, device: str | None) -> None:
    """Forget the queued events and recent presses of a device; None means all devices."""
    for by_device in (state.waiting, state.freed, state.recent):
        if by_device is not None:
            for name in [name for name in by_device if device in (None, name)]:
                del by_device[name]


def run_next_deadline(state: EngineState, traces: list[Trace]) -> None:
    """Run the next deadline; append its trace to `traces` if anything happened."""
    when, do = state.pop_next_deadline()
    state.now = max(state.now, when)
    trace = state.create_trace(InputEvent("timer", "", 0, 0, 0, state.now))
    do(trace)
    if trace.candidates or trace.effects or trace.note or trace.skipped:
        traces.append(trace)


def _process_arrivals(
    state: EngineState, traces: list[Trace], arrivals: list[QueuedEvent], judge: JudgeEvent
) -> None:
    agenda = deque(arrivals)
    try:
        _process_agenda(state, traces, agenda, judge)
    except Exception:
        # After an error, the following events, such as a note-off, must not be lost,
        # so they are queued again.
        for arrival in agenda:
            state.waiting.setdefault(arrival.event.device, []).append(arrival)
            state.freed[arrival.event.device] = None
        schedule_queued_events(state)
        raise


def _process_agenda(
    state: EngineState, traces: list[Trace], agenda: deque[QueuedEvent], judge: JudgeEvent
) -> None:
    while True:
        # A queued event may begin a hold whose duration has already passed, but not by the time of the next
        # queued event. Therefore deadlines run up to the time of that event, and not up to now.
        until = state.now
        if agenda:
            event, sequence, _ = agenda[0]
            until = event.time if sequence else max(until, event.time)
        due = state.get_due_time()
        if due is not None and due <= until + TIME_TOLERANCE_S:
            with _set_gesture_time(state, due):
                run_next_deadline(state, traces)
            agenda.extendleft(reversed(_pop_unblocked_events(state)))
            continue
        if not agenda:
            return
        arrival = agenda.popleft()
        with _set_gesture_time(
            state, arrival.event.time if arrival.sequence else None, arrival.sequence
        ):
            is_done = _deliver_arrival(state, traces, arrival, judge)
        # The event decided a gesture. Events that were queued for this gesture are older, and come first.
        if not is_done:
            agenda.appendleft(arrival)
        agenda.extendleft(reversed(_pop_unblocked_events(state)))


@contextmanager
def _set_gesture_time(state: EngineState, time: float | None, sequence: int = 0) -> Generator[None]:
    """Measure gestures by the time of a queued event, instead of the current time, within this context."""
    state.replayed_at, state.replayed_as = time, sequence
    try:
        yield
    finally:
        state.replayed_at, state.replayed_as = None, 0


def _pop_unblocked_events(state: EngineState) -> list[QueuedEvent]:
    freed = [
        QueuedEvent(*queued) for device in state.freed for queued in state.waiting.pop(device, ())
    ]
    state.freed.clear()
    return freed


def _deliver_arrival(
    state: EngineState, traces: list[Trace], arrival: QueuedEvent, judge: JudgeEvent
) -> bool:
    """Judge or queue one event.

    Returns False if the event decided gestures; the caller must deliver it again after their effects.
    """
    event, sequence, waited_for = arrival
    state.now = max(state.now, event.time)
    control_class = CONTROL_CLASS.get(event.kind)
    if control_class is not None and event.device in state.undecided:
        control = Control(event.device, event.channel, control_class, event.number)
        if _decide_holds(state, traces, control, event):
            return False
        if _must_be_queued(state, control, event):
            _enqueue_event(state, traces, arrival, control)
            return True
    trace = judge(state, event, event.time)
    if sequence:
        # As in the trace of a deadline, the effects happen now; the event itself is in an earlier trace.
        trace.event = event._replace(kind="timer", time=state.now)
        waited_ms = (state.now - event.time) * 1000
        trace.gesture = trace.gesture or sequence
        trace.note = trace.note or (
            reasons.WAITED_FOR_OTHER_GESTURE,
            waited_ms,
            _format_controls(waited_for),
            sequence,
        )
    traces.append(trace)
    return True


def _decide_holds(
    state: EngineState, traces: list[Trace], control: Control, event: InputEvent
) -> bool:
    """Fire the long presses that a press or release of another control decides; return whether any fired."""
    before = len(traces)
    for pending in list(state.undecided.get(control.device, ())):
        if (
            pending.control == control
            or pending.released is not None
            or event.time < pending.event.time
        ):
            continue
        # A press that may form a chord with the pending press does not decide a hold.
        if event.kind in PRESS_EVENT_KINDS and not chords.can_join_chord(state, pending, control):
            longs = [
                long
                for long in pending.long_presses
                if _has_enabled_option(long, "hold_on_other_press")
            ]
            if longs:
                traces.append(press.fire_early_hold(state, pending, longs, control, "pressed"))
            elif any(_has_enabled_option(long, "permissive_hold") for long in pending.long_presses):
                pending.others_pressed = (*pending.others_pressed, control)
        elif event.kind in RELEASE_EVENT_KINDS and control in pending.others_pressed:
            longs = [
                long
                for long in pending.long_presses
                if _has_enabled_option(long, "permissive_hold")
            ]
            traces.append(
                press.fire_early_hold(state, pending, longs, control, "pressed and released")
            )
    return len(traces) > before


def _has_enabled_option(long: CompiledMapping, option: str) -> bool:
    return isinstance(long.trigger, LongPressTrigger) and bool(getattr(long.trigger, option))


def _must_be_queued(state: EngineState, control: Control, event: InputEvent) -> bool:
    queue = state.waiting.get(control.device, ())
    own = (control.channel, control.control_class, control.number)
    if any(
        (queued.channel, CONTROL_CLASS.get(queued.kind), queued.number) == own
        for queued, *_ in queue
    ):
        return True  # a release must not be judged before its queued press
    control_state = state.controls.get(control)
    if control_state is not None and control_state.press is not None:
        # The event belongs to a pending gesture of its own control, which must get it without delay.
        return False
    return any(
        _does_gesture_delay_event(state, pending, control, event)
        for pending in state.undecided[control.device]
    )


def _does_gesture_delay_event(
    state: EngineState, pending: PendingPress, control: Control, event: InputEvent
) -> bool:
    if not pending.keeps_order or event.time < pending.event.time:
        return False
    return event.kind not in PRESS_EVENT_KINDS or not chords.can_join_chord(state, pending, control)


def _enqueue_event(
    state: EngineState, traces: list[Trace], arrival: QueuedEvent, control: Control
) -> None:
    event, sequence, waited_for = arrival
    queue = state.waiting.setdefault(event.device, [])
    undecided = state.undecided[event.device]
    ordering = [pending for pending in undecided if pending.keeps_order] or undecided
    first = next(
        (
            pending
            for pending in ordering
            if _does_gesture_delay_event(state, pending, control, event)
        ),
        ordering[0],
    ).control
    if not sequence:  # the event has not been queued before
        trace = state.create_trace(event)
        trace.note = (reasons.WAITS_FOR_OTHER_GESTURE, first.control_class, first.number)
        traces.append(trace)
        sequence = trace.sequence
    if first not in waited_for:
        waited_for = (*waited_for, first)
    queue.append(QueuedEvent(event, sequence, waited_for))
    if len(queue) > MAX_QUEUED_EVENTS:
        for pending in undecided:
            pending.keeps_order = False
        state.freed[event.device] = None


def _format_controls(controls: tuple[Control, ...]) -> str:
    names = [
        f"{control.control_class} {control.number}" for control in controls[:MAX_NAMED_CONTROLS]
    ]
    more = len(controls) - len(names)
    return " and ".join([*names, f"{more} more"] if more else names)
