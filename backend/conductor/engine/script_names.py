"""Replaces the names of controls in event scripts, such as `Pad 1` or `pad1`, by their messages."""

import difflib
import re
from collections.abc import Callable, Container, Sequence
from typing import NamedTuple

from conductor.domain.control_names import VIRTUAL_DEVICE, ControlNames, NamedControl
from conductor.errors import BadScript

PRESSES = ("down", "up", "tap")
_OWN_WORDS = {
    "cc": ("cc", "turn"),
    "nrpn": ("nrpn",),
    "rpn": ("rpn",),
    "program_change": ("program",),
}
"""For each class of controls, the words besides those for a press with which a line can begin."""
_NUMBER_WORDS = frozenset([*PRESSES, *(word for words in _OWN_WORDS.values() for word in words)])
"""The words after which the number or the name of a control follows."""
_VALUE_WORDS = {
    "pitch_bend": "bend",
    "channel_pressure": "pressure",
    "axis": "axis",
    "gamepad_trigger": "trigger",
}
_WITHOUT_NUMBER = ("bend", "pressure")
_MAX_SUGGESTIONS = 3
_TOKEN = re.compile(r"[^\W\d_]+|\d+")


class NamedWords(NamedTuple):
    """The words of a line with a number in place of the name of a control.

    `device` is empty and `channel` is 0 if the name does not determine them.
    """

    words: list[str]
    device: str
    channel: int


def replace_control_name(
    words: Sequence[str],
    device: str,
    read_names: Callable[[], ControlNames],
    known: Container[str],
) -> NamedWords | None:
    """Return the words of a line with the number of the control that they name, or None if they name no
    control. The line may begin with the name, as in `conductor play`. Only controls of `device` are
    searched, or those of all devices if it is empty. `known` are the words with which a line can begin.

    Raises:
        BadScript: No control has this name, or it cannot be used here.
    """
    has_word = words[0] in known
    verb, rest = (words[0], list(words[1:])) if has_word else ("", list(words))
    if has_word and (verb not in _NUMBER_WORDS or not rest or _is_number(rest[0])):
        return None
    devices = read_names().devices
    controls = [
        (name, control)
        for name, of_device in devices.items()
        if device in ("", name)
        for control in of_device
    ]
    if not controls:
        if has_word and devices:
            raise BadScript(
                f"no profile names the controls of `{device}`: write the number, as in `tap 36`"
            )
        return None
    for count in range(len(rest), 0, -1):
        found = _find_controls(_split_tokens(" ".join(rest[:count])), controls)
        if found:
            owner, control = _choose_control(found)
            words = _build_words(verb, control, rest[count:])
            return NamedWords(words, owner, control.channel or 0)
    suggestions = _suggest_names(" ".join(rest), controls)
    if not has_word and not suggestions:
        return None
    example = f"; write a name such as `{controls[0][1].name}`, or the number"
    raise BadScript(f"no control is named `{' '.join(rest)}`{suggestions or example}")


def _is_number(word: str) -> bool:
    try:
        int(word, 0)
    except ValueError:
        return word.lstrip("+-").isdecimal()
    return True


def _split_tokens(text: str) -> tuple[str, ...]:
    """Return the words and numbers in a name, so that names such as `pad1` and `Pad 1` can be compared."""
    return tuple(_TOKEN.findall(text.casefold()))


def _find_controls(
    wanted: tuple[str, ...], controls: Sequence[tuple[str, NamedControl]]
) -> dict[str, NamedControl]:
    """Return the control with a name on each device that has one; `Fader 1` also finds `Fader 1: Master`."""
    found: dict[str, NamedControl] = {}
    for device, control in controls:
        if wanted and _split_tokens(control.name) == wanted:
            found.setdefault(device, control)
    for device, control in controls:
        if wanted and _split_tokens(control.name.partition(":")[0]) == wanted:
            found.setdefault(device, control)
    return found


def _choose_control(found: dict[str, NamedControl]) -> tuple[str, NamedControl]:
    """Return a control with its device; a real device is preferred to the virtual controller."""
    real = {name: control for name, control in found.items() if name != VIRTUAL_DEVICE}
    candidates = real or found
    device, control = next(iter(candidates.items()))
    if len(candidates) == 1:
        return device, control
    if len({each[:3] for each in candidates.values()}) == 1:
        return "", control
    owners = ", ".join(f"`{name}`" for name in candidates)
    raise BadScript(f"`{control.name}` is on the devices {owners}: add `dev {device}`")


def _build_words(verb: str, control: NamedControl, rest: list[str]) -> list[str]:
    number, kind = str(control.number), control.control_class
    own_words = _OWN_WORDS.get(kind, ())
    if verb in own_words:
        return [verb, number, *rest]
    if kind == "note" and verb in ("", *PRESSES):
        velocity = ["vel", rest[0]] if len(rest) == 1 and verb != "up" else rest
        return [verb or "tap", number, *velocity]
    if kind == "button" and verb in ("", *PRESSES):
        return ["button", number, *([verb] if verb else []), *rest]
    if kind == "cc" and verb in PRESSES:
        return ["cc", number, verb, *rest]
    if kind == "cc" and not verb and not rest:
        name = control.name
        raise BadScript(f"write `{name} 64`, or `tap {name}` if `{name}` is a button")
    if not verb and (own_words or kind in _VALUE_WORDS):
        word = own_words[0] if own_words else _VALUE_WORDS[kind]
        return [word, *([] if word in _WITHOUT_NUMBER else [number]), *rest]
    raise BadScript(f"`{control.name}` cannot be used with `{verb}`; leave out `{verb}`")


def _suggest_names(typed: str, controls: Sequence[tuple[str, NamedControl]]) -> str:
    """Return a hint with the names that are most similar to a typed one, or an empty
    text if none is similar.
    """
    by_tokens = {" ".join(_split_tokens(control.name)): control.name for _, control in controls}
    typed = " ".join(_split_tokens(typed))
    similar = difflib.get_close_matches(typed, by_tokens, n=_MAX_SUGGESTIONS)
    names = ", ".join(f"`{by_tokens[each]}`" for each in similar)
    return f" - did you mean {names}?" if names else ""
