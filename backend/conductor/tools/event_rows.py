"""Converts events and suggestions to tool results, including fields for older clients."""

from datetime import UTC, datetime, timedelta

from conductor.base.json_types import JsonObject
from conductor.domain.control_names import ControlNames
from conductor.domain.events import InputEvent
from conductor.domain.patterns import Suggestion
from conductor.domain.phrases import describe_event_row
from conductor.domain.wire_rows import event_to_plain

_FIELDS_BY_EVENT_KIND = {
    "note_on": ("NoteOn", "note", "velocity"),
    "note_off": ("NoteOff", "note", "velocity"),
    "cc": ("CC", "controller", "value"),
    "nrpn": ("Nrpn", "parameter", "value"),
    "rpn": ("Rpn", "parameter", "value"),
    "poly_pressure": ("Aftertouch", "note", "pressure"),
    "channel_pressure": ("Aftertouch", "number", "pressure"),
    "pitch_bend": ("PitchBend", "number", "value"),
    "program_change": ("ProgramChange", "program", "value"),
    "sysex": ("Sysex", "number", "length"),
    "button_down": ("GamepadButton", "button", "value"),
    "button_up": ("GamepadButtonUp", "button", "value"),
    "axis": ("GamepadAnalogStick", "axis", "value"),
    "gamepad_trigger": ("GamepadTrigger", "trigger", "value"),
    "osc": ("OscMessage", "address", "value"),
}


def build_event_row(event: InputEvent, seconds_ago: float, names: ControlNames) -> JsonObject:
    """Return an event as a JSON object: its type, the fields of the type, its time and the control's name."""
    row = names.add_name_to_event(event_to_plain(event))
    kind, number, value = _FIELDS_BY_EVENT_KIND.get(event.kind, (event.kind, "number", "value"))
    at = datetime.now(UTC) - timedelta(seconds=max(0.0, seconds_ago))
    return {
        "type": kind,
        number: event.number,
        value: event.value,
        "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        **row,
        "text": describe_event_row(row),
    }


def build_suggestion_row(suggestion: Suggestion) -> JsonObject:
    """Return a suggested trigger as a JSON object.

    For older clients, the fields of the trigger are repeated at the top level.
    """
    trigger = suggestion.trigger
    row: JsonObject = {**trigger, "trigger": trigger}
    if "note" in trigger:
        low, high = trigger.get("min_velocity", 1), trigger.get("max_velocity", 127)
        row["velocity_range"] = [low, high]
    return {**row, "why": suggestion.why, "score": suggestion.score}
