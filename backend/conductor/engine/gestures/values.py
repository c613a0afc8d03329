"""Finds the control values that can make a difference to triggers, for use in generated gestures.

A trigger compares a value with its limits and with previous values. The values on both sides of each limit
therefore represent all values, because every other value is judged like one of them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from conductor.domain.events import ControlClass
from conductor.domain.triggers.aftertouch import AftertouchTrigger
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.cc import CCTrigger
from conductor.domain.triggers.encoder_turn import EncoderTurnTrigger
from conductor.domain.triggers.gamepad_analog_stick import REARM_DISTANCE, GamepadAnalogStickTrigger
from conductor.domain.triggers.gamepad_trigger import GamepadTriggerTrigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.triggers.nrpn import NrpnTrigger
from conductor.domain.triggers.osc_message import OscMessageTrigger
from conductor.domain.triggers.pitch_bend import PITCH_BEND_CENTRE, PitchBendTrigger
from conductor.domain.triggers.sysex import SysexTrigger
from conductor.domain.triggers.velocity_range import VelocityRangeTrigger

MAX_SEVEN_BIT_VALUE, MAX_FOURTEEN_BIT_VALUE = 127, 16_383
DEFAULT_VELOCITY = 100
SAMPLE_ENCODER_VALUES = (1, 2, 63, 64, 65, 127)
"""Values for encoders: for each coding, a step in both directions, values that are no
steps, and adjacent positions."""
POSITION_STEP = 0.01
"""A distance that is certainly beyond the limit of a stick or analog trigger."""
UNMATCHED_SYSEX_MESSAGE = bytes.fromhex("F07D7E7D7EF7")
"""A SysEx message that matches only patterns made of wildcards."""


def list_note_velocities(triggers: Iterable[TriggerBase]) -> tuple[int, ...]:
    """Return the note velocities that can make a difference to these triggers."""
    limits: set[int] = set()
    for trigger in triggers:
        match trigger:
            case NoteTrigger(velocity_min=int(low)):
                limits |= {low - 1, low}
            case VelocityRangeTrigger():
                low, high = trigger.min_velocity, trigger.max_velocity
                limits |= {low - 1, low, high, high + 1}
            case _:
                pass
    if not limits:
        return (DEFAULT_VELOCITY,)
    return _clip_to_scale({1, *limits}, 1, MAX_SEVEN_BIT_VALUE)


def _clip_to_scale(values: Iterable[int], low: int, high: int) -> tuple[int, ...]:
    return tuple(sorted(value for value in set(values) if low <= value <= high))


def list_change_values(
    control_class: ControlClass, triggers: Sequence[TriggerBase]
) -> tuple[int | float, ...]:
    """Return the values of a continuous control that can make a difference to these triggers."""
    match control_class:
        case "cc":
            return _list_scale_values(triggers, 64, MAX_SEVEN_BIT_VALUE)
        case "nrpn" | "rpn":
            return _list_scale_values(triggers, PITCH_BEND_CENTRE, MAX_FOURTEEN_BIT_VALUE)
        case "pitch_bend":
            return _list_scale_values(triggers, PITCH_BEND_CENTRE, MAX_FOURTEEN_BIT_VALUE)
        case "poly_pressure" | "channel_pressure":
            return _list_scale_values(triggers, 64, MAX_SEVEN_BIT_VALUE)
        case "axis":
            return _list_stick_positions(triggers)
        case "gamepad_trigger":
            return _list_trigger_pulls(triggers)
        case "osc":
            return _list_osc_numbers(triggers)
        case _:
            return (0,)


def _list_scale_values(triggers: Sequence[TriggerBase], middle: int, top: int) -> tuple[int, ...]:
    values = {0, middle, top}
    for trigger in triggers:
        values.update(_list_limit_values(trigger))
    return _clip_to_scale(values, 0, top)


def _list_limit_values(trigger: TriggerBase) -> Iterator[int]:
    match trigger:
        case EncoderTurnTrigger():
            yield from SAMPLE_ENCODER_VALUES
        case CCTrigger() | NrpnTrigger():
            yield from _list_values_around(trigger.value_min, trigger.value_max)
        case PitchBendTrigger():
            yield from _list_values_around(trigger.value_min, trigger.value_max)
            zone = trigger.dead_zone
            if zone:
                yield from (
                    PITCH_BEND_CENTRE - zone - 1,
                    PITCH_BEND_CENTRE - zone,
                    PITCH_BEND_CENTRE + zone,
                    PITCH_BEND_CENTRE + zone + 1,
                )
        case AftertouchTrigger():
            low, high, slack = trigger.pressure_min, trigger.pressure_max, trigger.hysteresis
            yield from _list_values_around(low, high)
            yield from _list_values_around(
                None if low is None else max(low - slack, min(low, 1)),
                None if high is None else min(high + slack, max(high, MAX_SEVEN_BIT_VALUE - 1)),
            )
        case _:
            pass


def _list_values_around(low: int | None, high: int | None) -> Iterator[int]:
    if low is not None:
        yield from (low - 1, low)
    if high is not None:
        yield from (high, high + 1)


def _list_stick_positions(triggers: Sequence[TriggerBase]) -> tuple[float, ...]:
    distances = {0.0, 1.0}
    for trigger in triggers:
        if isinstance(trigger, GamepadAnalogStickTrigger):
            zone, threshold = trigger.dead_zone, trigger.threshold
            distances |= {zone, zone + POSITION_STEP}
            if threshold > 0:
                back = max(zone, threshold - REARM_DISTANCE)
                distances |= {threshold - POSITION_STEP, threshold, back - POSITION_STEP, back}
    valid = {round(distance, 4) for distance in distances if 0 <= distance <= 1}
    return tuple(sorted(valid | {-distance for distance in valid if distance}))


def _list_trigger_pulls(triggers: Sequence[TriggerBase]) -> tuple[float, ...]:
    pulls = {0.0, 1.0}
    for trigger in triggers:
        if isinstance(trigger, GamepadTriggerTrigger) and trigger.threshold > 0:
            back = max(0.0, trigger.threshold - trigger.hysteresis)
            pulls |= {
                trigger.threshold - POSITION_STEP,
                trigger.threshold,
                back,
                back + POSITION_STEP,
            }
        else:
            pulls.add(POSITION_STEP)
    return tuple(sorted({round(pull, 4) for pull in pulls if 0 <= pull <= 1}))


def _list_osc_numbers(triggers: Sequence[TriggerBase]) -> tuple[float, ...]:
    numbers = {0.0, 1.0}
    for trigger in triggers:
        if isinstance(trigger, OscMessageTrigger):
            for limit in (trigger.value_min, trigger.value_max):
                # OSC numbers have no smallest step; 0.001 serves as the distance from a limit.
                numbers |= set() if limit is None else {limit - 1e-3, limit, limit + 1e-3}
    return tuple(sorted(numbers))


def build_sysex_messages(triggers: Sequence[TriggerBase]) -> tuple[bytes, ...]:
    """Return SysEx messages that patterns can distinguish: one for each pattern, one for each pair of
    patterns that have a message in common, and one that matches none.
    """
    patterns = [
        trigger.pattern.split() for trigger in triggers if isinstance(trigger, SysexTrigger)
    ]
    found = [_build_matching_message(pattern) for pattern in patterns]
    for first, second in combinations(patterns, 2):
        common = _intersect_patterns(first, second)
        if common is not None:
            found.append(_build_matching_message(common))
    found.append(UNMATCHED_SYSEX_MESSAGE)
    return tuple(dict.fromkeys(found))


def _build_matching_message(pattern: Sequence[str]) -> bytes:
    """Return a SysEx message that matches a pattern and, if possible, no narrower pattern."""
    pairs = [*pattern[:-1], "7B", "F7"] if pattern[-1] == "*" else list(pattern)
    if pattern[-1] == "*" and len(pattern) > 1 and pattern[-2] == "F7":
        pairs = list(pattern[:-1])
    return bytes(0x7A if pair == "??" else int(pair, 16) for pair in pairs)


def _intersect_patterns(first: Sequence[str], second: Sequence[str]) -> list[str] | None:
    """Return the pattern for SysEx messages that match two patterns, or None if there are no such messages."""
    first_is_open, second_is_open = first[-1] == "*", second[-1] == "*"
    a, b = (list(first[:-1]) if first_is_open else list(first)), list(second)
    b = b[:-1] if second_is_open else b
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    may_be_longer = second_is_open if longer is a else first_is_open
    if len(longer) != len(shorter) and not may_be_longer:
        return None
    merged: list[str] = []
    for index, pair in enumerate(longer):
        rival = shorter[index] if index < len(shorter) else "??"
        if "??" not in (pair, rival) and pair != rival:
            return None
        merged.append(rival if pair == "??" else pair)
    return [*merged, "*"] if first_is_open and second_is_open else merged
