"""Decides whether two triggers of the same knob, wheel or OSC address can fire on the same value.

The engine asks triggers in order, and the first trigger that fires consumes the value. It is therefore
enough to ask both triggers value by value in every reachable state, without playing gestures.
"""

from collections.abc import Iterator, Sequence
from math import inf

from conductor.domain.conflicts.regions import covers_all_events
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.triggers.aftertouch import AftertouchTrigger
from conductor.domain.triggers.base import TriggerBase, TriggerMemory, get_effective_limits
from conductor.domain.triggers.cc import CCTrigger
from conductor.domain.triggers.encoder_turn import EncoderTurnTrigger
from conductor.domain.triggers.nrpn import NrpnTrigger
from conductor.domain.triggers.osc_message import OscMessageTrigger
from conductor.engine.conflicts.play import PairVerdict
from conductor.engine.gestures.space import ANY_NUMBER, generate_touches

MAX_EXPLORED_ENCODER_TURNS = 3
"""The number of consecutive values that are tried for an encoder whose coding must be detected first;
detection takes two values."""
MAX_EXPLORED_STATES = 5_000
VALUE_GAP_S = 0.1


def judge_value_triggers(first: TriggerBase, later: TriggerBase) -> PairVerdict | None:
    """Return how the first trigger affects the later one, or None if no value makes both of them fire."""
    if _have_disjoint_ranges(first, later):
        return None
    touches = [
        touch
        for touch in generate_touches((first, later))
        if _accepts_touch(first, touch) and _accepts_touch(later, touch)
    ]
    learns = any(
        isinstance(trigger, EncoderTurnTrigger) and trigger.encoding == "auto"
        for trigger in (first, later)
    )
    shared_path: tuple[InputEvent, ...] | None = None
    fires_alone = False
    for path, fires_first, fires_later in _explore_states(first, later, touches, learns=learns):
        if fires_first and fires_later and shared_path is None:
            shared_path = path
        fires_alone = fires_alone or (fires_later and not fires_first)
        if shared_path is not None and (fires_alone or learns):
            break
    if shared_path is None:
        return None
    # If an encoder detects its coding, there are too many states to explore, and a rule decides instead.
    is_dead = covers_all_events(first, later) if learns else not fires_alone
    timed = tuple(
        event._replace(time=index * VALUE_GAP_S) for index, event in enumerate(shared_path)
    )
    return PairVerdict(timed, is_lost=True, is_dead=is_dead)


def _have_disjoint_ranges(first: TriggerBase, later: TriggerBase) -> bool:
    """Return whether two triggers listen to value ranges that have no value in common."""
    a, b = _find_value_range(first), _find_value_range(later)
    return a is not None and b is not None and (a[1] < b[0] or b[1] < a[0])


def _find_value_range(trigger: TriggerBase) -> tuple[float, float] | None:
    """Return the range of values on which a trigger may fire, or None if firing does not
    depend on a range alone.
    """
    match trigger:
        case CCTrigger() | NrpnTrigger():
            low, high = get_effective_limits(trigger.value_min, trigger.value_max, trigger.full)
            open_end = {"falling": high, "rising": low}.get(trigger.edge, 0)
            if open_end is None:
                return None  # such a trigger fires when the value leaves its range
        case OscMessageTrigger():
            low, high = trigger.value_min, trigger.value_max
        case AftertouchTrigger():
            low, high = trigger.pressure_min, trigger.pressure_max
        case _:
            return None
    return -inf if low is None else low, inf if high is None else high


def _accepts_touch(trigger: TriggerBase, touch: InputEvent) -> bool:
    return any(
        control_class == CONTROL_CLASS[touch.kind] and number in (ANY_NUMBER, touch.number)
        for control_class, number in trigger.list_controls()
    )


ValuePaths = Iterator[tuple[tuple[InputEvent, ...], bool, bool]]


def _explore_states(
    first: TriggerBase, later: TriggerBase, touches: Sequence[InputEvent], *, learns: bool
) -> ValuePaths:
    """Yield a sequence of values for each reachable state, and whether each trigger fires on its last value.

    The state of a trigger is its previous value and whether it is active. An encoder that detects its coding
    has more state, so all short sequences are yielded for it.
    """
    seen: set[object] = set()
    for control in dict.fromkeys((touch.kind, touch.number) for touch in touches):
        alphabet = [touch for touch in touches if (touch.kind, touch.number) == control]
        waiting: list[tuple[InputEvent, ...]] = [()]
        while waiting and len(seen) < MAX_EXPLORED_STATES:
            paths, waiting = waiting, []
            for prefix in paths:
                for touch in alphabet:
                    path = (*prefix, touch)
                    fires, state = _play_value_path(path, first, later)
                    yield path, fires[0], fires[1]
                    key = path if learns else (control, state)
                    if key not in seen and (not learns or len(path) < MAX_EXPLORED_ENCODER_TURNS):
                        seen.add(key)
                        waiting.append(path)


def _play_value_path(
    path: Sequence[InputEvent], first: TriggerBase, later: TriggerBase
) -> tuple[tuple[bool, bool], object]:
    """Return whether each trigger fires on the last value of a sequence, and the state
    of both triggers after it.
    """
    a, b = TriggerMemory(), TriggerMemory()
    fires = (False, False)
    for event in path:
        fires = first.judge_event(event, a).fires, later.judge_event(event, b).fires
    return fires, (a.active, a.previous, b.active, b.previous)
