"""Determines whether one trigger fires on all events on which another one fires."""

from conductor.domain.triggers.aftertouch import AftertouchTrigger
from conductor.domain.triggers.base import TriggerBase, get_effective_limits
from conductor.domain.triggers.cc import CCTrigger
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.encoder_turn import EncoderTurnTrigger
from conductor.domain.triggers.gamepad_analog_stick import GamepadAnalogStickTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.gamepad_trigger import GamepadTriggerTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.domain.triggers.nrpn import NrpnTrigger
from conductor.domain.triggers.osc_message import OscMessageTrigger
from conductor.domain.triggers.pitch_bend import PitchBendTrigger
from conductor.domain.triggers.sysex import SysexTrigger
from conductor.domain.triggers.velocity_range import VelocityRangeTrigger

GestureTrigger = LongPressTrigger | DoubleTapTrigger | NoteChordTrigger | GamepadButtonChordTrigger
ValueLimits = tuple[float | None, float | None]
_MAX_VALUES_BY_TRIGGER_TYPE = {"CC": 127, "Nrpn": 16383, "PitchBend": 16383}
_MAX_SEVEN_BIT_VALUE = 127


def list_velocities(trigger: TriggerBase) -> range | None:
    """Return the velocities at which a trigger on taps of a note fires, or None for any other trigger."""
    match trigger:
        case NoteTrigger():
            return range(trigger.velocity_min or 1, _MAX_SEVEN_BIT_VALUE + 1)
        case VelocityRangeTrigger():
            return range(trigger.min_velocity, trigger.max_velocity + 1)
        case _:
            return None


def covers_all_events(first: TriggerBase, later: TriggerBase) -> bool:  # noqa: C901 - an arm a kind
    """Return whether `first` fires on each event of a shared control on which `later` fires.

    Both triggers must have the same gesture. Device, channel and conditions are not compared.
    """
    match first, later:
        case (NoteTrigger() | VelocityRangeTrigger(), NoteTrigger() | VelocityRangeTrigger()):
            return not set(list_velocities(later) or ()) - set(list_velocities(first) or ())
        case (LongPressTrigger(), LongPressTrigger()):
            return first.duration_ms == later.duration_ms and _has_wider_options(first, later)
        case (DoubleTapTrigger(), DoubleTapTrigger()):
            return _has_wider_options(first, later)
        case (
            NoteChordTrigger() | GamepadButtonChordTrigger(),
            NoteChordTrigger() | GamepadButtonChordTrigger(),
        ):
            alike = set(first.list_controls()) == set(later.list_controls())
            return (
                alike and first.timeout_ms >= later.timeout_ms and _has_wider_options(first, later)
            )
        case (EncoderTurnTrigger(), EncoderTurnTrigger()):
            # with `auto`, the encoder may need two turns until its coding is known
            same_coding = first.encoding == later.encoding
            return same_coding and first.direction in ("any", later.direction)
        case (_, EncoderTurnTrigger()):
            return _fires_on_every_value(first)
        case (AftertouchTrigger(), AftertouchTrigger()):
            return _pressure_covers_all(first, later)
        case (PitchBendTrigger(), PitchBendTrigger()) if _fires_on_every_value(first):
            return first.dead_zone <= later.dead_zone
        case (PitchBendTrigger(), PitchBendTrigger()) if first.dead_zone != later.dead_zone:
            return False
        case (
            CCTrigger() | NrpnTrigger() | PitchBendTrigger() | OscMessageTrigger(),
            CCTrigger() | NrpnTrigger() | PitchBendTrigger() | OscMessageTrigger(),
        ):
            return _crossing_covers_all(first, later)
        case (GamepadAnalogStickTrigger(), GamepadAnalogStickTrigger()):
            return _stick_covers_all(first, later)
        case (GamepadTriggerTrigger(), GamepadTriggerTrigger()):
            alike = (first.threshold, first.hysteresis) == (later.threshold, later.hysteresis)
            return alike or first.threshold == 0
        case (SysexTrigger(), SysexTrigger()):
            return _pattern_covers_all(first.pattern.split(), later.pattern.split())
        case _:
            return type(first) is type(later)


def _has_wider_options(first: GestureTrigger, later: GestureTrigger) -> bool:
    """Return whether `first` may fire whenever `later` may fire, judged by their options."""
    if first.require_prior_idle_ms > later.require_prior_idle_ms:
        return False
    match first, later:
        case (LongPressTrigger(), LongPressTrigger()):
            early = later.hold_on_other_press and not first.hold_on_other_press
            permissive = later.permissive_hold and not (
                first.permissive_hold or first.hold_on_other_press
            )
            return first.quick_tap_ms <= later.quick_tap_ms and not (early or permissive)
        case (
            NoteChordTrigger() | GamepadButtonChordTrigger(),
            NoteChordTrigger() | GamepadButtonChordTrigger(),
        ):
            return first.fire_when_complete or not later.fire_when_complete
        case _:
            return True


def _get_value_limits(trigger: TriggerBase) -> ValueLimits:
    low, high = getattr(trigger, "value_min", None), getattr(trigger, "value_max", None)
    full = _MAX_VALUES_BY_TRIGGER_TYPE.get(type(trigger).model_fields["type"].default)
    return (low, high) if full is None else get_effective_limits(low, high, full)


def _get_crossing_edge(trigger: TriggerBase) -> str:
    return getattr(trigger, "edge", "any")


def _fires_on_every_value(trigger: TriggerBase) -> bool:
    crossings = CCTrigger | NrpnTrigger | PitchBendTrigger | OscMessageTrigger
    return (
        isinstance(trigger, crossings)
        and _get_value_limits(trigger) == (None, None)
        and _get_crossing_edge(trigger) == "any"
    )


def _crossing_covers_all(first: TriggerBase, later: TriggerBase) -> bool:
    if _fires_on_every_value(first):
        return True
    if _get_value_limits(first) != _get_value_limits(later):
        return False
    low, high = _get_value_limits(first)
    edge = _get_crossing_edge(later)
    leaves = (edge == "falling" and high is None) or (edge == "rising" and low is None)
    return _get_crossing_edge(first) == edge or (_get_crossing_edge(first) == "any" and not leaves)


def _pressure_covers_all(first: AftertouchTrigger, later: AftertouchTrigger) -> bool:
    if first.note is not None and first.note != later.note:
        return False
    if not first.can_be_held():
        return True
    return _get_pressure_range(first) == _get_pressure_range(later)


def _get_pressure_range(trigger: AftertouchTrigger) -> tuple[int, int, int]:
    high = _MAX_SEVEN_BIT_VALUE if trigger.pressure_max is None else trigger.pressure_max
    return trigger.pressure_min or 0, high, trigger.hysteresis


def _stick_covers_all(first: GamepadAnalogStickTrigger, later: GamepadAnalogStickTrigger) -> bool:
    if first.direction not in ("any", later.direction):
        return False
    if first.threshold == 0:
        return first.dead_zone <= max(later.dead_zone, later.threshold)
    return (first.threshold, first.dead_zone) == (later.threshold, later.dead_zone)


def _pattern_covers_all(first: list[str], later: list[str]) -> bool:
    open_end = first[-1] == "*"
    first = first[:-1] if open_end else first
    if not open_end and (later[-1] == "*" or len(first) != len(later)):
        return False
    later = later[:-1] if later[-1] == "*" else later
    return len(later) >= len(first) and all(
        pair in ("??", other) for pair, other in zip(first, later, strict=False)
    )
