"""Parses gestures for the virtual controller, such as `down pad1, wait 600, up pad1`."""

import re

from conductor.devices.virtual.controller import VIRTUAL_CONTROLS, ScriptStep, find_virtual_control
from conductor.errors import BadScript

TAP_DURATION_S = 0.02
MAX_SCRIPT_DURATION_S = 60.0
DEFAULT_VELOCITY = 100


def parse_gestures(text: str) -> list[ScriptStep]:
    """Parse gestures in a text into steps: `pad1`, `tap pad1`, `down pad1 90`, `up pad1`, `knob1 64`, `wait
    600` (in ms).

    Raises:
        BadScript: a gesture cannot be parsed, or the script takes more than a minute.
        UnknownDevice: the virtual controller has no control with a given name.
    """
    steps: list[ScriptStep] = []
    at_s = 0.0
    for part in re.split(r"[,;\n]", text):
        words = part.split()
        if words[:1] == ["wait"] and len(words) == 2:
            at_s += _parse_number(part, words[1], 60_000) / 1000
        elif words:
            steps += _parse_gesture(part.strip(), words, at_s)
            at_s = max(at_s, steps[-1][0])
    if not steps:
        raise BadScript(
            "the script plays nothing; write for example `pad1` or `down pad1, wait 600, up pad1`"
        )
    if at_s > MAX_SCRIPT_DURATION_S:
        raise BadScript(f"the script takes {at_s:g} s; the limit is {MAX_SCRIPT_DURATION_S:g} s")
    return steps


def _parse_gesture(part: str, words: list[str], at_s: float) -> list[ScriptStep]:
    if words[0] in ("note", "cc"):
        raise BadScript(f"`{part}`: {_explain_unnamed_control(words)}")
    verb = words.pop(0) if words[0] in ("down", "up", "tap", "turn") else ""
    if not 1 <= len(words) <= 2:
        raise BadScript(f"`{part}`: write `pad1`, `down pad1`, `up pad1`, `knob1 64` or `wait 600`")
    control = find_virtual_control(_parse_control_name(words[0]))
    turned = control.kind in ("knob", "fader")
    if turned != (verb == "turn") and verb:
        raise BadScript(f"`{part}`: `{control.name}` is {'turned' if turned else 'pressed'}")
    if turned:
        if len(words) < 2:
            raise BadScript(f"`{part}`: a value is missing, such as `{control.name} 64`")
        return [(at_s, "turn", (control.name, _parse_number(part, words[1], 127)))]
    velocity = _parse_number(part, words[1], 127) if len(words) > 1 else DEFAULT_VELOCITY
    down: ScriptStep = (at_s, "press", (control.name, max(velocity, 1)))
    match verb:
        case "down":
            return [down]
        case "up":
            return [(at_s, "release", (control.name,))]
        case _:
            return [down, (at_s + TAP_DURATION_S, "release", (control.name,))]


def _explain_unnamed_control(words: list[str]) -> str:
    """Return an error message for a control that is addressed by its MIDI number instead of its name."""
    kind, number = words[0], words[1] if len(words) > 1 else ""
    value = f" {words[2]}" if len(words) > 2 else ""
    names = [
        control.name
        for control in VIRTUAL_CONTROLS
        if (control.control_class, str(control.number)) == (kind, number)
    ]
    if names:
        return f"controls are played by name; write `{names[0]}{value}`"
    return (
        f"the virtual controller sends no {kind} {number}".rstrip()
        + "; pad1-16 are notes 36-51, knob1-8 are CC 20-27, fader1-8 are CC 40-47"
    )


def _parse_control_name(word: str) -> str:
    """Return the name of a pad for its note number; any other word is returned unchanged."""
    notes = {
        str(control.number): control.name
        for control in VIRTUAL_CONTROLS
        if control.control_class == "note"
    }
    return notes.get(word, word)


def _parse_number(part: str, word: str, maximum: int) -> int:
    if not word.isdecimal() or int(word) > maximum:
        raise BadScript(f"`{part.strip()}`: `{word}` is not a whole number from 0 to {maximum}")
    return int(word)
