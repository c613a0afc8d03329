"""Normalises the names of MIDI ports, and numbers devices of the same name to tell them apart."""

import itertools
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Literal, TypeVar

from conductor.base.invisible_chars import EMOJI_SELECTOR, RARE_SPACES, reveal_hidden

Key = TypeVar("Key", bound=Hashable)
ApiName = Literal["alsa", "jack", "winmm", "coremidi", "other"]

MAX_PORT_NAME_LENGTH = 256
"""The number of characters of a port name that are shown; the port is opened by its full name."""
_ALSA_ADDRESS = re.compile(r" (\d+:\d+)$")
_JACK_CLIENT_SUFFIX = re.compile(r"^([^:]*?)-\d\d(?=:)")
"""The suffix, such as `-01`, that JACK adds to the name of a client if that name is already used."""
_WINMM_INDEX_SUFFIX = re.compile(r" \d+$")
_WINDOWS_UNIT_PREFIX = re.compile(r"^\d+- ")
"""The prefix, such as `2- `, that Windows adds to the name of a second device of the same model."""
_JACK_BRIDGE_PREFIX = re.compile(r"^(a2j|alsa_pcm|alsa_midi|Midi-Bridge|system):", re.IGNORECASE)
_LOOPBACK_PREFIX = re.compile(r"^Midi Through:", re.IGNORECASE)

IndexedPortName = tuple[str, int]
"""A port name as reported by the system, and the index of the port among the ports with that name."""


def normalise_port_name(api: ApiName, raw_name: str) -> str:
    """Return a port name for display, without the numbers that change when the device is replugged."""
    match api:
        case "alsa":
            name = _ALSA_ADDRESS.sub("", raw_name)
        case "jack":
            name = _JACK_CLIENT_SUFFIX.sub(r"\1", raw_name)
        case "winmm":
            name = _WINDOWS_UNIT_PREFIX.sub("", _WINMM_INDEX_SUFFIX.sub("", raw_name))
        case "coremidi" | "other":
            name = raw_name
    return _escape_hidden_characters(name)


def get_platform_id(api: ApiName, raw_name: str) -> str:
    """Return the identifier that the system uses for a port: an ALSA address such as `20:0`, or the full
    name.
    """
    address = _ALSA_ADDRESS.search(raw_name) if api == "alsa" else None
    return address.group(1) if address else _escape_hidden_characters(raw_name)


def _escape_hidden_characters(name: str) -> str:
    """Return a port name, shortened and with hidden characters as escapes, because any program can choose
    the name.
    """
    return reveal_hidden(name[:MAX_PORT_NAME_LENGTH], keep=f"{EMOJI_SELECTOR}{RARE_SPACES}")[
        :MAX_PORT_NAME_LENGTH
    ]


def is_own_port(client_name: str, own_ports: Iterable[str], raw_name: str) -> bool:
    """Return whether Conductor itself created a port, judging by the name of the port or of its JACK or ALSA
    client.
    """
    client, _, port = raw_name.partition(":")
    if port and re.fullmatch(re.escape(client_name) + r"(-\d\d)?", client):
        return True
    return not port and raw_name in own_ports


def is_bridged_port(raw_name: str) -> bool:
    """Return whether a port is JACK's copy of a hardware port that ALSA lists as well."""
    return _JACK_BRIDGE_PREFIX.match(raw_name) is not None


def is_loopback_port(raw_name: str) -> bool:
    """Return whether a port is a loopback port of the system, which only echoes the messages sent to it."""
    return _LOOPBACK_PREFIX.match(raw_name) is not None


def add_name_indexes(raw_names: Iterable[str]) -> list[IndexedPortName]:
    """Pair each port name with its index, starting at 0, among the ports of the same name."""
    seen: dict[str, int] = {}
    ports: list[IndexedPortName] = []
    for name in raw_names:
        ports.append((name, seen.get(name, 0)))
        seen[name] = seen.get(name, 0) + 1
    return ports


def assign_unit_numbers(
    names: Mapping[Key, str], previous_numbers: Mapping[Key, int]
) -> dict[Key, int]:
    """Number the devices of each name from 1.

    A device that is in `previous_numbers` keeps its number, so that numbers do not change while it is
    plugged in.
    """
    numbers = {key: previous_numbers[key] for key in names if key in previous_numbers}
    taken = {(names[key], number) for key, number in numbers.items()}
    for key, name in names.items():
        if key not in numbers:
            numbers[key] = next(n for n in itertools.count(1) if (name, n) not in taken)
            taken.add((name, numbers[key]))
    return numbers
