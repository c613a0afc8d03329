"""Suggests what to do so that a mapping fires, from the reason why it did not."""

from conductor.domain.condition_facts import UnmetCondition
from conductor.domain.events import InputEvent
from conductor.domain.reasons import Reason, get_reason_kind
from conductor.domain.trace import MappingRef
from conductor.domain.triggers import Trigger
from conductor.domain.triggers.aftertouch import AftertouchTrigger
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

_REMEDIES_BY_REASON_KIND = {
    "too_long": "release it sooner",
    "dropped": "play it again",
    "dead_zone": "move it further, out of the dead zone",
    "first_value": "move it once more",
    "other_press": "release it before you press another control",
    "chord_consumed": "play it without the other controls of the chord",
}


def suggest_remedy(ref: MappingRef, reason: Reason) -> str:
    """Return advice on how to make a mapping fire, for a mapping that was judged and did not.

    The text is empty if there is no advice.
    """
    trigger = ref.mapping.trigger
    match get_reason_kind(reason):
        case "condition":
            return _suggest_condition_remedy(reason)
        case "too_short" | "no_second_press" | "half_chord":
            return describe_how_to_play(trigger)
        case "prior_idle":
            return f"press it {reason[-1]:.0f} ms or more after any other control"
        case "quick_tap":
            return f"wait {reason[-1]} ms after the tap before you press it again"
        case "velocity":
            return f"strike it with a velocity of {_format_velocity_range(trigger)}"
        case "value":
            return _format_value_range(trigger)
        case "edge":
            return _describe_edge(trigger)
        case "direction":
            return _describe_direction(trigger)
        case "shadowed":
            return f"change or delete `{reason[1]}`, which comes first"
        case kind:
            return _REMEDIES_BY_REASON_KIND.get(kind, "")


def describe_how_to_play(trigger: Trigger) -> str:
    """Return a phrase that tells how to play the gesture of a trigger."""
    match trigger:
        case LongPressTrigger():
            return f"hold it for {trigger.duration_ms} ms"
        case DoubleTapTrigger():
            return f"press it twice within {trigger.timeout_ms} ms"
        case NoteChordTrigger() | GamepadButtonChordTrigger():
            names = [str(number) for _, number in trigger.list_controls()]
            what = "notes" if isinstance(trigger, NoteChordTrigger) else "buttons"
            return (
                f"press {what} {' and '.join(names)} within {trigger.timeout_ms} ms of each other"
            )
        case _:
            return "press it"


def suggest_next_step(trigger: Trigger, left_ms: float) -> str:
    """Return the next step of an unfinished gesture, or an empty text if the user only has to wait."""
    match trigger:
        case LongPressTrigger():
            longer = f"hold it {left_ms:.0f} ms longer"
            if trigger.hold_on_other_press:
                return f"{longer}, or press another control"
            return f"{longer}, or tap another control" if trigger.permissive_hold else longer
        case DoubleTapTrigger():
            return f"press it again within {left_ms:.0f} ms"
        case NoteChordTrigger() | GamepadButtonChordTrigger():
            return f"press the rest of the chord within {left_ms:.0f} ms"
        case _:
            return ""


def _suggest_condition_remedy(reason: Reason) -> str:
    unmet = reason[1] if len(reason) > 1 else None
    return unmet.describe_remedy() if isinstance(unmet, UnmetCondition) else ""


def _format_velocity_range(trigger: Trigger) -> str:
    match trigger:
        case NoteTrigger():
            return f"{trigger.velocity_min} or more"
        case VelocityRangeTrigger():
            return f"{trigger.min_velocity} to {trigger.max_velocity}"
        case _:
            return "another strength"


def _format_value_range(trigger: Trigger) -> str:
    match trigger:
        case CCTrigger() | NrpnTrigger() | PitchBendTrigger() | OscMessageTrigger():
            return f"move it to {_format_range(trigger.value_min, trigger.value_max)}"
        case AftertouchTrigger():
            return f"press with {_format_range(trigger.pressure_min, trigger.pressure_max)}"
        case GamepadAnalogStickTrigger():
            return f"push it past {trigger.threshold:g}"
        case GamepadTriggerTrigger():
            return f"pull it past {trigger.threshold:g}"
        case EncoderTurnTrigger():
            return "turn it"
        case SysexTrigger():
            return f"send a message that matches `{trigger.pattern}`"
        case _:
            return ""


def _describe_edge(trigger: Trigger) -> str:
    match trigger:
        case CCTrigger() | NrpnTrigger():
            limits = _format_range(trigger.value_min, trigger.value_max)
            if trigger.edge == "rising":
                below = trigger.value_min if trigger.value_min else trigger.value_max
                return f"bring it up past {below} from below"
            if trigger.edge == "falling":
                above = trigger.value_max if trigger.value_max is not None else trigger.value_min
                return f"bring it down past {above} from above"
            return f"leave {limits} and come back into it"
        case PitchBendTrigger() | OscMessageTrigger():
            return (
                f"leave {_format_range(trigger.value_min, trigger.value_max)} and come back into it"
            )
        case AftertouchTrigger():
            return f"ease off by more than {trigger.hysteresis} and press again"
        case _:
            return "let it come back first, then cross the threshold again"


def _describe_direction(trigger: Trigger) -> str:
    match trigger:
        case EncoderTurnTrigger():
            return f"turn it {trigger.direction.replace('_', '-')}"
        case CCTrigger() | NrpnTrigger():
            return "move it up" if trigger.edge == "rising" else "move it down"
        case GamepadAnalogStickTrigger():
            ways = {"positive": "right or up", "negative": "left or down"}
            return f"push it {ways.get(trigger.direction, 'further')}"
        case _:
            return ""


def _format_range(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    return f"{high:g} or less" if low is None and high is not None else f"{low or 0:g} or more"


def describe_event_device(event: InputEvent) -> str:
    """Return the name of the device of an event; a device without an alias is marked as such."""
    name = event.device.removeprefix("raw:")
    return name if name == event.device else f"{name}, which has no alias"
