"""Do two triggers of one knob, wheel or address fire on the same value?

The engine asks each trigger in order and the first that fires takes the value. So the triggers
themselves are asked, value by value, through every state that both can be in.
"""

from collections.abc import Iterator, Sequence
from math import inf

from conductor.domain.conflicts.regions import takes_all
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.triggers.aftertouch import AftertouchTrigger
from conductor.domain.triggers.base import Memory, TriggerBase, limits
from conductor.domain.triggers.cc import CCTrigger
from conductor.domain.triggers.encoder_turn import EncoderTurnTrigger
from conductor.domain.triggers.nrpn import NrpnTrigger
from conductor.domain.triggers.osc_message import OscMessageTrigger
from conductor.engine.conflicts.play import Verdict
from conductor.engine.gestures.space import ANY_NUMBER, touches_of

TURNS_PLAYED = 3
"""Values in a row for an encoder that finds out its coding: it knows from the second on."""
STATES_AT_MOST = 5_000
GAP_S = 0.1


def judge_changes(first: TriggerBase, later: TriggerBase) -> Verdict | None:
    """Judge two triggers of one knob: the first takes the values on which both fire."""
    if _are_apart(first, later):
        return None
    touches = [
        touch
        for touch in touches_of((first, later))
        if _listens(first, touch) and _listens(later, touch)
    ]
    learns = any(
        isinstance(each, EncoderTurnTrigger) and each.encoding == "auto" for each in (first, later)
    )
    both: tuple[InputEvent, ...] | None = None
    alone = False
    for path, fires_first, fires_later in _walk(first, later, touches, learns=learns):
        if fires_first and fires_later and both is None:
            both = path
        alone = alone or (fires_later and not fires_first)
        if both is not None and (alone or learns):
            break
    if both is None:
        return None
    # All that an encoder can learn is too much to walk: there a rule says whether nothing is left.
    dead = takes_all(first, later) if learns else not alone
    timed = tuple(event._replace(time=index * GAP_S) for index, event in enumerate(both))
    return Verdict(timed, lost=True, dead=dead)


def _are_apart(first: TriggerBase, later: TriggerBase) -> bool:
    """Return whether both fire only inside ranges that have no value in common."""
    a, b = _range(first), _range(later)
    return a is not None and b is not None and (a[1] < b[0] or b[1] < a[0])


def _range(trigger: TriggerBase) -> tuple[float, float] | None:
    """Return the values that a trigger may fire on, or None when that is not all that counts."""
    match trigger:
        case CCTrigger() | NrpnTrigger():
            low, high = limits(trigger.value_min, trigger.value_max, trigger.full)
            open_end = {"falling": high, "rising": low}.get(trigger.edge, 0)
            if open_end is None:
                return None  # it fires on leaving the range
        case OscMessageTrigger():
            low, high = trigger.value_min, trigger.value_max
        case AftertouchTrigger():
            low, high = trigger.pressure_min, trigger.pressure_max
        case _:
            return None
    return -inf if low is None else low, inf if high is None else high


def _listens(trigger: TriggerBase, touch: InputEvent) -> bool:
    return any(
        control_class == CONTROL_CLASS[touch.kind] and number in (ANY_NUMBER, touch.number)
        for control_class, number in trigger.controls()
    )


Walk = Iterator[tuple[tuple[InputEvent, ...], bool, bool]]


def _walk(
    first: TriggerBase, later: TriggerBase, touches: Sequence[InputEvent], *, learns: bool
) -> Walk:
    """Yield each path of values with whether the triggers fire on its last, one for each state reached.

    What a trigger remembers of its values is whether it is active and the value before; an encoder that
    learns its coding remembers more, so all short paths are walked then.
    """
    seen: set[object] = set()
    for control in dict.fromkeys((touch.kind, touch.number) for touch in touches):
        alphabet = [touch for touch in touches if (touch.kind, touch.number) == control]
        waiting: list[tuple[InputEvent, ...]] = [()]
        while waiting and len(seen) < STATES_AT_MOST:
            nearer, waiting = waiting, []
            for begun in nearer:
                for touch in alphabet:
                    path = (*begun, touch)
                    fires, state = _judged(path, first, later)
                    yield path, fires[0], fires[1]
                    key = path if learns else (control, state)
                    if key not in seen and (not learns or len(path) < TURNS_PLAYED):
                        seen.add(key)
                        waiting.append(path)


def _judged(
    path: Sequence[InputEvent], first: TriggerBase, later: TriggerBase
) -> tuple[tuple[bool, bool], object]:
    """Return whether each fires on the last value of a path, and what they remember then."""
    a, b = Memory(), Memory()
    fires = (False, False)
    for event in path:
        fires = first.judge(event, a).fires, later.judge(event, b).fires
    return fires, (a.active, a.previous, b.active, b.previous)
