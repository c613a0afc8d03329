"""Parses the trigger in a slash command, such as `hold pad 36 500ms`, `cc 7 up` or `that on pads`."""

import re
from typing import NoReturn

from pydantic import TypeAdapter, ValidationError

from conductor.agent.slash.context import TOUCH_FIRST_HINT, CommandContext, NamedControl
from conductor.agent.slash.lexer import SlashSyntaxError, Word, WordReader, join_words, parse_int
from conductor.base.json_types import JsonObject
from conductor.domain.keys import canonicalize_button
from conductor.domain.triggers import Trigger
from conductor.domain.value import reword_message

_TRIGGER_ADAPTER: TypeAdapter[Trigger] = TypeAdapter(Trigger)
_RANGE_PATTERN = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")
SOFT_UP_TO, HARD_FROM = 79, 80
PITCH_BEND_RANGES = {"up": {"value_min": 12_288}, "down": {"value_max": 4_095}}
"""The values of a pitch bend that is at least half of the way down or up, on a scale from 0 to 16383."""
MIN_PRESSED_VALUE = 64
_GESTURE_WORDS = {
    "hold": ("press and hold", "long press", "hold"),
    "double": ("double tap", "double-tap", "doubletap", "tap twice"),
    "release": ("release", "let go of", "let go"),
    "hard": ("hard",),
    "soft": ("soft",),
    "tap": ("tap", "press", "hit", "strike"),
}
_GESTURE_TIMES = {
    "hold": ("LongPress", "for", "duration_ms"),
    "double": ("DoubleTap", "within", "timeout_ms"),
}
"""For each gesture with a time: its trigger type, the word before the time, and the field of the time."""
_TURN_DIRECTIONS = {
    **dict.fromkeys(("clockwise", "cw", "right"), "clockwise"),
    **dict.fromkeys(
        (
            "counter clockwise",
            "counter-clockwise",
            "counterclockwise",
            "counter_clockwise",
            "anticlockwise",
            "ccw",
            "left",
        ),
        "counter_clockwise",
    ),
}
TRIGGER_EXAMPLES = (
    "`pad 36`, `hold pad 36`, `chord 36+40`, `cc 7`, `encoder 16 clockwise`, `gamepad a`, `that`"
)


def parse_trigger(words: WordReader, context: CommandContext) -> Trigger:
    """Parse the words of a trigger. The time of its gesture stays unset if the words do not state it.

    Raises:
        SlashSyntaxError: The words do not describe a trigger. The message says what to write instead.
    """
    if not words:
        raise SlashSyntaxError(f"say which control, such as {TRIGGER_EXAMPLES}")
    place = _extract_device_and_channel(words, context)
    named = context.with_device(place.get("device"))
    trigger = {**_parse_gesture(words, named), **place}
    words.require_no_more_words()
    return validate_trigger(trigger)


def validate_trigger(trigger: JsonObject) -> Trigger:
    """Return a trigger from the fields of its config.

    Raises:
        SlashSyntaxError: The fields are invalid.
    """
    try:
        return _TRIGGER_ADAPTER.validate_python(trigger)
    except ValidationError as error:
        raise SlashSyntaxError(get_first_error_message(error)) from None


def get_first_error_message(error: ValidationError) -> str:
    """Return the first problem of a validation error in plain words, after the name of the field."""
    row = error.errors(include_url=False, include_input=False)[0]
    message = reword_message(row["msg"])
    where = ".".join(str(step) for step in row["loc"][1:])
    return f"{where}: {message}" if where else message


def _extract_device_and_channel(words: WordReader, context: CommandContext) -> JsonObject:
    """Remove `on <device>` and `channel <number>`, wherever they are, and return the trigger fields for
    them.
    """
    place: JsonObject = {}
    kept: list[Word] = []
    while words:
        if words.take_phrase("channel", "ch") or words.take_phrase("on channel"):
            place["channel"] = words.take_number("a channel", 1, 16)
        elif words.take_phrase("on"):
            place["device"] = _extract_device(words, context)
        else:
            kept.append(words.words.pop(0))
    words.words = kept
    return place


def _extract_device(words: WordReader, context: CommandContext) -> str:
    """Remove the longest device alias at the front and return it."""
    for length in range(len(words.words), 0, -1):
        device = context.find_device(join_words(words.words[:length]))
        if device is not None:
            del words.words[:length]
            return device
    return context.require_device(words.take_word("the device's name, after `on`,").text)


def _parse_gesture(words: WordReader, context: CommandContext) -> JsonObject:
    if words.take_phrase("chord") or _is_chord_phrase(words):
        return _parse_chord(words, context)
    name = next(
        (gesture for gesture, phrases in _GESTURE_WORDS.items() if words.take_phrase(*phrases)),
        None,
    )
    if name is None:
        return _parse_plain_control(words, context)
    if words.take_phrase("chord"):
        raise SlashSyntaxError("a chord can only be pressed: write `chord 36+40`")
    named = _parse_control(words, context)
    if name in _GESTURE_TIMES:
        gesture_type, preposition, field = _GESTURE_TIMES[name]
        words.take_phrase(preposition)
        time_ms = words.take_duration_ms()
        time = {} if time_ms is None else {field: time_ms}
        return {"type": gesture_type, **_build_press_fields(named), **time}
    if name == "tap":
        return _build_plain_trigger(named, words, context)
    return _build_strike_trigger(name, named)


def _build_strike_trigger(name: str, named: NamedControl) -> JsonObject:
    if named.control_class != "note":
        raise SlashSyntaxError(f"`{name}` is for a pad or key, such as `{name} 36`")
    note = {"note": named.number, **named.build_location()}
    if name == "release":
        return {"type": "NoteRelease", **note}
    limits = {"max_velocity": SOFT_UP_TO} if name == "soft" else {"min_velocity": HARD_FROM}
    return {"type": "VelocityRange", **note, **limits}


def _build_press_fields(named: NamedControl) -> JsonObject:
    """Return the trigger fields of a note or a button that is pressed."""
    if named.control_class == "note":
        return {"note": named.number, **named.build_location()}
    if named.control_class == "button":
        return {"button": named.number, **named.build_location()}
    raise SlashSyntaxError("only a pad, a key or a gamepad button can be held or double-tapped")


def _is_chord_phrase(words: WordReader) -> bool:
    return any("+" in word.text.strip("+") for word in words.words if not word.quoted)


def _parse_chord(words: WordReader, context: CommandContext) -> JsonObject:
    words.take_phrase("pads", "pad", "notes", "note", "keys", "of")
    is_gamepad = bool(words.take_phrase("gamepad", "buttons", "button"))
    within = words.split_at_first_word("within")
    timing: JsonObject = {}
    if within is not None:
        timing = {"timeout_ms": words.take_duration_ms() or 50}
        words.require_no_more_words()
        words.words = within.words
    parts = [
        part
        for part in re.split(r"[\s+,&]+", words.take_remaining_text("the pads of the chord"))
        if part
    ]
    parts = [part for part in parts if part.casefold() not in ("and", "pad", "note")]
    if is_gamepad:
        return {
            "type": "GamepadButtonChord",
            "buttons": [_parse_button_name(part) for part in parts],
        } | timing
    return {
        "type": "NoteChord",
        "notes": [_parse_note_number(part, context) for part in parts],
    } | timing


def _parse_plain_control(words: WordReader, context: CommandContext) -> JsonObject:
    """Parse a control that has no gesture word, such as `hold`, before it."""
    if words.take_phrase("pitch bend", "pitch wheel", "pitchbend", "bend"):
        return _parse_pitch_bend(words)
    if words.take_phrase("program change", "program"):
        return {"type": "ProgramChange", "program": words.take_number("a program", 0, 127)}
    if words.take_phrase("aftertouch", "pressure"):
        return _parse_aftertouch_trigger(words, context)
    kind = words.take_phrase("nrpn", "rpn")
    if kind:
        parameter = {"parameter": words.take_number("a parameter", 0, 16_383)}
        registered = {"registered": True} if kind == "rpn" else {}
        return {"type": "Nrpn", **parameter, **registered, **_parse_value_range(words, 16_383)}
    if words.take_phrase("sysex"):
        return {
            "type": "Sysex",
            "pattern": words.take_remaining_text("the bytes, such as `F0 7E ?? 06 02 *`,"),
        }
    if words.take_phrase("osc"):
        return {
            "type": "OscMessage",
            "address": words.take_word("the address, such as /1/fader1,").text,
        }
    stick = _parse_stick_trigger(words)
    if stick is not None:
        return stick
    return _build_plain_trigger(_parse_control(words, context), words, context)


def _extract_own_named_control(words: WordReader, context: CommandContext) -> NamedControl | None:
    """Remove the longest name of a control at the front that the user has given, and return the control."""
    for length in range(len(words.words), 0, -1):
        control = context.find_own_named_control(join_words(words.words[:length]))
        if control is not None:
            del words.words[:length]
            return control
    return None


def _parse_control(words: WordReader, context: CommandContext) -> NamedControl:
    if words.take_phrase("that", "this", "it"):
        return context.find_last_control()
    words.take_phrase("the")
    own = _extract_own_named_control(words, context)
    if own is not None:
        return own
    if words.take_phrase("gamepad button", "gamepad", "button"):
        return _parse_gamepad_button(words, context)
    kind = words.take_phrase(
        "pad", "note", "key", "cc", "encoder", "knob", "fader", "dial", "slider"
    )
    word = words.take_word("its number")
    if kind in ("knob", "fader", "dial", "slider"):
        return _find_control_by_group(
            {"dial": "knob", "slider": "fader"}.get(kind, kind), word, context
        )
    if kind in ("cc", "encoder"):
        cc = parse_int(word.text)
        if cc is None or not 0 <= cc <= 127:
            raise SlashSyntaxError(f"`{word.text}` is not the number of a CC (0 to 127)")
        return NamedControl("cc", cc, is_encoder=kind == "encoder")
    if kind == "pad" and word.text in _PRINTED_PAD_NUMBERS:
        return context.find_printed_control("pad", int(word.text)) or _raise_missing_number(
            "pad", word
        )
    if kind is None and context.parse_note(word.text) is None:
        raise SlashSyntaxError(f"`{word.text}` is not a control; examples: {TRIGGER_EXAMPLES}")
    return NamedControl("note", _parse_note_number(word.text, context))


_PRINTED_PAD_NUMBERS = tuple(str(number) for number in range(1, 17))
"""Numbers that are printed on pads. They say nothing about the number of the note that a pad sends."""


def _find_control_by_group(kind: str, word: Word, context: CommandContext) -> NamedControl:
    number = parse_int(word.text)
    found = context.find_printed_control(kind, number) if number is not None else None
    return found or _raise_missing_number(kind, word)


def _raise_missing_number(kind: str, word: Word) -> NoReturn:
    example = f"note {word.text}" if kind == "pad" else "cc 7"
    raise SlashSyntaxError(
        f"which control is {kind} {word.text}? Its MIDI number is unknown: {TOUCH_FIRST_HINT},"
        f" or give the number, such as `{example}`"
    )


def _parse_gamepad_button(words: WordReader, context: CommandContext) -> NamedControl:
    side = words.take_phrase(*_ANALOG_TRIGGERS)
    if side:
        return NamedControl("gamepad_trigger", _ANALOG_TRIGGERS[side])
    word = words.take_word("the button, such as `a` or `l1`,")
    button = context.find_virtual_control("button", word.text.casefold())
    return button or NamedControl("button", _parse_button_name(word.text))


def _parse_button_name(text: str) -> str:
    try:
        return canonicalize_button(text)
    except ValueError as error:
        raise SlashSyntaxError(str(error)) from None


def _parse_note_number(text: str, context: CommandContext) -> int:
    note = context.parse_note(text)
    if note is None:
        raise SlashSyntaxError(
            f"`{text}` is not a note: write its number (0 to 127) or its name, such as C2"
        )
    return note


def _build_plain_trigger(
    named: NamedControl, words: WordReader, context: CommandContext
) -> JsonObject:
    """Return the trigger of a control that has no gesture word."""
    place = named.build_location()
    match named.control_class:
        case "note":
            return {"type": "Note", "note": named.number, **place}
        case "button":
            return {"type": "GamepadButton", "button": named.number, **place}
        case "cc":
            return {**_parse_cc_trigger(named, words, context), **place}
        case "gamepad_trigger":
            return {"type": "GamepadTrigger", "trigger": named.number, **place}
        case _:
            learned = context.suggest_trigger(named)
            if learned is None:
                raise SlashSyntaxError(
                    f"that control cannot be identified; examples: {TRIGGER_EXAMPLES}"
                )
            return learned


def _parse_cc_trigger(
    named: NamedControl, words: WordReader, context: CommandContext
) -> JsonObject:
    cc = {"cc": named.number}
    turn = words.take_phrase(*_TURN_DIRECTIONS)
    if turn or named.is_encoder:
        return {
            "type": "EncoderTurn",
            **cc,
            **({"direction": _TURN_DIRECTIONS[turn]} if turn else {}),
        }
    values = _parse_value_range(words, 127)
    learned = None if values else context.suggest_trigger(named)
    if learned is not None:
        return learned
    if named.is_button and not values:
        values = {"value_min": MIN_PRESSED_VALUE}
    return {"type": "CC", **cc, **values}


def _parse_value_range(words: WordReader, most: int) -> JsonObject:
    edge = words.take_phrase("up", "rising", "down", "falling")
    if edge:
        return {"edge": "rising" if edge in ("up", "rising") else "falling"}
    match = _RANGE_PATTERN.fullmatch(words.words[0].text) if words else None
    if match is not None:
        words.words.pop(0)
        return {"value_min": int(match[1]), "value_max": int(match[2])}
    if words.take_phrase("over", "above"):
        return {"value_min": words.take_number("a value", 0, most - 1) + 1}
    if words.take_phrase("under", "below"):
        return {"value_max": words.take_number("a value", 1, most) - 1}
    return {}


def _parse_pitch_bend(words: WordReader) -> JsonObject:
    side = words.take_phrase("up", "down")
    return {"type": "PitchBend", **(PITCH_BEND_RANGES[side] if side else {"dead_zone": 200})}


def _parse_aftertouch_trigger(words: WordReader, context: CommandContext) -> JsonObject:
    words.take_phrase("of")
    words.take_phrase("pad", "note", "key")
    note = context.parse_note(words.words[0].text) if words else None
    if note is not None:
        words.words.pop(0)
    values = _parse_value_range(words, 127)
    named = {
        "value_min": "pressure_min",
        "value_max": "pressure_max",
    }
    limits = {named[key]: item for key, item in values.items() if key in named}
    return {
        "type": "Aftertouch",
        **({} if note is None else {"note": note}),
        **(limits or {"pressure_min": MIN_PRESSED_VALUE}),
    }


_STICK_NAMES = {
    "left stick": "left",
    "stick left": "left",
    "gamepad stick left": "left",
    "gamepad left stick": "left",
    "right stick": "right",
    "stick right": "right",
    "gamepad stick right": "right",
    "gamepad right stick": "right",
}
_ANALOG_TRIGGERS = {
    "left trigger": "left",
    "trigger left": "left",
    "right trigger": "right",
    "trigger right": "right",
}
_STICK_AXIS_BY_DIRECTION = {"left": "x", "right": "x", "up": "y", "down": "y"}


def _parse_stick_trigger(words: WordReader) -> JsonObject | None:
    side = words.take_phrase(*_ANALOG_TRIGGERS)
    if side:
        return {"type": "GamepadTrigger", "trigger": _ANALOG_TRIGGERS[side]}
    stick = words.take_phrase(*_STICK_NAMES)
    if stick is None:
        return None
    axis = words.take_phrase("x", "y")
    direction = words.take_phrase(*_STICK_AXIS_BY_DIRECTION)
    if axis is None and direction is None:
        raise SlashSyntaxError(f"say the direction: `{stick} x`, `{stick} up` or `{stick} left`")
    axis = axis or _STICK_AXIS_BY_DIRECTION[direction or "up"]
    towards = {} if direction is None else {"direction": direction}
    return {"type": "GamepadAnalogStick", "axis": f"{_STICK_NAMES[stick]}_{axis}", **towards}
