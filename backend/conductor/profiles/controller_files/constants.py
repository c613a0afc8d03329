"""Turns named constants of controller scripts into controls, if their names say which message they are."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conductor.domain.device_profile import ControlMessage
from conductor.profiles.controller_files.controls import (
    MAX_IMPORTED_CONTROLS,
    FoundControl,
    build_control,
    clean_imported_name,
    format_count,
    format_identifier_as_name,
)

_MESSAGE_BY_WORD: dict[str, ControlMessage] = {
    "CC": "cc",
    "CCS": "cc",
    "NOTE": "note",
    "NOTES": "note",
}
_RANGE_LIMIT_WORDS = {
    "MIN", "MAX", "LOW", "HIGH", "LOWEST", "HIGHEST", "FIRST", "LAST", "START", "END", "OFFSET", "BASE",
    "COUNT", "NUM", "NUMBER", "SIZE", "LENGTH", "TYPE", "STATUS", "CHANNEL", "DELAY", "COLOR", "COLOUR",
    "VALUE", "VELOCITY", "OFF", "ON", "RATE", "RANGE",
}  # fmt: skip
"""Words in the names of constants that are limits or settings and not controls."""


MAX_VISITED_VALUES, MAX_CONSTANT_DEPTH = 20_000, 2


class NamedNumber(NamedTuple):
    """A number that a script gives a name, such as `CC_PLAY = 41`."""

    message: ControlMessage | None
    """The message that the name says the number is for; None if the name does not say it."""
    number: int
    name: str


def list_named_numbers(constants: Mapping[str, Any]) -> list[NamedNumber]:
    """Return all MIDI numbers among constants: single numbers, and those in lists and objects."""
    collector = _NamedNumberCollector()
    for name, value in constants.items():
        collector.add_value(name, value, _find_message_of_name(name), depth=0)
    return collector.numbers


def build_named_controls(
    numbers: Sequence[NamedNumber], channel: int | None
) -> tuple[list[FoundControl], list[str]]:
    """Return the controls among named numbers, and the names of numbers that may be
    controls of an unknown message.
    """
    controls: list[FoundControl] = []
    unknown: list[str] = []
    for number in numbers[:MAX_IMPORTED_CONTROLS]:
        if number.message is None:
            unknown.append(number.name)
            continue
        control = build_control(number.message, number.number, channel, number.name)
        controls += [control] if control else []
    return controls, unknown


def describe_unknown_constants(names: Sequence[str]) -> list[str]:
    """Return a list with a sentence about constants that may be controls of an unknown message;
    empty if there are none.
    """
    listed = clean_imported_name(", ".join(names[:12]))
    return format_count(
        len(names),
        f"One constant does not say whether it is a note or a CC: {listed}.",
        f"{{}} constants do not say whether they are notes or CCs, such as {listed}.",
    )


class _NamedNumberCollector:
    """Collects the numbers in nested constants, up to a limit.

    A script can name one list many times, so that a small file describes more numbers than fit into memory.
    """

    def __init__(self) -> None:
        self.numbers: list[NamedNumber] = []
        self._left = MAX_VISITED_VALUES

    def add_value(self, name: str, value: Any, message: ControlMessage | None, depth: int) -> None:
        self._left -= 1
        if (
            self._left < 0
            or depth > MAX_CONSTANT_DEPTH
            or _RANGE_LIMIT_WORDS & set(_split_words(name))
        ):
            return
        if isinstance(value, int) and not isinstance(value, bool):
            if 0 <= value <= 127:
                self.numbers.append(NamedNumber(message, value, _format_constant_name(name)))
            return
        for key, label, item in _list_named_items(name, value, message, depth):
            if self._left < 0:
                return
            self.add_value(label, item, _find_message_of_name(key) or message, depth + 1)


def _list_named_items(
    name: str, value: Any, message: ControlMessage | None, depth: int
) -> Iterator[tuple[str, str, Any]]:
    """Yield the key, the name and the value of each entry of a list or an object, for use as named numbers."""
    if isinstance(value, Mapping):
        is_plain = depth == 0 and message is not None and _is_message_word_only(name)
        for key, item in value.items():
            yield str(key), str(key) if is_plain else f"{name}_{key}", item
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for at, item in enumerate(value, 1):
            yield "", f"{name}_{at}", item


def _find_message_of_name(name: str) -> ControlMessage | None:
    words = _split_words(name)
    messages: set[ControlMessage] = {
        _MESSAGE_BY_WORD[word] for word in words if word in _MESSAGE_BY_WORD
    }
    return messages.pop() if len(messages) == 1 else None


def _is_message_word_only(name: str) -> bool:
    """Return whether a name states only a message, such as `CC` or `NOTES`, and not which control it is."""
    return all(word in _MESSAGE_BY_WORD for word in _split_words(name))


def _format_constant_name(name: str) -> str:
    """Return the name of a constant for display, without the words for its message:
    `CC_PLAY` becomes `Play`.
    """
    words = [word for word in _split_words(name) if word not in _MESSAGE_BY_WORD]
    return format_identifier_as_name(" ".join(word.lower() for word in words)) if words else name


def _split_words(name: str) -> list[str]:
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [part.upper() for part in parts]
