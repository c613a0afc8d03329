"""Parses the action in a slash command, such as `cmd+c then wait 200 ms then launch firefox`."""

import re
import shlex
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter, ValidationError

from conductor.agent.slash.context import CommandContext
from conductor.agent.slash.lexer import SlashSyntaxError, Word, WordReader, join_words, parse_int
from conductor.agent.slash.trigger import get_first_error_message
from conductor.base.json_types import JsonObject
from conductor.domain.actions import Action, TopLevelAction
from conductor.domain.keys import MODIFIER_KEYS, canonicalize_key, split_keys

_ACTION_ADAPTER: TypeAdapter[Action] = TypeAdapter(TopLevelAction)
ACTION_EXAMPLES = (
    '`cmd+c`, `type "hello"`, `launch firefox`, `volume up`, `mode Default`,'
    " `send cc 7 value 64 to Synth`"
)
_CONTROL_VALUE_PHRASES = tuple(
    f"{start}{article}{noun}"
    for start in ("value from ", "from ", "follows ", "to ", "with ")
    for article in ("the ", "its ", "")
    for noun in ("knob", "control", "fader", "value", "encoder", "pad", "velocity")
)
CONTROL_VALUE: JsonObject = {"from": "value"}
MAX_SEQUENCE_STEPS = 100
_HYPHENATED_KEYS = re.compile(
    r"\b(cmd|command|ctrl|control|alt|option|shift|super|win)-(?=\S)", re.IGNORECASE
)
"""Matches key combinations that are joined with hyphens, such as `cmd-c`, which the error message corrects.
"""


def parse_action(words: WordReader, context: CommandContext) -> Action:
    """Parse the words of an action and return the fields of its config.

    Raises:
        SlashSyntaxError: The words do not describe an action. The message says what to write instead.
    """
    action = _parse_action_sequence(words, context)
    try:
        return _ACTION_ADAPTER.validate_python(action)
    except ValidationError as error:
        raise SlashSyntaxError(get_first_error_message(error)) from None


def _parse_action_sequence(words: WordReader, context: CommandContext) -> JsonObject:
    parts: list[JsonObject] = []
    while (before := words.split_at_first_word("then", "then,")) is not None:
        before.take_last_phrase("and", ",")
        parts.append(_parse_single_action(before, context))
        if len(parts) > MAX_SEQUENCE_STEPS:
            raise SlashSyntaxError(f"a sequence has at most {MAX_SEQUENCE_STEPS} steps")
    parts.append(_parse_single_action(words, context))
    return parts[0] if len(parts) == 1 else {"type": "Sequence", "actions": parts}


def _parse_single_action(words: WordReader, context: CommandContext) -> JsonObject:
    if not words:
        raise SlashSyntaxError(f"say what to do, such as {ACTION_EXAMPLES}")
    _remove_trailing_comma(words)
    for phrases, read in _ACTION_PARSERS:
        taken = words.take_phrase(*phrases)
        if taken is not None:
            action = read(taken, words, context)
            words.require_no_more_words()
            return action
    return _parse_key_combination(words)


def _remove_trailing_comma(words: WordReader) -> None:
    last = words.words[-1]
    if len(words.words) > 1 and last == Word(","):
        words.words.pop()
    elif not last.quoted and len(last.text) > 1 and last.text.endswith(","):
        words.words[-1] = Word(last.text[:-1])


def _parse_keystroke_action(phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    """Parse the keys after `press` or `hold`.

    With `hold`, the keys stay down as long as the control is held.
    """
    action = _parse_key_combination(words)
    return {**action, "hold": "while_held"} if phrase == "hold" else action


def _parse_key_combination(words: WordReader) -> JsonObject:
    text = join_words(words.words)
    held = bool(words.take_last_phrase("while held", "while it is held"))
    if not words:
        raise SlashSyntaxError(f"say which keys, such as {ACTION_EXAMPLES}")
    pressed = _HYPHENATED_KEYS.sub(
        r"\1+", re.sub(r"(?<=\S) \+ (?=\S)", "+", join_words(words.words))
    ).split()
    parts = [part for word in pressed for part in split_keys(word)]
    if not parts or any(word.quoted for word in words.words):
        raise SlashSyntaxError(f"`{text}` is not an action; examples: {ACTION_EXAMPLES}")
    try:
        keys = [canonicalize_key(part) for part in parts]
    except ValueError as error:
        app = f" or `launch {text}`" if len(pressed) == 1 and "+" not in text else ""
        reason = str(error) if str(error).endswith("?") else f"{error}."
        raise SlashSyntaxError(
            f"`{text}` is not an action: {reason} Examples: {ACTION_EXAMPLES}{app}"
        ) from None
    if len(pressed) > 1 and not all(key in MODIFIER_KEYS for key in keys[:-1]):
        raise SlashSyntaxError(
            f'join keys with `+`, such as `cmd+c`; to type a text write `type "{text}"`'
        )
    words.words = []
    return {"type": "Keystroke", "keys": keys, **({"hold": "while_held"} if held else {})}


def _parse_text_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    return {"type": "Text", "text": words.take_remaining_text('the text, such as `type "hello"`,')}


def _parse_launch_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    app = words.split_at_first_word("with")
    if app is None:
        return {"type": "Launch", "app": words.take_remaining_text("the app")}
    args = [word.text for word in words.words]
    words.words = []
    return {"type": "Launch", "app": app.take_remaining_text("the app"), "args": args}


def _parse_shell_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    parts = [shlex.quote(word.text) if word.quoted else word.text for word in words.words]
    words.words = []
    return {"type": "Shell", "command": " ".join(parts)}


_VOLUME_OPERATIONS = {
    "up": "Up", "louder": "Up", "down": "Down", "quieter": "Down",
    "mute": "Mute", "off": "Mute", "unmute": "Unmute", "on": "Unmute", "toggle": "Toggle",
}  # fmt: skip


def _parse_volume_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    if words.take_phrase(*_CONTROL_VALUE_PHRASES):
        return {"type": "VolumeControl", "operation": "Set"}
    operation = words.take_phrase(*_VOLUME_OPERATIONS)
    if operation is None:
        words.take_phrase("to", "set to", "set")
        if not words:
            raise SlashSyntaxError(
                "say what to do to the volume: up, down, mute, to 40%, from the knob"
            )
        percent = words.take_number("a volume in percent", 0, 100)
        return {"type": "VolumeControl", "operation": "Set", "value": percent}
    words.take_phrase("by")
    value = (
        words.take_optional_number(0, 100)
        if operation in ("up", "down", "louder", "quieter")
        else None
    )
    by = {} if value is None else {"value": value}
    return {"type": "VolumeControl", "operation": _VOLUME_OPERATIONS[operation], **by}


def _parse_mute_action(phrase: str, _words: WordReader, _context: CommandContext) -> JsonObject:
    operation = {"mute": "Mute", "unmute": "Unmute"}.get(phrase, "Toggle")
    return {"type": "VolumeControl", "operation": operation}


def _parse_mode_switch_action(
    phrase: str, words: WordReader, context: CommandContext
) -> JsonObject:
    behaviour = {"toggle mode": "toggle", "hold mode": "momentary"}.get(phrase, "switch")
    if words.take_last_phrase("while held", "while it is held"):
        behaviour = "momentary"
    name = context.require_mode(words.take_remaining_text("the mode's name"))
    return {"type": "ModeChange", "mode": name, "behaviour": behaviour}


def _parse_mode_step_action(
    phrase: str, _words: WordReader, _context: CommandContext
) -> JsonObject:
    return {"type": "ModeChange", "behaviour": "next" if phrase.startswith("next") else "previous"}


_MESSAGE_TYPES = {
    "note on": "NoteOn", "note off": "NoteOff", "note": "NoteOn", "cc": "CC",
    "program change": "ProgramChange", "program": "ProgramChange",
    "pitch bend": "PitchBend", "bend": "PitchBend",
    "aftertouch": "Aftertouch", "pressure": "Aftertouch",
}  # fmt: skip


def _parse_midi_send_action(phrase: str, words: WordReader, context: CommandContext) -> JsonObject:
    words.take_phrase("midi")
    message: str | None = phrase.removeprefix("play ")
    if message not in _MESSAGE_TYPES:
        message = words.take_phrase(*_MESSAGE_TYPES)
    if message is None:
        raise SlashSyntaxError(
            "say what to send: `note 60`, `cc 7 value 64`, `program 5` or `pitch bend 0`"
        )
    before = _split_output_port(words)
    kind = _MESSAGE_TYPES[message]
    action: JsonObject = {
        "type": "SendMidi",
        "message_type": kind,
        "port": words.take_remaining_text("the output"),
    }
    return action | _parse_midi_message_fields(kind, before, context)


def _split_output_port(words: WordReader) -> WordReader:
    """Remove the last `to` and the name of the output after it. Return the words before `to`."""
    at = max(
        (i for i, word in enumerate(words.words) if word.get_casefolded_text() in ("to", "->")),
        default=None,
    )
    if at is None:
        raise SlashSyntaxError(
            "say where to send it: `... to <output>`; /devices lists the outputs"
        )
    before = WordReader(words.words[:at])
    words.words = words.words[at + 1 :]
    return before


def _parse_midi_message_fields(kind: str, words: WordReader, context: CommandContext) -> JsonObject:
    fields: JsonObject = {}
    if kind in ("NoteOn", "NoteOff"):
        word = words.take_word("the note")
        note = context.parse_note(word.text)
        if note is None:
            raise SlashSyntaxError(f"`{word.text}` is not a note")
        fields["note"] = note
    elif kind == "CC":
        fields["controller"] = words.take_number("a controller", 0, 127)
    name = {"NoteOn": "velocity", "NoteOff": "velocity", "CC": "value", "ProgramChange": "program"}
    value = name.get(kind, "pitch" if kind == "PitchBend" else "pressure")
    while words:
        if words.take_phrase("on channel", "channel", "ch"):
            fields["channel"] = words.take_number("a channel", 1, 16)
        elif words.take_phrase(*_CONTROL_VALUE_PHRASES):
            fields[value] = CONTROL_VALUE
        else:
            words.take_phrase("value", "velocity", "=")
            low, high = (-8192, 8191) if value == "pitch" else (0, 127)
            fields[value] = words.take_number(f"a {value}", low, high)
    if kind == "CC":
        fields.setdefault("value", CONTROL_VALUE)
    return fields


def _parse_forward_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    words.take_phrase("it to", "to", "it")
    options: JsonObject = {}
    port: list[Word] = []
    while words:
        if words.take_phrase("on channel", "channel", "ch"):
            options["channel"] = words.take_number("a channel", 1, 16)
        elif words.take_phrase("transpose", "transposed"):
            words.take_phrase("by")
            options["transpose"] = words.take_number("semitones", -127, 127)
        else:
            port.append(words.words.pop(0))
    return {
        "type": "MidiForward",
        "port": WordReader(port).take_remaining_text("the output"),
        **options,
    }


_HOST_PATTERN = re.compile(r"(?:\[?([^\s\]]+)\]?:)?([0-9]{1,5})")


def _parse_osc_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    before = _split_output_port(words)
    address = _HOST_PATTERN.fullmatch(
        words.take_remaining_text("the address and port, such as 127.0.0.1:9000,")
    )
    if address is None:
        raise SlashSyntaxError("say where to send it as `host:port`, such as `to 127.0.0.1:9000`")
    host = {"host": address[1]} if address[1] else {}
    path = before.take_word("the OSC address, such as /1/fader1,").text
    args: list[Any] = []
    while before:
        args.append(
            CONTROL_VALUE
            if before.take_phrase(*_CONTROL_VALUE_PHRASES)
            else _parse_json_value(before.take_word(""))
        )
    return {"type": "OscSend", **host, "port": int(address[2]), "address": path, "args": args}


def _parse_json_value(word: Word) -> Any:
    if word.quoted:
        return word.text
    if word.get_casefolded_text() in ("true", "false"):
        return word.get_casefolded_text() == "true"
    number = parse_int(word.text)
    if number is None and re.fullmatch(r"-?[0-9]{1,9}\.[0-9]{1,9}", word.text):
        return float(word.text)
    return word.text if number is None else number


def _parse_click_action(phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    words.take_phrase("mouse", "the mouse")
    button = next((b for b in ("right", "middle") if b in phrase), "left")
    action: JsonObject = {"type": "MouseClick", "button": button}
    if "double" in phrase:
        action["count"] = 2
    if words.take_phrase("at"):
        action["x"] = words.take_number("pixels from the left", 0, 32_767)
        action["y"] = words.take_number("pixels from the top", 0, 32_767)
    return action


def _parse_scroll_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    direction = words.take_phrase("up", "down", "left", "right")
    if direction is None:
        raise SlashSyntaxError("say the direction: `scroll up`, `scroll down 3`, `scroll left`")
    words.take_phrase("by")
    notches = words.take_optional_number(1, 100) or 1
    axes = {"up": ("dy", 1), "down": ("dy", -1), "left": ("dx", -1), "right": ("dx", 1)}
    axis, sign = axes[direction]
    return {"type": "MouseScroll", axis: sign * notches}


def _parse_pointer_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    relative = bool(words.take_phrase("by"))
    words.take_phrase("to")
    x = words.take_number("pixels to the right", -32_768, 32_767)
    y = words.take_number("pixels down", -32_768, 32_767)
    return {"type": "MouseMove", "x": x, "y": y, "relative": relative}


def _parse_wait_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    words.take_phrase("for")
    duration = words.take_duration_ms()
    if duration is None:
        raise SlashSyntaxError("say how long: `wait 200 ms`")
    return {"type": "Delay", "duration_ms": duration}


def _parse_repeat_action(_phrase: str, words: WordReader, context: CommandContext) -> JsonObject:
    count = words.take_number("a number of times", 1, 1000)
    words.take_phrase("times")
    every = words.take_phrase("every") and words.take_duration_ms()
    timing = {"delay_ms": every} if every else {}
    inner = _parse_single_action(words, context)
    return {"type": "Repeat", "count": count, **timing, "action": inner}


def _parse_light_action(_phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    device = words.split_at_first_word("on")
    if device is None:
        raise SlashSyntaxError("say which device: `light pad 36 red on pads`")
    control, name = device, words.take_remaining_text("the device's name")
    kind = control.take_phrase("pad", "note", "cc") or "note"
    number = control.take_number("the number of its note or CC", 0, 127)
    color = {} if not control else {"color": _parse_json_value(control.take_word("the colour"))}
    control.require_no_more_words()
    kind = "cc" if kind == "cc" else "note"
    return {"type": "Led", "device": name, "control": f"{kind} {number}", **color}


def _parse_variable_action(phrase: str, words: WordReader, _context: CommandContext) -> JsonObject:
    name = words.take_word("the variable's name").text
    if phrase == "toggle variable":
        return {"type": "SetVariable", "name": name, "operation": "toggle"}
    words.take_phrase("to", "=")
    value = (
        CONTROL_VALUE
        if words.take_phrase(*_CONTROL_VALUE_PHRASES)
        else _parse_json_value(words.take_word("its value"))
    )
    return {"type": "SetVariable", "name": name, "value": value}


ActionParser = Callable[[str, WordReader, CommandContext], JsonObject]
_ACTION_PARSERS: tuple[tuple[tuple[str, ...], ActionParser], ...] = (
    (("type", "write", "text"), _parse_text_action),
    (("launch", "open", "start"), _parse_launch_action),
    (("run", "shell"), _parse_shell_action),
    (("set volume", "volume"), _parse_volume_action),
    (("toggle mute", "mute", "unmute"), _parse_mute_action),
    (("next mode", "previous mode", "prev mode"), _parse_mode_step_action),
    (
        ("toggle mode", "hold mode", "switch to mode", "switch mode to", "switch to", "mode"),
        _parse_mode_switch_action,
    ),
    (("send", "play note", "note on", "note", "cc"), _parse_midi_send_action),
    (("forward", "pass on", "pass"), _parse_forward_action),
    (("osc",), _parse_osc_action),
    (("right click", "middle click", "double click", "left click", "click"), _parse_click_action),
    (("scroll",), _parse_scroll_action),
    (("move the mouse", "move mouse"), _parse_pointer_action),
    (("wait", "delay"), _parse_wait_action),
    (("repeat",), _parse_repeat_action),
    (("light",), _parse_light_action),
    (("toggle variable", "set variable"), _parse_variable_action),
    (("press", "keys", "key", "hold"), _parse_keystroke_action),
)
