"""Replaces the RtMidi binding on computers where no binding can be loaded, and offers no MIDI systems."""

from typing import Never

API_MACOSX_CORE, API_LINUX_ALSA, API_UNIX_JACK, API_WINDOWS_MM = 1, 2, 3, 4


class RtMidiError(RuntimeError):
    """Raised because no RtMidi binding can be loaded."""


class MidiIn:
    """An RtMidi input client that always fails to be created."""

    def __init__(self, _api: int, _client_name: str) -> None:
        _raise_not_available()


class MidiOut:
    """An RtMidi output client that always fails to be created."""

    def __init__(self, _api: int, _client_name: str) -> None:
        _raise_not_available()


def get_compiled_api() -> list[int]:
    """Return an empty list, because no MIDI system can be used."""
    return []


def get_api_display_name(api: int) -> str:
    """Return the number of a MIDI system as text, because its name is unknown."""
    return str(api)


def _raise_not_available() -> Never:
    raise RtMidiError("MIDI is not available")
