"""Parses event scripts, a readable text form of events for simulations and examples.

    down 36 @100        press note 36 at 100 ms; `vel 90`, `ch 10`, `dev pads` may follow
    up 36               release it, at the time reached so far
    tap 36              press it and release it 20 ms later
    wait 600            600 ms pass
    cc 21 64            a control change          turn 21 +3    three clockwise steps (two's complement)
    cc 21 tap           a button that sends 127 and 0; also `down` and `up`
    bend 8192           pitch bend, 0-16383       pressure 80   channel pressure; `note 36` for one key
    program 5           program change            sysex F0 7E .. F7
    nrpn 300 8192       a parameter               rpn 0 256
    button south down   a gamepad button          axis left_x 0.8      trigger left 0.6
    osc /a/b 0.5        an OSC message            app firefox Some title
    mode DJ             switch to the mode from outside
    unplug pads         the device goes away      plug pads

Times are milliseconds from the start; `@` sets the time of its line and of all following lines. `;` or a comma
separates events on one line; `#` starts a comment.

Controls can also be named as they are printed, if their names are known: `tap Pad 1`, `pad1`, `Fader 1 64`,
`turn Knob 1 +3`.
"""

import math
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import InputEvent
from conductor.domain.keys import (
    canonicalize_analog_trigger,
    canonicalize_axis,
    canonicalize_button,
)
from conductor.engine.script_names import PRESSES, replace_control_name
from conductor.errors import BadScript

TAP_DURATION_MS = 20
DEFAULT_VELOCITY = 100


class ScriptedModeSwitch(NamedTuple):
    """A switch to a mode by the user, as an item of an event script."""

    mode: str
    time: float


ScriptItem = InputEvent | ScriptedModeSwitch


class _ScriptLine:
    """One line of an event script: its words, with the time, device and channel that apply to it."""

    def __init__(self, words: list[str], time: float, device: str, channel: int) -> None:
        self.words = words
        self.time = time
        self.device = device
        self.channel = channel
        self.velocity = DEFAULT_VELOCITY
        self.note: int | None = None

    def get_word(self, index: int, expected: str) -> str:
        if len(self.words) <= index:
            raise BadScript(f"{expected} is missing")
        return self.words[index]

    def get_remaining_words(self, index: int, expected: str) -> list[str]:
        self.get_word(index, expected)
        return self.words[index:]

    def parse_integer(self, index: int, low: int, high: int, noun: str) -> int:
        text = self.get_word(index, f"a {noun} ({low} to {high})")
        try:
            number = int(text, 0) if not text.startswith("+") else int(text)
        except ValueError:
            raise BadScript(f"`{text}` is not a {noun} ({low} to {high})") from None
        if not low <= number <= high:
            raise BadScript(f"{noun} {number} is outside {low} to {high}")
        return number

    def parse_real(self, index: int, noun: str) -> float:
        return parse_finite(self.get_word(index, f"a {noun}"), noun)

    def build_event(
        self,
        kind: str,
        number: int | str,
        value: float,
        data: object = None,
        *,
        channel: int | None = None,
    ) -> InputEvent:
        on = self.channel if channel is None else channel
        return InputEvent(kind, self.device, on, number, value, self.time, data)  # pyright: ignore[reportArgumentType]


def parse_finite(text: str, noun: str) -> float:
    """Return the finite number in a text.

    Raises:
        BadScript: the text is not a number, or not a finite one.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadScript(f"`{text}` is not a {noun}")
    return number


def parse_script(
    text: str,
    device: str = "virtual",
    channel: int = 1,
    read_names: Callable[[], ControlNames] = lambda: NO_CONTROL_NAMES,
) -> list[ScriptItem]:
    """Return the events in a script, in the order of their times.

    `read_names` returns the names of the controls; it is called only for a line that may contain one.

    Raises:
        BadScript: a line is invalid; the message names the line and what was expected.
    """
    items: list[ScriptItem] = []
    now_ms = 0.0
    for number, raw in _split_parts(text):
        try:
            words, now_ms = _split_off_time(raw.split(), now_ms)
            if words[:1] == ["wait"]:
                now_ms += _parse_wait_ms(_ScriptLine(words, 0, device, channel))
            elif words:
                line = _parse_options(words, now_ms / 1000, device, channel)
                added = _parse_item(_replace_name(line, read_names))
                items.extend(added)
                now_ms = max([now_ms, *(item.time * 1000 for item in added)])
        except (BadScript, ValueError) as error:
            raise BadScript(f"line {number}: `{raw.strip()}`: {error}") from None
    return sorted(items, key=lambda item: item.time)


def _split_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the parts of a script that semicolons or commas separate, with their line numbers."""
    for number, line in enumerate(text.splitlines(), start=1):
        for part in _PART_SEPARATOR.split(line.split("#", 1)[0]):
            yield number, part


def _parse_wait_ms(line: _ScriptLine) -> float:
    wait_ms = line.parse_real(1, "time in ms")
    _require_end_of_line(line, 2)
    if wait_ms < 0:
        raise BadScript(f"`{line.words[1]}` is not a time in ms: time only passes")
    return wait_ms


def _require_end_of_line(line: _ScriptLine, known: int) -> None:
    if len(line.words) > known:
        raise BadScript(f"`{line.words[known]}` is not understood here")


def _split_off_time(words: list[str], now_ms: float) -> tuple[list[str], float]:
    rest = [word for word in words if not word.startswith("@")]
    times = [word[1:].removesuffix("ms") for word in words if word.startswith("@")]
    if not times:
        return rest, now_ms
    try:
        return rest, parse_finite(times[-1], "time in ms")
    except BadScript:
        raise BadScript(f"`@{times[-1]}` is not a time in ms") from None


def _parse_options(words: list[str], time: float, device: str, channel: int) -> _ScriptLine:
    line = _ScriptLine(words, time, device, channel)
    _read_options(line)
    return line


def _read_options(line: _ScriptLine) -> None:
    """Store the options of a line, such as `vel 90`, and remove them from its words."""
    words, index = line.words, 1
    while index < len(words) - 1:
        word, value = words[index], words[index + 1]
        if word == "dev":
            line.device = value
        elif word == "ch":
            line.channel = line.parse_integer(index + 1, 1, 16, "channel")
        elif word == "vel":
            line.velocity = line.parse_integer(index + 1, 0, 127, "velocity")
        elif word == "note" and words[0] == "pressure":
            line.note = line.parse_integer(index + 1, 0, 127, "note")
        else:
            index += 1
            continue
        del words[index : index + 2]


def _replace_name(line: _ScriptLine, read_names: Callable[[], ControlNames]) -> _ScriptLine:
    """Return a line in which the name of a control is replaced by its number."""
    named = replace_control_name(line.words, line.device, read_names, _PARSERS_BY_COMMAND)
    if named is not None:
        line.words = named.words
        line.device, line.channel = line.device or named.device, line.channel or named.channel
        _read_options(line)  # the word after the name is a velocity
    return line


def _parse_item(line: _ScriptLine) -> list[ScriptItem]:
    reader = _PARSERS_BY_COMMAND.get(line.words[0])
    if reader is None:
        raise BadScript(
            f"unknown word; lines begin with {', '.join([*_PARSERS_BY_COMMAND, 'wait'])}"
        )
    items = reader(line)
    if line.words[0] in _WORD_COUNTS_BY_COMMAND:
        _require_end_of_line(line, _WORD_COUNTS_BY_COMMAND[line.words[0]])
    return items


def _parse_down(line: _ScriptLine) -> list[ScriptItem]:
    return [line.build_event("note_on", line.parse_integer(1, 0, 127, "note"), line.velocity)]


def _parse_up(line: _ScriptLine) -> list[ScriptItem]:
    return [line.build_event("note_off", line.parse_integer(1, 0, 127, "note"), 0)]


def _parse_tap(line: _ScriptLine) -> list[ScriptItem]:
    down = _parse_down(line)
    line.time += TAP_DURATION_MS / 1000
    return [*down, *_parse_up(line)]


def _parse_cc(line: _ScriptLine) -> list[ScriptItem]:
    number = line.parse_integer(1, 0, 127, "controller")
    state = line.words[2] if len(line.words) > 2 else ""
    if state not in PRESSES:
        return [line.build_event("cc", number, line.parse_integer(2, 0, 127, "value"))]
    down = line.build_event("cc", number, 127)
    if state == "down":
        return [down]
    if state == "tap":
        line.time += TAP_DURATION_MS / 1000
    up = line.build_event("cc", number, 0)
    return [down, up] if state == "tap" else [up]


def _parse_turn(line: _ScriptLine) -> list[ScriptItem]:
    number, steps = (
        line.parse_integer(1, 0, 127, "controller"),
        line.parse_integer(2, -63, 63, "number of steps"),
    )
    value = 1 if steps > 0 else 127
    events: list[ScriptItem] = []
    for _ in range(abs(steps)):
        events.append(line.build_event("cc", number, value))
        line.time += 0.01
    return events


def _parse_bend(line: _ScriptLine) -> list[ScriptItem]:
    return [line.build_event("pitch_bend", 0, line.parse_integer(1, 0, 16_383, "bend"))]


def _parse_pressure(line: _ScriptLine) -> list[ScriptItem]:
    value = line.parse_integer(1, 0, 127, "pressure")
    if line.note is not None:
        return [line.build_event("poly_pressure", line.note, value)]
    return [line.build_event("channel_pressure", 0, value)]


def _parse_program(line: _ScriptLine) -> list[ScriptItem]:
    number = line.parse_integer(1, 0, 127, "program")
    return [line.build_event("program_change", number, number)]


def _parse_parameter(line: _ScriptLine) -> list[ScriptItem]:
    number = line.parse_integer(1, 0, 16_383, "parameter")
    return [line.build_event(line.words[0], number, line.parse_integer(2, 0, 16_383, "value"))]


def _parse_sysex(line: _ScriptLine) -> list[ScriptItem]:
    message = bytes.fromhex(" ".join(line.get_remaining_words(1, "the message, such as F0 7E F7,")))
    if message[:1] != b"\xf0":
        message = b"\xf0" + message
    if message[-1:] != b"\xf7":
        message += b"\xf7"
    return [line.build_event("sysex", 0, len(message), message, channel=0)]


def _parse_button(line: _ScriptLine) -> list[ScriptItem]:
    name = canonicalize_button(line.get_word(1, "the button's name"))
    state = line.words[2] if len(line.words) > 2 else "tap"
    down = line.build_event("button_down", name, 1, channel=0)
    if state == "down":
        return [down]
    if state == "tap":
        line.time += TAP_DURATION_MS / 1000
    elif state != "up":
        raise BadScript("a button goes `down`, `up` or `tap`")
    up = line.build_event("button_up", name, 0, channel=0)
    return [down, up] if state == "tap" else [up]


def _parse_axis(line: _ScriptLine) -> list[ScriptItem]:
    axis = canonicalize_axis(line.get_word(1, "the axis"))
    position = max(-1.0, min(1.0, line.parse_real(2, "position from -1 to 1")))
    return [line.build_event("axis", axis, position, channel=0)]


def _parse_trigger(line: _ScriptLine) -> list[ScriptItem]:
    name = canonicalize_analog_trigger(line.get_word(1, "the trigger, left or right,"))
    pull = max(0.0, min(1.0, line.parse_real(2, "pull from 0 to 1")))
    return [line.build_event("gamepad_trigger", name, pull, channel=0)]


def _parse_osc(line: _ScriptLine) -> list[ScriptItem]:
    address = line.get_word(1, "the address")
    if not address.startswith("/"):
        raise BadScript(f"`{address}` is not an OSC address: it begins with /")
    args = tuple(_parse_number_or_text(word) for word in line.words[2:])
    first = next((arg for arg in args if isinstance(arg, float)), 1.0)
    event = line.build_event("osc", address, first, args, channel=0)
    return [event._replace(device="osc") if event.device == "virtual" else event]


def _parse_number_or_text(word: str) -> float | str:
    try:
        number = float(word)
    except ValueError:
        return word
    return number if math.isfinite(number) else word


def _parse_mode(line: _ScriptLine) -> list[ScriptItem]:
    return [ScriptedModeSwitch(" ".join(line.get_remaining_words(1, "the mode's name")), line.time)]


def _parse_app(line: _ScriptLine) -> list[ScriptItem]:
    executable, title = line.get_word(1, "the app's name"), " ".join(line.words[2:])
    return [InputEvent("app", "", 0, 0, 0, line.time, (executable, executable, title))]


def _parse_plug(line: _ScriptLine) -> list[ScriptItem]:
    kind = "device_gone" if line.words[0] == "unplug" else "device_back"
    return [InputEvent(kind, line.get_word(1, "the device"), 0, 0, 0, line.time)]


_WORD_COUNTS_BY_COMMAND = {
    **dict.fromkeys(("down", "up", "tap", "bend", "pressure", "program", "unplug", "plug"), 2),
    **dict.fromkeys(("cc", "turn", "nrpn", "rpn", "button", "axis", "trigger"), 3),
}
"""The number of words in each kind of line, without options. Kinds that are missing
here can have any number."""

_PARSERS_BY_COMMAND: dict[str, Callable[[_ScriptLine], list[ScriptItem]]] = {
    "down": _parse_down,
    "up": _parse_up,
    "tap": _parse_tap,
    "cc": _parse_cc,
    "turn": _parse_turn,
    "bend": _parse_bend,
    "pressure": _parse_pressure,
    "program": _parse_program,
    "nrpn": _parse_parameter,
    "rpn": _parse_parameter,
    "sysex": _parse_sysex,
    "button": _parse_button,
    "axis": _parse_axis,
    "trigger": _parse_trigger,
    "osc": _parse_osc,
    "mode": _parse_mode,
    "app": _parse_app,
    "unplug": _parse_plug,
    "plug": _parse_plug,
}

_PART_SEPARATOR = re.compile(rf";|,\s*(?=(?:{'|'.join([*_PARSERS_BY_COMMAND, 'wait'])})\b)")
"""Matches a separator: a semicolon, or a comma before a keyword, because window titles may contain commas."""
