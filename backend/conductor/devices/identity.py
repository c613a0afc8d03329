"""Normalises port names: removes the numbers that the system adds, and numbers units of the same name."""

import itertools
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Literal, TypeVar

from conductor.base.invisible_chars import EMOJI, SPACES, reveal_hidden

Key = TypeVar("Key", bound=Hashable)
Api = Literal["alsa", "jack", "winmm", "coremidi", "other"]

LONGEST_NAME = 256
"""Characters shown; real port names have a few dozen. A port is still opened by its full name."""
_ALSA_ADDRESS = re.compile(r" (\d+:\d+)$")
_JACK_COUNT = re.compile(r"^([^:]*?)-\d\d(?=:)")
"""JACK appends -01, -02 to a client whose name is taken."""
_WINMM_INDEX = re.compile(r" \d+$")
_WINDOWS_COUNT = re.compile(r"^\d+- ")
"""Windows puts `2- ` in front of the second unit it has ever seen."""
_JACK_BRIDGES = re.compile(r"^(a2j|alsa_pcm|alsa_midi|Midi-Bridge|system):", re.IGNORECASE)
_LOOPBACK = re.compile(r"^Midi Through:", re.IGNORECASE)

RawPort = tuple[str, int]
"""A port's name as reported by the system, and 0 for the first port of that name, 1 for the next."""


def normalise_name(api: Api, raw_name: str) -> str:
    """Return the name for display, without the system's numbers, which change when a device is replugged."""
    match api:
        case "alsa":
            name = _ALSA_ADDRESS.sub("", raw_name)
        case "jack":
            name = _JACK_COUNT.sub(r"\1", raw_name)
        case "winmm":
            name = _WINDOWS_COUNT.sub("", _WINMM_INDEX.sub("", raw_name))
        case "coremidi" | "other":
            name = raw_name
    return _escape_hidden_characters(name)


def platform_id(api: Api, raw_name: str) -> str:
    """Return the system's id of the port: ALSA's address such as `20:0`, elsewhere the full name."""
    address = _ALSA_ADDRESS.search(raw_name) if api == "alsa" else None
    return address.group(1) if address else _escape_hidden_characters(raw_name)


def _escape_hidden_characters(name: str) -> str:
    """Return a short name with hidden characters made visible: any program may choose any port name."""
    return reveal_hidden(name[:LONGEST_NAME], keep=f"{EMOJI}{SPACES}")[:LONGEST_NAME]


def is_own_port(client_name: str, own_ports: Iterable[str], raw_name: str) -> bool:
    """Return whether the port belongs to this program, by its client or by its name."""
    client, _, port = raw_name.partition(":")
    if port and re.fullmatch(re.escape(client_name) + r"(-\d\d)?", client):
        return True
    return not port and raw_name in own_ports


def is_bridged_port(raw_name: str) -> bool:
    """Return whether this is JACK's copy of a hardware port that ALSA lists as well."""
    return _JACK_BRIDGES.match(raw_name) is not None


def is_loopback_port(raw_name: str) -> bool:
    """Return whether the port only echoes what is sent to it."""
    return _LOOPBACK.match(raw_name) is not None


def number_duplicates(raw_names: Iterable[str]) -> list[RawPort]:
    """Number ports of the same name by their order, from 0."""
    seen: dict[str, int] = {}
    ports: list[RawPort] = []
    for name in raw_names:
        ports.append((name, seen.get(name, 0)))
        seen[name] = seen.get(name, 0) + 1
    return ports


def number_units(names: Mapping[Key, str], before: Mapping[Key, int]) -> dict[Key, int]:
    """Number units of the same name from 1. A unit keeps its number while it is plugged in."""
    kept = {key: before[key] for key in names if key in before}
    taken = {(names[key], number) for key, number in kept.items()}
    for key, name in names.items():
        if key not in kept:
            kept[key] = next(n for n in itertools.count(1) if (name, n) not in taken)
            taken.add((name, kept[key]))
    return kept
