"""Describes events and actions as short phrases, such as `note 36 (C1)` or `Keystroke cmd+c`."""

from conductor.base.json_types import JsonObject
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import InputEvent
from conductor.domain.plugin_phrases import describe_plugin_call
from conductor.domain.wire_rows import EventRow, event_from_plain

NOTE_NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
_MAX_OSC_ARGUMENTS_LENGTH = 24
_MAX_PHRASE_LENGTH = 80


def format_note_name(note: int) -> str:
    """Return the name of a MIDI note, in which middle C (note 60) is C3."""
    return f"{NOTE_NAMES[note % 12]}{note // 12 - 2}"


def describe_event(event: InputEvent) -> str:  # noqa: C901 - one arm a kind
    """Return an event as a short phrase, such as `note 36 (C1) ch 10 velocity 100`."""
    channel = f" ch {event.channel}" if event.channel else ""
    match event.kind:
        case "note_on" | "note_off":
            note = f"note {event.number} ({format_note_name(int(event.number))}){channel}"
            return f"{note} velocity {event.value}" if event.kind == "note_on" else f"{note} up"
        case "cc":
            return f"cc {event.number} = {event.value}{channel}"
        case "nrpn" | "rpn":
            return f"{event.kind} {event.number} = {event.value}{channel}"
        case "poly_pressure":
            return f"pressure of note {event.number} = {event.value}{channel}"
        case "channel_pressure":
            return f"pressure = {event.value}{channel}"
        case "pitch_bend":
            return f"pitch bend = {event.value}{channel}"
        case "program_change":
            return f"program {event.number}{channel}"
        case "sysex":
            data: bytes = event.data or b""
            return f"sysex {data[:16].hex(' ').upper()}{' ...' if len(data) > 16 else ''}"
        case "button_down" | "button_up":
            return f"button {event.number} {event.kind.removeprefix('button_')}"
        case "axis":
            return f"{event.number} = {event.value:+.2f}"
        case "gamepad_trigger":
            return f"{event.number} trigger = {event.value:.2f}"
        case "osc":
            args = event.data if isinstance(event.data, tuple) else ()
            return " ".join([f"osc {event.number}", *(str(arg) for arg in args)])
        case "device_gone":
            return "went away"
        case "device_back":
            return "is here"
        case "app":
            return f"app in front: {event.data[0] or 'not known'}"
        case _:
            return event.kind


def describe_named_event(event: InputEvent, names: ControlNames = NO_CONTROL_NAMES) -> str:
    """Return an event as a phrase that begins with its control: `Pad 6, note 41 (F1) ch 10 velocity 100`."""
    return _prepend_control_name(names.find_event_control_name(event), describe_event(event))


def describe_event_row(row: EventRow) -> str:
    """Return an event in JSON data as a phrase, such as `Pad 6, note 41 (F1) ch 10 velocity 100`."""
    return _prepend_control_name(row.get("control"), describe_event(event_from_plain(row)))


def _prepend_control_name(name: str | None, words: str) -> str:
    return f"{name}, {words}" if name else words


def describe_action(action: JsonObject) -> str:  # noqa: C901 - one arm a kind
    """Return an action in JSON data as a short phrase, such as `Keystroke cmd+c`."""
    kind = action["type"]
    match kind:
        case "Keystroke":
            return f"Keystroke {'+'.join(action['keys'])}"
        case "Text":
            return f"Text {shorten_phrase(repr(action['text']))}"
        case "Launch":
            return shorten_phrase(" ".join(["Launch", action["app"], *action.get("args", ())]))
        case "Shell":
            return f"Shell {shorten_phrase(' '.join(action['argv']))}"
        case "VolumeControl":
            return f"Volume {action['operation']}"
        case "ModeChange":
            behaviour = action.get("behaviour")
            how = f" ({behaviour})" if behaviour in ("toggle", "momentary") else ""
            return f"Mode {action.get('mode') or action['behaviour']}{how}"
        case "SendMidi":
            return f"MIDI {action['message_type']} to {action['port']}"
        case "MidiForward":
            return f"MIDI forward to {action['port']}"
        case "OscSend":
            return _describe_osc_message(action)
        case "SetVariable":
            return f"Set {action['name']}"
        case "Sequence":
            return "Sequence: " + ", ".join(describe_action(part) for part in action["actions"])
        case "Delay":
            return f"wait {action['duration_ms']} ms"
        case "Repeat":
            return f"Repeat {describe_action(action['action'])}"
        case "Conditional":
            return f"If: {describe_action(action['then'])}"
        case "Led":
            return f"Light {action['control']} {action.get('color', 'green')}"
        case "PushToTalk":
            return "Push to talk"
        case "Plugin":
            return describe_plugin_call(action)
        case _:
            return str(kind)


def _describe_osc_message(action: JsonObject) -> str:
    """Return an OSC message as a phrase, such as `OSC /scene Live`; values of the control are left out."""
    args = [
        str(arg).lower() if isinstance(arg, bool) else str(arg)
        for arg in action.get("args", ())
        if not isinstance(arg, dict)
    ]
    text = " ".join(args)
    if len(text) > _MAX_OSC_ARGUMENTS_LENGTH:
        text = f"{text[:_MAX_OSC_ARGUMENTS_LENGTH]}..."
    return f"OSC {action['address']}{f' {text}' if text else ''}"


_CONTROL_VALUE_FIELDS = {
    "VolumeControl": ("value",),
    "SetVariable": ("value",),
    "MouseMove": ("x", "y"),
    "MouseScroll": ("dx", "dy"),
    "NoteOn": ("note", "velocity"),
    "NoteOff": ("note", "velocity"),
    "CC": ("value",),
    "ProgramChange": ("program",),
    "PitchBend": ("pitch",),
    "Aftertouch": ("pressure",),
}
"""The fields that can get their value from a control, by type of action or of MIDI message."""


def describe_action_values(action: JsonObject) -> str:
    """Return the numbers in an action as text, such as `value 25`; defaults are left out."""
    names = _CONTROL_VALUE_FIELDS.get(action.get("message_type", action["type"]), ())
    given = ((name, action.get(name)) for name in names)
    return ", ".join(
        f"{name} {item}"
        for name, item in given
        if item is not None and not isinstance(item, bool | dict)
    )


def describe_resolved_action(action: JsonObject) -> str:
    """Return an action with its numbers as a short phrase, such as `Volume Set (value 25)`."""
    values = describe_action_values(action)
    return f"{describe_action(action)}{f' ({values})' if values else ''}"


def shorten_phrase(text: str) -> str:
    """Return a text that has at most the length of a phrase; a longer text ends with an ellipsis."""
    return text if len(text) <= _MAX_PHRASE_LENGTH else f"{text[:_MAX_PHRASE_LENGTH]}..."
