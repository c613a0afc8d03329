"""Undecided gestures and the device's other controls: who decides for a hold, and who has to wait.

A gesture with `keep_order` holds back what the other controls of its device send. Once it is decided, these
events are judged as if they arrived just then, in their order, except that gestures are measured by the
events' own times. They may begin another such gesture, so each goes through the same questions again. All of
it is one loop over an agenda rather than a recursion: a full queue of such gestures would nest too deep.
"""

from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

from conductor.domain import reasons
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.trace import TINY_S, Trace
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.engine import chords, press
from conductor.engine.pending import Press
from conductor.engine.state import EngineState, Unconditional
from conductor.engine.table import Compiled

WAITING_AT_MOST = 256
NAMED_AT_MOST = 3
PRESSES = ("note_on", "button_down")
RELEASES = ("note_off", "button_up")

Judge = Callable[[EngineState, InputEvent, float], Trace]


class Arrival(NamedTuple):
    """An event to judge."""

    event: InputEvent
    sequence: int = 0
    """The number of the trace that said that it waits; 0 for one that has not waited."""
    waited_for: tuple[Control, ...] = ()
    """The controls whose gestures it waited for."""


def deliver(state: EngineState, traces: list[Trace], event: InputEvent, judge: Judge) -> None:
    """Judge an event that arrives while gestures that watch other controls are undecided."""
    _work_off(state, traces, [Arrival(event)], judge)


def resume(state: EngineState, traces: list[Trace], judge: Judge) -> None:
    """Judge the events that need not wait any longer."""
    _work_off(state, traces, _take_freed(state), judge)


def wake_up(state: EngineState) -> None:
    """Make what waits due at once: the gestures before it were dropped, as by a reload."""
    if state.waiting:
        state.at(float("-inf"), lambda _trace: None, Unconditional())


def drop(state: EngineState, device: str | None) -> None:
    """Forget what waits and what was pressed on a device, or on all."""
    for by_device in (state.waiting, state.freed, state.recent):
        if by_device is not None:
            for name in [name for name in by_device if device in (None, name)]:
                del by_device[name]


def run_next(state: EngineState, traces: list[Trace]) -> None:
    """Do what the next deadline is for."""
    when, do = state.pop_due()
    state.now = max(state.now, when)
    trace = state.trace(InputEvent("timer", "", 0, 0, 0, state.now))
    do(trace)
    if trace.candidates or trace.effects or trace.note or trace.skipped:
        traces.append(trace)


def _work_off(
    state: EngineState, traces: list[Trace], arrivals: list[Arrival], judge: Judge
) -> None:
    agenda = deque(arrivals)
    try:
        _judge_all(state, traces, agenda, judge)
    except Exception:
        # A fault in one event must not cost the others, such as the note-off behind it.
        for arrival in agenda:
            state.waiting.setdefault(arrival.event.device, []).append(arrival)
            state.freed[arrival.event.device] = None
        wake_up(state)
        raise


def _judge_all(
    state: EngineState, traces: list[Trace], agenda: deque[Arrival], judge: Judge
) -> None:
    while True:
        # An event that waited may have begun a hold whose time is over by now, but not before the next one.
        until = state.now
        if agenda:
            event, sequence, _ = agenda[0]
            until = event.time if sequence else max(until, event.time)
        due = state.due()
        if due is not None and due <= until + TINY_S:
            with _replaying(state, due):
                run_next(state, traces)
            agenda.extendleft(reversed(_take_freed(state)))
            continue
        if not agenda:
            return
        arrival = agenda.popleft()
        with _replaying(state, arrival.event.time if arrival.sequence else None, arrival.sequence):
            is_done = _deliver_one(state, traces, arrival, judge)
        if not is_done:
            agenda.appendleft(arrival)
        agenda.extendleft(reversed(_take_freed(state)))


@contextmanager
def _replaying(state: EngineState, time: float | None, sequence: int = 0) -> Generator[None]:
    """Measure gestures at a time in the past; a fault in an action must not leave it so."""
    state.replayed_at, state.replayed_as = time, sequence
    try:
        yield
    finally:
        state.replayed_at, state.replayed_as = None, 0


def _take_freed(state: EngineState) -> list[Arrival]:
    freed = [Arrival(*each) for device in state.freed for each in state.waiting.pop(device, ())]
    state.freed.clear()
    return freed


def _deliver_one(state: EngineState, traces: list[Trace], arrival: Arrival, judge: Judge) -> bool:
    """Judge one event or let it wait; False when it decided gestures and has to come again after these."""
    event, sequence, waited_for = arrival
    state.now = max(state.now, event.time)
    control_class = CONTROL_CLASS.get(event.kind)
    if control_class is not None and event.device in state.undecided:
        control = Control(event.device, event.channel, control_class, event.number)
        if _decide_holds(state, traces, control, event):
            return False
        if _has_to_wait(state, control, event):
            _enqueue(state, traces, arrival, control)
            return True
    trace = judge(state, event, event.time)
    if sequence:
        # As with every deadline's trace: what is done is done now, and the event itself was seen before.
        trace.event = event._replace(kind="timer", time=state.now)
        waited_ms = (state.now - event.time) * 1000
        trace.gesture = trace.gesture or sequence
        trace.note = trace.note or (reasons.WAITED, waited_ms, _names(waited_for), sequence)
    traces.append(trace)
    return True


def _decide_holds(
    state: EngineState, traces: list[Trace], control: Control, event: InputEvent
) -> bool:
    """Decide for a hold where another control's press, or its release, asks for it."""
    before = len(traces)
    for pending in list(state.undecided.get(control.device, ())):
        if (
            pending.control == control
            or pending.released is not None
            or event.time < pending.event.time
        ):
            continue
        if event.kind in PRESSES and not chords.may_join(state, pending, control):
            longs = [long for long in pending.longs if _asks(long, "hold_on_other_press")]
            if longs:
                traces.append(press.hold_early(state, pending, longs, control, "pressed"))
            elif any(_asks(long, "permissive_hold") for long in pending.longs):
                pending.others = (*pending.others, control)
        elif event.kind in RELEASES and control in pending.others:
            longs = [long for long in pending.longs if _asks(long, "permissive_hold")]
            traces.append(press.hold_early(state, pending, longs, control, "pressed and let go"))
    return len(traces) > before


def _asks(long: Compiled, option: str) -> bool:
    return isinstance(long.trigger, LongPressTrigger) and bool(getattr(long.trigger, option))


def _has_to_wait(state: EngineState, control: Control, event: InputEvent) -> bool:
    queue = state.waiting.get(control.device, ())
    own = (control.channel, control.control_class, control.number)
    if any((each.channel, CONTROL_CLASS.get(each.kind), each.number) == own for each, *_ in queue):
        return True  # a release must not come before its press
    known = state.controls.get(control)
    if known is not None and known.press is not None:
        return False  # it decides a gesture of its own that began before
    return any(
        _holds_back(state, pending, control, event) for pending in state.undecided[control.device]
    )


def _holds_back(state: EngineState, pending: Press, control: Control, event: InputEvent) -> bool:
    if not pending.keeps_order or event.time < pending.event.time:
        return False
    return event.kind not in PRESSES or not chords.may_join(state, pending, control)


def _enqueue(state: EngineState, traces: list[Trace], arrival: Arrival, control: Control) -> None:
    event, sequence, waited_for = arrival
    queue = state.waiting.setdefault(event.device, [])
    undecided = state.undecided[event.device]
    ordering = [one for one in undecided if one.keeps_order] or undecided
    first = next(
        (one for one in ordering if _holds_back(state, one, control, event)), ordering[0]
    ).control
    if not sequence:
        trace = state.trace(event)
        trace.note = (reasons.WAITS_IN_ORDER, first.control_class, first.number)
        traces.append(trace)
        sequence = trace.sequence
    if first not in waited_for:
        waited_for = (*waited_for, first)
    queue.append(Arrival(event, sequence, waited_for))
    if len(queue) > WAITING_AT_MOST:
        for pending in undecided:
            pending.keeps_order = False
        state.freed[event.device] = None


def _names(controls: tuple[Control, ...]) -> str:
    shown = [f"{each.control_class} {each.number}" for each in controls[:NAMED_AT_MOST]]
    more = len(controls) - len(shown)
    return " and ".join([*shown, f"{more} more"] if more else shown)
