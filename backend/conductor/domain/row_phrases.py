"""Describes triggers and actions for the list of mappings, such as `Hold 36 (C1) 600 ms` and `Ctrl+Shift+M`."""

from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.actions import Action
from conductor.domain.config import Mapping
from conductor.domain.control_names import (
    NO_CONTROL_NAMES,
    ControlNames,
    format_name_with_numbers,
    join_control_names,
)
from conductor.domain.gesture_phrases import describe_gesture_options, describe_trigger
from conductor.domain.phrases import describe_action, describe_action_values, format_note_name
from conductor.domain.triggers import Trigger
from conductor.domain.triggers.base import TriggerBase

_MAX_PHRASE_LENGTH = 80
_KEY_LABELS = {
    "playpause": "Play/Pause",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "volumeup": "Vol +",
    "volumedown": "Vol -",
}


def format_trigger_phrase(
    trigger: Trigger, names: ControlNames = NO_CONTROL_NAMES, *, with_numbers: bool = False
) -> str:
    """Return a trigger as a phrase without its device, such as `Hold Pad 1 600 ms`.

    A control without a name is described by its number: `Hold 36 (C1) 600 ms`. With `with_numbers`, for a
    sentence that has no other place for the number, a name is followed by it: `Hold Pad 1 (note 36) 600 ms`.
    """
    name = get_trigger_control_name(trigger, names)
    if name is not None and with_numbers:
        name = format_name_with_numbers(
            name, format_control_numbers(trigger, with_note_names=False)
        )
        # Some triggers, such as those on pitch bend, are described without the name of their control.
        if name not in _format_gesture_phrase(trigger, name):
            name = None
    channel = f" ch {trigger.channel}" if trigger.channel and name is None else ""
    return f"{_format_gesture_phrase(trigger, name)}{channel}{describe_gesture_options(trigger)}"


def format_mapping_phrase(mapping: Mapping, names: ControlNames = NO_CONTROL_NAMES) -> str:
    """Return a mapping as in the window, such as `Pad 1 → Ctrl+C — Copy (off)`."""
    name = f" — {mapping.description}" if mapping.description else ""
    off = "" if mapping.enabled else " (off)"
    trigger = format_trigger_phrase(mapping.trigger, names)
    return f"{trigger} → {format_action_phrase(mapping.action)}{name}{off}"


def get_trigger_control_name(trigger: TriggerBase, names: ControlNames) -> str | None:
    """Return the name of a trigger's control, such as `Pad 6`, or the names of all controls of a chord."""
    if names is NO_CONTROL_NAMES:
        return None
    controls = trigger.list_controls()
    if not controls or any(number == "*" for _, number in controls):
        return None
    return join_control_names(
        names.find_control_name(trigger.device, control_class, number, trigger.channel)
        for control_class, number in dict.fromkeys(controls)
    )


def find_printed_control_name(trigger: TriggerBase, names: ControlNames) -> str:
    """Return the printed names of those controls of a trigger to which the user gave other names.

    Empty if there are none.
    """
    found = (
        names.find_printed_name(trigger.device, control_class, number, trigger.channel)
        for control_class, number in dict.fromkeys(trigger.list_controls())
    )
    return " + ".join(name for name in found if name is not None)


def format_control_numbers(trigger: Trigger, *, with_note_names: bool = True) -> str:
    """Return the control of a trigger by its numbers, such as `note 41 (F1) ch 10`."""
    channel = f" ch {trigger.channel}" if trigger.channel else ""
    words = [
        f"note {_format_note(int(number)) if with_note_names else number}"
        if control_class == "note"
        else f"{control_class.replace('_', ' ')} {number}".replace("cc ", "CC ")
        for control_class, number in dict.fromkeys(trigger.list_controls())
    ]
    return f"{', '.join(words)}{channel}"


def _format_gesture_phrase(trigger: Any, name: str | None) -> str:  # noqa: C901 - one arm a kind
    match trigger.type:
        case "Note":
            limit = _format_lower_limit(trigger.velocity_min, " velocity")
            return f"{name or f'Note {_format_note(trigger.note)}'}{limit}"
        case "VelocityRange":
            span = f"{trigger.min_velocity}-{trigger.max_velocity}"
            return f"{name or f'Note {_format_note(trigger.note)}'} velocity {span}"
        case "LongPress":
            return f"Hold {name or _format_held(trigger)} {trigger.duration_ms} ms"
        case "DoubleTap":
            return f"Double tap {name or _format_held(trigger)}"
        case "NoteChord":
            return f"Chord {name or ' + '.join(str(note) for note in trigger.notes)}"
        case "NoteRelease":
            return f"Release {name or _format_note(trigger.note)}"
        case "CC":
            return (
                f"{name or f'CC {trigger.cc}'}{_format_range(trigger.value_min, trigger.value_max)}"
            )
        case "EncoderTurn":
            way = {"clockwise": " right", "counter_clockwise": " left"}.get(trigger.direction, "")
            return f"{name or f'Encoder {trigger.cc}'}{way}"
        case "Aftertouch":
            which = "" if trigger.note is None else f" of {_format_note(trigger.note)}"
            return f"Pressure{which}{_format_range(trigger.pressure_min, trigger.pressure_max)}"
        case "PitchBend":
            return f"Pitch bend{_format_range(trigger.value_min, trigger.value_max)}"
        case "ProgramChange":
            return name or f"Program {trigger.program}"
        case "Nrpn":
            kind = "RPN" if trigger.registered else "NRPN"
            return (
                f"{kind} {trigger.parameter}{_format_range(trigger.value_min, trigger.value_max)}"
            )
        case "GamepadButton":
            return name or f"Button {trigger.button}"
        case "GamepadButtonChord":
            return f"Buttons {name or ' + '.join(trigger.buttons)}"
        case "GamepadAnalogStick":
            way = {"positive": " +", "negative": " -"}.get(trigger.direction, "")
            return f"{name or f'Stick {trigger.axis}'}{way}"
        case "OscMessage":
            return f"OSC {trigger.address}"
        case _:
            return describe_trigger(trigger).partition(" on ")[0]


def _format_note(number: int) -> str:
    return f"{number} ({format_note_name(number)})"


def _format_held(trigger: Any) -> str:
    if trigger.note is not None:
        return _format_note(trigger.note)
    return f"button {trigger.button}"


def _format_lower_limit(least: int | None, what: str) -> str:
    return "" if least is None else f"{what} {least}+"


def _format_range(least: float | None, most: float | None) -> str:
    if least is None:
        return "" if most is None else f" up to {most}"
    return f" from {least}" if most is None else f" {least}-{most}"


def format_action_phrase(action: Action, cmd: str = "cmd", channel: int | None = None) -> str:
    """Return an action as a phrase for the list of mappings, such as `Ctrl+Shift+M`.

    `cmd` is the key that the name `cmd` stands for, if known. `channel` is the MIDI channel of the trigger;
    only another one is named.
    """
    return _format_action_kind(action.to_plain(), cmd, channel)


def format_mapping_action(mapping: Mapping) -> str:
    """Return the action of a mapping as a phrase for the list of mappings."""
    return format_action_phrase(mapping.action, channel=mapping.trigger.channel)


def format_performed_action(action: JsonObject, cmd: str = "cmd") -> str:
    """Return a performed action, given as JSON data, as a phrase such as `OSC /go (args 1)`."""
    match action["type"]:
        case "VolumeControl":
            values = ""
        case "SendMidi":
            is_note = action["message_type"] in ("NoteOn", "NoteOff")
            velocity = action.get("velocity", 100)
            # The velocity that follows the control is not known before the action is performed.
            values = f"velocity {velocity}" if is_note and isinstance(velocity, int) else ""
        case _:
            values = describe_action_values(action)
    words = _format_action_kind(action, cmd, action.get("channel"))
    return f"{words}{f' ({values})' if values else ''}"


def _format_action_kind(  # noqa: C901 - one arm a kind
    action: JsonObject, cmd: str, channel: int | None
) -> str:
    match action["type"]:
        case "Keystroke":
            keys = [cmd if key == "cmd" else key for key in action["keys"]]
            return "+".join(_KEY_LABELS.get(key, key.capitalize()) for key in keys)
        case "Text":
            return f"Type “{_shorten_phrase(action['text'])}”"
        case "Launch":
            return _shorten_phrase(" ".join(["Open", action["app"], *action.get("args", ())]))
        case "Shell":
            return f"Run {_shorten_phrase(' '.join(action['argv']))}"
        case "VolumeControl":
            return _format_volume(action)
        case "ModeChange":
            return _format_mode_change(action)
        case "SendMidi":
            return _format_midi_message(action, channel)
        case "MidiForward":
            return f"Pass on to {action['port']}"
        case "Sequence":
            return ", then ".join(
                _format_action_kind(part, cmd, channel) for part in action["actions"]
            )
        case "Delay":
            return f"wait {action['duration_ms']} ms"
        case "Repeat":
            return f"Repeat {_format_action_kind(action['action'], cmd, channel)}"
        case "Conditional":
            then = _format_action_kind(action["then"], cmd, channel)
            if not action.get("else"):
                return f"If so {then}"
            return f"If so {then}, else {_format_action_kind(action['else'], cmd, channel)}"
        case "MouseClick":
            return f"Click {action.get('button', 'left')}"
        case "MouseMove":
            return "Move the mouse"
        case "MouseScroll":
            return "Scroll"
        case "Plugin":
            words = describe_action(action)
            return words[:1].upper() + words[1:]
        case _:
            return describe_action(action)


_MIDI_NUMBER_FIELDS = {
    "ProgramChange": ("program", "program"),
    "PitchBend": ("pitch bend", "pitch"),
    "Aftertouch": ("aftertouch", "pressure"),
}
"""The words for a MIDI message with one number, and the field of the number."""


def _format_midi_message(action: JsonObject, channel: int | None) -> str:
    kind, port = action["message_type"], action["port"]
    if action.get("channel") not in (None, channel):
        port = f"{port} ch {action['channel']}"
    if kind in ("NoteOn", "NoteOff"):
        note = action.get("note", 60)
        is_on = kind == "NoteOn"
        if isinstance(note, int):
            what = f"note {'' if is_on else 'off '}{_format_note(note)}"
        else:
            what = "note from the control" if is_on else "note off from the control"
        held = " while held" if is_on and action.get("hold") == "while_held" else ""
        return f"Send {what} to {port}{held}"
    words, field = _MIDI_NUMBER_FIELDS.get(kind, (f"CC {action.get('controller', 0)}", "value"))
    number = action.get(field, 0)
    if isinstance(number, int):
        equals = " = " if kind == "CC" else " "
        return f"Send {words}{equals}{number} to {port}"
    if number.get("from") == "steps" or kind != "CC":
        return f"Send {words} to {port}"
    low, high = number.get("min"), number.get("max")
    span = f"{0 if low is None else low:g}-{127 if high is None else high:g}"
    return f"Send {words}, {span}, to {port}"


def _format_volume(action: JsonObject) -> str:
    operation, value = action["operation"], action.get("value")
    if operation in ("Up", "Down"):
        by = f" {value} %" if isinstance(value, int) else ""
        return f"Volume {operation.lower()}{by}"
    if operation == "Set":
        return (
            f"Volume to {value} %"
            if isinstance(value, int | float)
            else "Volume follows the control"
        )
    return {"Mute": "Mute the sound", "Unmute": "Unmute the sound"}.get(operation, "Mute on/off")


def _format_mode_change(action: JsonObject) -> str:
    mode = action.get("mode")
    match action.get("behaviour", "switch"):
        case "momentary":
            return f"Mode {mode} while held"
        case "toggle":
            return f"Mode {mode} and back"
        case "next":
            return "Next mode"
        case "previous":
            return "Previous mode"
        case _:
            return f"Mode {mode}"


def _shorten_phrase(text: str) -> str:
    return text if len(text) <= _MAX_PHRASE_LENGTH else f"{text[:_MAX_PHRASE_LENGTH]}…"
