"""The trigger half of a mapping, from words: `hold pad 36 500ms`, `cc 7 up`, `that on pads`."""

import re
from typing import Any

from pydantic import TypeAdapter, ValidationError

from conductor.agent.slash.context import TOUCH, Facts, Named
from conductor.agent.slash.lexer import Unclear, Word, Words, joined, whole
from conductor.domain.keys import canonical_button
from conductor.domain.triggers import Trigger
from conductor.domain.value import plain_message

_TRIGGER: TypeAdapter[Trigger] = TypeAdapter(Trigger)
_RANGE = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")
SOFT_UP_TO, HARD_FROM = 79, 80
BENT = {"up": {"value_min": 12_288}, "down": {"value_max": 4_095}}
"""Half of the way to either end."""
BUTTON_FROM = 64
_GESTURES = {
    "hold": ("press and hold", "long press", "hold"),
    "double": ("double tap", "double-tap", "doubletap", "tap twice"),
    "release": ("release", "let go of", "let go"),
    "hard": ("hard",),
    "soft": ("soft",),
    "tap": ("tap", "press", "hit", "strike"),
}
_TURNS = {
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
EXAMPLES = (
    "`pad 36`, `hold pad 36`, `chord 36+40`, `cc 7`, `encoder 16 clockwise`, `gamepad a`, `that`"
)

Plain = dict[str, Any]


def read_trigger(words: Words, facts: Facts) -> Trigger:
    """Read the words of a trigger.

    Raises:
        Unclear: they do not say which; the message says what to write.
    """
    if not words:
        raise Unclear(f"say which control: {EXAMPLES}")
    place = _place(words, facts)
    trigger = {**_gesture(words, facts), **place}
    words.end()
    return valid_trigger(trigger)


def valid_trigger(trigger: Plain) -> Trigger:
    """Check a trigger.

    Raises:
        Unclear: no control can do this.
    """
    try:
        return _TRIGGER.validate_python(trigger)
    except ValidationError as error:
        raise Unclear(first_reason(error)) from None


def first_reason(error: ValidationError) -> str:
    """Return the first thing that is wrong, in words."""
    row = error.errors(include_url=False, include_input=False)[0]
    message = plain_message(row["msg"])
    where = ".".join(str(step) for step in row["loc"][1:])
    return f"{where}: {message}" if where else message


def _place(words: Words, facts: Facts) -> Plain:
    """Take `on <device>` and `channel 10` out, wherever they stand."""
    place: Plain = {}
    kept: list[Word] = []
    while words:
        if words.take("channel", "ch") or words.take("on channel"):
            place["channel"] = words.number("a channel", 1, 16)
        elif words.take("on"):
            place["device"] = _device(words, facts)
        else:
            kept.append(words.words.pop(0))
    words.words = kept
    return place


def _device(words: Words, facts: Facts) -> str:
    """Take the longest name of a device that comes next."""
    for length in range(len(words.words), 0, -1):
        device = facts.maybe_device(joined(words.words[:length]))
        if device is not None:
            del words.words[:length]
            return device
    return facts.device(words.next("the device's name, after `on`,").text)


def _gesture(words: Words, facts: Facts) -> Plain:
    if words.take("chord") or _is_chord(words):
        return _chord(words, facts)
    name = next((one for one, phrases in _GESTURES.items() if words.take(*phrases)), None)
    if name is None:
        return _untouched(words, facts)
    if words.take("chord"):
        raise Unclear("a chord is only struck: write `chord 36+40`")
    named = _control(words, facts)
    if name == "hold":
        words.take("for")
        duration = words.duration_ms()
        duration = facts.config.settings.learn.long_press_ms if duration is None else duration
        return {"type": "LongPress", **_pressed(named), "duration_ms": duration}
    if name == "double":
        within = words.take("within") and words.duration_ms()
        return {
            "type": "DoubleTap",
            **_pressed(named),
            **({"timeout_ms": within} if within else {}),
        }
    if name == "tap":
        return _moved(named, words, facts)
    return _struck(name, named)


def _struck(name: str, named: Named) -> Plain:
    if named.control_class != "note":
        raise Unclear(f"`{name}` is for a pad or key, such as `{name} 36`")
    note = {"note": named.number, **named.place()}
    if name == "release":
        return {"type": "NoteRelease", **note}
    limits = {"max_velocity": SOFT_UP_TO} if name == "soft" else {"min_velocity": HARD_FROM}
    return {"type": "VelocityRange", **note, **limits}


def _pressed(named: Named) -> Plain:
    """Return the field of a note or a button."""
    if named.control_class == "note":
        return {"note": named.number, **named.place()}
    if named.control_class == "button":
        return {"button": named.number, **named.place()}
    raise Unclear("only a pad, a key or a gamepad's button can be held or tapped twice")


def _is_chord(words: Words) -> bool:
    return any("+" in word.text.strip("+") for word in words.words if not word.quoted)


def _chord(words: Words, facts: Facts) -> Plain:
    words.take("pads", "pad", "notes", "note", "keys", "of")
    is_gamepad = bool(words.take("gamepad", "buttons", "button"))
    within = words.cut_at("within")
    timing: Plain = {}
    if within is not None:
        timing = {"timeout_ms": words.duration_ms() or 50}
        words.end()
        words.words = within.words
    parts = [part for part in re.split(r"[\s+,&]+", words.rest("the pads of the chord")) if part]
    parts = [part for part in parts if part.casefold() not in ("and", "pad", "note")]
    if is_gamepad:
        return {"type": "GamepadButtonChord", "buttons": [_button(part) for part in parts]} | timing
    return {"type": "NoteChord", "notes": [_note(part, facts) for part in parts]} | timing


def _untouched(words: Words, facts: Facts) -> Plain:
    """Read a control with no gesture before it."""
    if words.take("pitch bend", "pitch wheel", "pitchbend", "bend"):
        return _bend(words)
    if words.take("program change", "program"):
        return {"type": "ProgramChange", "program": words.number("a program", 0, 127)}
    if words.take("aftertouch", "pressure"):
        return _aftertouch(words, facts)
    kind = words.take("nrpn", "rpn")
    if kind:
        parameter = {"parameter": words.number("a parameter", 0, 16_383)}
        registered = {"registered": True} if kind == "rpn" else {}
        return {"type": "Nrpn", **parameter, **registered, **_values(words, 16_383)}
    if words.take("sysex"):
        return {"type": "Sysex", "pattern": words.rest("the bytes, such as `F0 7E ?? 06 02 *`,")}
    if words.take("osc"):
        return {"type": "OscMessage", "address": words.next("the address, such as /1/fader1,").text}
    stick = _stick(words)
    if stick is not None:
        return stick
    return _moved(_control(words, facts), words, facts)


def _control(words: Words, facts: Facts) -> Named:
    if words.take("that", "this", "it"):
        return facts.touched()
    words.take("the")
    if words.take("gamepad button", "gamepad", "button"):
        return _gamepad(words, facts)
    kind = words.take("pad", "note", "key", "cc", "encoder", "knob", "fader", "dial", "slider")
    word = words.next("its number")
    if kind in ("knob", "fader", "dial", "slider"):
        return _by_group({"dial": "knob", "slider": "fader"}.get(kind, kind), word, facts)
    if kind in ("cc", "encoder"):
        cc = whole(word.text)
        if cc is None or not 0 <= cc <= 127:
            raise Unclear(f"`{word.text}` is not the number of a CC (0 to 127)")
        return Named("cc", cc, is_encoder=kind == "encoder")
    if kind == "pad" and word.text in _SMALL_PADS:
        return facts.virtual("pad", int(word.text)) or _which("pad", word)
    if kind is None and facts.note(word.text) is None:
        raise Unclear(f"`{word.text}` is not a control: write such as {EXAMPLES}")
    return Named("note", _note(word.text, facts))


_SMALL_PADS = tuple(str(number) for number in range(1, 17))
"""Printed on pads; their notes are others."""


def _by_group(kind: str, word: Word, facts: Facts) -> Named:
    number = whole(word.text)
    found = facts.virtual(kind, number) if number is not None else None
    return found or _which(kind, word)


def _which(kind: str, word: Word) -> Named:
    example = f"note {word.text}" if kind == "pad" else "cc 7"
    raise Unclear(
        f"which control is {kind} {word.text}? Its number in MIDI is not known: {TOUCH},"
        f" or give the number, such as `{example}`"
    )


def _gamepad(words: Words, facts: Facts) -> Named:
    side = words.take(*_PULLED)
    if side:
        return Named("gamepad_trigger", _PULLED[side])
    word = words.next("the button, such as `a` or `l1`,")
    button = facts.virtual("button", word.text.casefold())
    return button or Named("button", _button(word.text))


def _button(text: str) -> str:
    try:
        return canonical_button(text)
    except ValueError as error:
        raise Unclear(str(error)) from None


def _note(text: str, facts: Facts) -> int:
    note = facts.note(text)
    if note is None:
        raise Unclear(
            f"`{text}` is not a note: write its number (0 to 127) or its name, such as C2"
        )
    return note


def _moved(named: Named, words: Words, facts: Facts) -> Plain:
    """Return what a control does when it is simply used."""
    place = named.place()
    match named.control_class:
        case "note":
            return {"type": "Note", "note": named.number, **place}
        case "button":
            return {"type": "GamepadButton", "button": named.number, **place}
        case "cc":
            return {**_cc(named, words, facts), **place}
        case "gamepad_trigger":
            return {"type": "GamepadTrigger", "trigger": named.number, **place}
        case _:
            learned = facts.learned(named)
            if learned is None:
                raise Unclear(f"nothing is known of that control: {EXAMPLES}")
            return learned


def _cc(named: Named, words: Words, facts: Facts) -> Plain:
    cc = {"cc": named.number}
    turn = words.take(*_TURNS)
    if turn or named.is_encoder:
        return {"type": "EncoderTurn", **cc, **({"direction": _TURNS[turn]} if turn else {})}
    values = _values(words, 127)
    learned = None if values else facts.learned(named)
    if learned is not None:
        return learned
    if named.is_button and not values:
        values = {"value_min": BUTTON_FROM}
    return {"type": "CC", **cc, **values}


def _values(words: Words, most: int) -> Plain:
    edge = words.take("up", "rising", "down", "falling")
    if edge:
        return {"edge": "rising" if edge in ("up", "rising") else "falling"}
    match = _RANGE.fullmatch(words.words[0].text) if words else None
    if match is not None:
        words.words.pop(0)
        return {"value_min": int(match[1]), "value_max": int(match[2])}
    if words.take("over", "above"):
        return {"value_min": words.number("a value", 0, most - 1) + 1}
    if words.take("under", "below"):
        return {"value_max": words.number("a value", 1, most) - 1}
    return {}


def _bend(words: Words) -> Plain:
    side = words.take("up", "down")
    return {"type": "PitchBend", **(BENT[side] if side else {"dead_zone": 200})}


def _aftertouch(words: Words, facts: Facts) -> Plain:
    words.take("of")
    words.take("pad", "note", "key")
    note = facts.note(words.words[0].text) if words else None
    if note is not None:
        words.words.pop(0)
    values = _values(words, 127)
    named = {
        "value_min": "pressure_min",
        "value_max": "pressure_max",
    }
    limits = {named[key]: item for key, item in values.items() if key in named}
    return {
        "type": "Aftertouch",
        **({} if note is None else {"note": note}),
        **(limits or {"pressure_min": BUTTON_FROM}),
    }


_STICKS = {
    "left stick": "left",
    "stick left": "left",
    "gamepad stick left": "left",
    "gamepad left stick": "left",
    "right stick": "right",
    "stick right": "right",
    "gamepad stick right": "right",
    "gamepad right stick": "right",
}
_PULLED = {
    "left trigger": "left",
    "trigger left": "left",
    "right trigger": "right",
    "trigger right": "right",
}
_WAYS = {"left": "x", "right": "x", "up": "y", "down": "y"}


def _stick(words: Words) -> Plain | None:
    side = words.take(*_PULLED)
    if side:
        return {"type": "GamepadTrigger", "trigger": _PULLED[side]}
    stick = words.take(*_STICKS)
    if stick is None:
        return None
    axis = words.take("x", "y")
    way = words.take(*_WAYS)
    if axis is None and way is None:
        raise Unclear(f"say which way: `{stick} x`, `{stick} up` or `{stick} left`")
    axis = axis or _WAYS[way or "up"]
    direction = {} if way is None else {"direction": way}
    return {"type": "GamepadAnalogStick", "axis": f"{_STICKS[stick]}_{axis}", **direction}
