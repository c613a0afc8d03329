"""What was pressed just before: gestures that ask for quiet first, and holds that follow a tap at once."""

from conductor.domain import reasons
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.trace import TINY_S, Candidate, Trace
from conductor.domain.triggers.base import Reason
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.engine.state import ControlState, EngineState
from conductor.engine.table import Compiled

RECENT_KEPT = 12
"""A chord has ten controls at most, which do not count as others: the newest other is among these."""
_WORDS = {"long_press": "the long press", "double_tap": "the double tap", "chord": "the chord"}


def record_press(recent: dict[str, dict[Control, float]], control: Control, time: float) -> None:
    """Note when a control was pressed, the newest last."""
    presses = recent.setdefault(control.device, {})
    presses.pop(control, None)
    presses[control] = time
    if len(presses) > RECENT_KEPT:
        del presses[next(iter(presses))]


def expected(
    state: EngineState,
    trace: Trace,
    known: ControlState,
    members: tuple[Compiled, ...],
    event: InputEvent,
) -> tuple[Compiled, ...]:
    """Return the gestures that a press may become, as far as the presses before it allow."""
    possible: list[Compiled] = []
    for member in members:
        reason = _too_busy(state, known, member, event) or _tap_again(known, member, event)
        if reason is None:
            possible.append(member)
        else:
            trace.candidates.append(Candidate(member.ref, "no", reason))
    return tuple(possible)


def _too_busy(
    state: EngineState, known: ControlState, member: Compiled, event: InputEvent
) -> Reason | None:
    if not member.idle_s or state.recent is None:
        return None
    own = member.trigger.controls()
    place = known.control.device, known.control.channel
    for time, control in _presses_before(state, event):
        part = (control.control_class, control.number)
        if (control.device, control.channel) == place and part in own:
            continue
        gap_s = event.time - time
        if gap_s + TINY_S >= member.idle_s:
            return None
        asking = _WORDS.get(member.gesture, "it")
        return (reasons.PRIOR_IDLE, *part, gap_s * 1000, asking, member.idle_s * 1000)
    return None


def _presses_before(state: EngineState, event: InputEvent) -> list[tuple[float, Control]]:
    """Return the presses of a device up to an event's time, the newest first."""
    recent = {} if state.recent is None else state.recent.get(event.device, {})
    presses = [(time, control) for control, time in recent.items()]
    # A press that waits for its turn has happened too: a note of a chord overtakes it.
    presses += [
        (one.time, Control(one.device, one.channel, CONTROL_CLASS[one.kind], one.number))
        for one, *_ in state.waiting.get(event.device, ())
        if one.kind in ("note_on", "button_down")
    ]
    # A press that waited is judged after some that came later.
    before = [each for each in presses if each[0] <= event.time + TINY_S]
    return sorted(before, key=lambda each: -each[0])


def _tap_again(known: ControlState, member: Compiled, event: InputEvent) -> Reason | None:
    trigger = member.trigger
    if not isinstance(trigger, LongPressTrigger) or not trigger.quick_tap_ms:
        return None
    # Only a tap in the same mode counts: what another mode heard must not change this one.
    tapped_in, tapped_at = known.tapped
    if tapped_in is None or known.group is None or tapped_in != known.group.in_force:
        return None
    gap_ms = (event.time - tapped_at) * 1000
    if gap_ms + TINY_S * 1000 >= trigger.quick_tap_ms:
        return None
    return (reasons.QUICK_TAP, gap_ms, trigger.quick_tap_ms)
