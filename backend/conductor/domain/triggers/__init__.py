"""Defines the union of all trigger kinds.

To add a kind, create a module in this package and add the class to the union.
"""

from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, Field
from typing_extensions import TypeAliasType

from conductor.domain.triggers.aftertouch import AftertouchTrigger
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.cc import CCTrigger
from conductor.domain.triggers.double_tap import DoubleTapTrigger
from conductor.domain.triggers.encoder_turn import EncoderTurnTrigger
from conductor.domain.triggers.gamepad_analog_stick import GamepadAnalogStickTrigger
from conductor.domain.triggers.gamepad_button import GamepadButtonTrigger
from conductor.domain.triggers.gamepad_button_chord import GamepadButtonChordTrigger
from conductor.domain.triggers.gamepad_trigger import GamepadTriggerTrigger
from conductor.domain.triggers.long_press import LongPressTrigger
from conductor.domain.triggers.note import NoteTrigger
from conductor.domain.triggers.note_chord import NoteChordTrigger
from conductor.domain.triggers.note_release import NoteReleaseTrigger
from conductor.domain.triggers.nrpn import NrpnTrigger
from conductor.domain.triggers.osc_message import OscMessageTrigger
from conductor.domain.triggers.pitch_bend import PitchBendTrigger
from conductor.domain.triggers.program_change import ProgramChangeTrigger
from conductor.domain.triggers.sysex import SysexTrigger
from conductor.domain.triggers.velocity_range import VelocityRangeTrigger

__all__ = ["TRIGGER_KINDS", "Trigger", "TriggerBase"]

_OLDER_KIND_NAMES = {
    "NoteOn": "Note",
    "NoteOff": "NoteRelease",
    "Chord": "NoteChord",
    "ControlChange": "CC",
    "Encoder": "EncoderTurn",
    "AftertouchZone": "Aftertouch",
    "PitchBendZone": "PitchBend",
    "SysEx": "Sysex",
    "Osc": "OscMessage",
    "OSC": "OscMessage",
    "NRPN": "Nrpn",
}
_OLDER_FIELD_NAMES = {
    "min_duration_ms": "duration_ms",
    "hold_duration_ms": "duration_ms",
    "max_interval_ms": "timeout_ms",
    "double_tap_timeout_ms": "timeout_ms",
    "min_pressure": "pressure_min",
    "max_pressure": "pressure_max",
    "min_value": "value_min",
    "max_value": "value_max",
    "center_deadzone": "dead_zone",
    "controller": "cc",
    "conditions": "when",
}


def canonicalize_trigger(raw: Any) -> Any:
    """Return raw trigger data with current names of kinds and fields.

    A `CompoundTrigger` becomes its trigger with `when`.
    """
    if not isinstance(raw, dict):
        return raw
    if raw.get("type") == "CompoundTrigger" and isinstance(raw.get("trigger"), dict):
        when = raw.get("when", raw.get("conditions", []))
        raw = {**raw["trigger"], "when": when}
    kind = _OLDER_KIND_NAMES.get(str(raw.get("type")), raw.get("type"))
    fields = {_OLDER_FIELD_NAMES.get(str(key), key): item for key, item in raw.items()}
    return {**fields, "type": kind}


Trigger = TypeAliasType(
    "Trigger",
    Annotated[
        NoteTrigger
        | VelocityRangeTrigger
        | LongPressTrigger
        | DoubleTapTrigger
        | NoteChordTrigger
        | NoteReleaseTrigger
        | CCTrigger
        | EncoderTurnTrigger
        | AftertouchTrigger
        | PitchBendTrigger
        | ProgramChangeTrigger
        | NrpnTrigger
        | SysexTrigger
        | GamepadButtonTrigger
        | GamepadButtonChordTrigger
        | GamepadAnalogStickTrigger
        | GamepadTriggerTrigger
        | OscMessageTrigger,
        Field(discriminator="type"),
        BeforeValidator(canonicalize_trigger),
    ],
)

TRIGGER_KINDS: dict[str, type[TriggerBase]] = {
    kind.model_fields["type"].default: kind for kind in get_args(get_args(Trigger.__value__)[0])
}
"""The class of each kind of trigger, keyed by the tag in its field `type`."""
