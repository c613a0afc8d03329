"""Defines what the readers of controller files return: named controls, and what could not be understood."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from conductor.base.invisible_chars import remove_hidden
from conductor.domain.device_profile import (
    ControlMessage,
    ControlRole,
    ReleaseMessage,
    ValueEncoding,
)
from conductor.errors import InvalidParams

MAX_CONTROLLER_FILE_BYTES = 2_000_000
"""The maximum size of a controller file in bytes; the largest files of Mixxx have about 700 kB."""
MAX_IMPORTED_CONTROLS, MAX_CONTROL_NAME_CHARACTERS = 1_024, 80
_ROLE_BY_WORD: dict[str, ControlRole] = {
    "pad": "pad",
    "knob": "knob",
    "pot": "knob",
    "encoder": "encoder",
    "fader": "fader",
    "slider": "fader",
    "crossfader": "fader",
    "button": "button",
    "pedal": "pedal",
    "footswitch": "pedal",
    "jog": "jog",
    "jogwheel": "jog",
}
_PRESSED_ROLES: tuple[ControlRole, ...] = ("pad", "button", "pedal")
_TURNED_ROLES: tuple[ControlRole, ...] = ("knob", "encoder", "fader", "jog", "pedal")
_USUAL_ROLE_BY_MESSAGE: dict[ControlMessage, ControlRole] = {
    "note": "button",
    "cc": "knob",
    "pitch_bend": "fader",
    "program_change": "button",
    "channel_pressure": "strip",
    "nrpn": "knob",
}


class OnOffLight(NamedTuple):
    """The values that switch the light of a control on and off, sent in the control's own message."""

    on: int
    off: int


class FoundControl(NamedTuple):
    """A control that a controller file describes: its message, number, channel, name and light."""

    message: ControlMessage
    number: int
    channel: int | None
    """The channel from 1 to 16; None if the file does not state it."""
    name: str
    role: ControlRole
    encoding: ValueEncoding | None = None
    release: ReleaseMessage | None = None
    light: OnOffLight | None = None

    @property
    def message_key(self) -> tuple[ControlMessage, int, int | None]:
        return self.message, self.number, self.channel


class ControllerFile(NamedTuple):
    """The content of a controller file: its controls, the device, and what could not be understood."""

    program: str
    """The name of the program that the file was written for."""
    title: str
    """The maker and model of the device or, if the file does not state them, the name of the file."""
    controls: tuple[FoundControl, ...]
    not_understood: tuple[str, ...] = ()
    """What was left out and why, as one sentence for each reason."""
    ports: tuple[str, ...] = ()
    """The names of the ports of the device; empty if the file does not state them."""
    usb: tuple[tuple[int, int], ...] = ()
    """The USB vendor and product ids of the device; empty if the file does not state them."""


def build_control(
    message: ControlMessage,
    number: int,
    channel: int | None,
    name: str,
    *,
    role: ControlRole | None = None,
    encoding: ValueEncoding | None = None,
    release: ReleaseMessage | None = None,
) -> FoundControl | None:
    """Return a control with the values in a file, or None if no MIDI device could send them."""
    highest = 16_383 if message == "nrpn" else 127
    if not 0 <= number <= highest or (channel is not None and not 1 <= channel <= 16):
        return None
    label = clean_imported_name(name) or describe_message(message, number, channel)
    chosen = role or _choose_role(message, label, encoding)
    return FoundControl(message, number, channel, label, chosen, encoding, release)


def clean_imported_name(text: str) -> str:
    """Return a name from a file as one short line without invisible characters and braces."""
    plain = " ".join(remove_hidden(text).split()).replace("{", "(").replace("}", ")")
    return plain[:MAX_CONTROL_NAME_CHARACTERS].strip()


def format_identifier_as_name(name: str) -> str:
    """Return an identifier as a name for display: `PLAY_BUTTON` and `playButton` become `Play button`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", re.sub(r"[_\-./\s]+", " ", name)).split()
    text = " ".join(word if word.isupper() and len(word) < 4 else word.lower() for word in words)
    return text[:1].upper() + text[1:]


def build_device_name(file_name: str) -> str:
    """Return a name for the device of a file: `acme_deck-2.midi.xml` becomes `acme deck 2`."""
    stem = re.sub(r"(\.(midi|control))?\.\w{1,5}$", "", file_name)
    return clean_imported_name(re.sub(r"[_-]+", " ", stem))


def describe_message(message: ControlMessage, number: int, channel: int | None = None) -> str:
    """Return a name for a control that has none, made of its message: `Note 36, channel 10`."""
    kind = "CC" if message == "cc" else message.replace("_", " ").capitalize()
    where = f", channel {channel}" if channel is not None else ""
    return f"{kind} {number}{where}"


def drop_repeated_controls(controls: Iterable[FoundControl]) -> tuple[list[FoundControl], int]:
    """Return the first control for each message, and how many others with the same message were dropped."""
    found: dict[object, FoundControl] = {}
    count = 0
    for control in controls:
        count += 1
        found.setdefault(control.message_key, control)
    return list(found.values()), count - len(found)


def format_count(count: int, one: str, many: str) -> list[str]:
    """Return a list with one sentence that states a count, or an empty list if the count is 0."""
    return [] if count == 0 else [one if count == 1 else many.format(count)]


def build_import_error(name: str, problem: str) -> InvalidParams:
    """Return the error for a controller file that cannot be imported."""
    return InvalidParams(f"{clean_imported_name(name) or 'the file'} cannot be imported: {problem}")


def _choose_role(message: ControlMessage, name: str, encoding: ValueEncoding | None) -> ControlRole:
    """Return the role that the name of a control suggests, or the most general role for its message."""
    words = [word.rstrip("s") for word in re.findall(r"[a-z]+", name.lower())]
    roles: list[ControlRole] = [_ROLE_BY_WORD[word] for word in words if word in _ROLE_BY_WORD]
    allowed = (
        _PRESSED_ROLES if message in ("note", "program_change") else (*_TURNED_ROLES, "button")
    )
    if encoding not in (None, "absolute"):
        return "jog" if roles[-1:] == ["jog"] else "encoder"
    return roles[-1] if roles and roles[-1] in allowed else _USUAL_ROLE_BY_MESSAGE[message]
