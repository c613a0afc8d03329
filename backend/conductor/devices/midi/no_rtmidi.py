"""Stands in for a binding of RtMidi that cannot be loaded: there are no MIDI systems and no ports."""

from typing import Never

API_MACOSX_CORE, API_LINUX_ALSA, API_UNIX_JACK, API_WINDOWS_MM = 1, 2, 3, 4


class RtMidiError(RuntimeError):
    """An error that RtMidi reported."""


class MidiIn:
    """An input client that cannot be created."""

    def __init__(self, _api: int, _client_name: str) -> None:
        _refuse()


class MidiOut:
    """An output client that cannot be created."""

    def __init__(self, _api: int, _client_name: str) -> None:
        _refuse()


def get_compiled_api() -> list[int]:
    """Return no MIDI systems."""
    return []


def get_api_display_name(api: int) -> str:
    """Return the number of a MIDI system, as its name is unknown."""
    return str(api)


def _refuse() -> Never:
    raise RtMidiError("MIDI is not available")
