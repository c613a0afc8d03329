"""Rules out gestures because of recent presses, as the options
`require_prior_idle_ms` and `quick_tap_ms` say.
"""

from conductor.domain import reasons
from conductor.domain.events import CONTROL_CLASS, Control, InputEvent
from conductor.domain.trace import TIME_TOLERANCE_S, Candidate, Trace
from conductor.domain.triggers.base import Reason
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.engine.state import ControlState, EngineState
from conductor.engine.table import CompiledMapping

MAX_RECENT_PRESSES = 12
"""The number of presses that are remembered for each device. A chord has at most ten controls, which do not
count as other presses, so the last twelve presses always include the newest other press."""
_GESTURE_NAMES = {
    "long_press": "the long press",
    "double_tap": "the double tap",
    "chord": "the chord",
}


def record_recent_press(
    recent: dict[str, dict[Control, float]], control: Control, time: float
) -> None:
    """Remember when a control was pressed; the newest press comes last."""
    presses = recent.setdefault(control.device, {})
    presses.pop(control, None)
    presses[control] = time
    if len(presses) > MAX_RECENT_PRESSES:
        del presses[next(iter(presses))]


def filter_possible_gestures(
    state: EngineState,
    trace: Trace,
    control_state: ControlState,
    members: tuple[CompiledMapping, ...],
    event: InputEvent,
) -> tuple[CompiledMapping, ...]:
    """Return the gestures that a press can become, excluding gestures that earlier presses rule out."""
    possible: list[CompiledMapping] = []
    for member in members:
        reason = _explain_prior_press(state, control_state, member, event) or _explain_quick_tap(
            control_state, member, event
        )
        if reason is None:
            possible.append(member)
        else:
            trace.candidates.append(Candidate(member.ref, "no", reason))
    return tuple(possible)


def _explain_prior_press(
    state: EngineState, control_state: ControlState, member: CompiledMapping, event: InputEvent
) -> Reason | None:
    if not member.idle_s or state.recent is None:
        return None
    own = member.trigger.list_controls()
    place = control_state.control.device, control_state.control.channel
    for time, control in _list_earlier_presses(state, event):
        part = (control.control_class, control.number)
        if (control.device, control.channel) == place and part in own:
            continue
        gap_s = event.time - time
        if gap_s + TIME_TOLERANCE_S >= member.idle_s:
            return None
        gesture = _GESTURE_NAMES.get(member.gesture, "it")
        return (
            reasons.PRESSED_TOO_SOON_AFTER_OTHER,
            *part,
            gap_s * 1000,
            gesture,
            member.idle_s * 1000,
        )
    return None


def _list_earlier_presses(state: EngineState, event: InputEvent) -> list[tuple[float, Control]]:
    """Return the presses on a device up to the time of an event, newest first."""
    recent = {} if state.recent is None else state.recent.get(event.device, {})
    presses = [(time, control) for control, time in recent.items()]
    # A queued press has already happened, although notes that may join a chord are judged before it.
    presses += [
        (
            queued.time,
            Control(queued.device, queued.channel, CONTROL_CLASS[queued.kind], queued.number),
        )
        for queued, *_ in state.waiting.get(event.device, ())
        if queued.kind in ("note_on", "button_down")
    ]
    # A queued press is judged late; presses that came after it must not count as earlier.
    before = [press for press in presses if press[0] <= event.time + TIME_TOLERANCE_S]
    return sorted(before, key=lambda press: -press[0])


def _explain_quick_tap(
    control_state: ControlState, member: CompiledMapping, event: InputEvent
) -> Reason | None:
    trigger = member.trigger
    if not isinstance(trigger, LongPressTrigger) or not trigger.quick_tap_ms:
        return None
    # Only a tap in the same mode and profile counts, so that mappings of another mode have no influence.
    tapped_in, tapped_at = control_state.tapped
    if (
        tapped_in is None
        or control_state.group is None
        or tapped_in != control_state.group.in_force
    ):
        return None
    gap_ms = (event.time - tapped_at) * 1000
    if gap_ms + TIME_TOLERANCE_S * 1000 >= trigger.quick_tap_ms:
        return None
    return (reasons.PRESSED_TOO_SOON_AFTER_TAP, gap_ms, trigger.quick_tap_ms)
