"""Adapts supriya-midi to the interface of python-rtmidi, which has no wheels for Python 3.13 and later.

Both packages are RtMidi bindings with different constants, errors and arguments of callbacks.
"""

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

API_MACOSX_CORE, API_LINUX_ALSA, API_UNIX_JACK, API_WINDOWS_MM = 1, 2, 3, 4
MessageCallback = Callable[[tuple[list[int], float], Any], None]


def _import_supriya() -> Any:
    """Import supriya-midi so that it uses the JACK library of this computer.

    The wheel contains JACK 1.9.14, which the servers of current systems refuse ("JACK protocol mismatch").
    The symbols of a globally loaded library take precedence over the symbols of the wheel's library.
    """
    if sys.platform == "linux":
        # If the JACK library is missing, this computer has no JACK server either.
        with suppress(OSError):
            ctypes.CDLL("libjack.so.0", mode=ctypes.RTLD_GLOBAL)
    import supriya_midi as untyped  # pyright: ignore[reportMissingImports]

    return untyped


supriya: Any = _import_supriya()


class RtMidiError(RuntimeError):
    """Raised when RtMidi reports an error."""


class _Client:
    """Base class of the MIDI input and output clients.

    Errors are collected and raised after each call, because an exception in RtMidi's error callback would
    prevent RtMidi from reporting further errors of the client.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        errors: list[str] = []
        self._errors = errors

        # Refers to the list instead of `self`, which would keep the client and its ports open forever.
        def collect_error(kind: Any, text: str, _data: object) -> None:
            # Warnings are raised too, as in python-rtmidi: "no such port" is a warning.
            if kind != supriya.RtMidiErrorType.DEBUG_WARNING:
                errors.append(text)

        client.set_error_callback(collect_error)

    def get_ports(self) -> list[str]:
        """Return the names of the ports that can be opened."""
        names = self._client.get_ports()
        self._raise_error()
        return names

    def open_port(self, number: int, name: str) -> None:
        """Connect the client to the port with the given index; `name` is what other programs see."""
        self._open_and_check(self._client.open_port, number, name)

    def open_virtual_port(self, name: str) -> None:
        """Create a virtual port that other programs can connect to."""
        self._open_and_check(self._client.open_virtual_port, name)

    def close_port(self) -> None:
        """Close the port. A virtual port stays open until the client is deleted."""
        self._client.close_port()
        self._raise_error()

    def delete(self) -> None:
        """Close the client and its ports."""
        self._client.delete()

    def _open_and_check(self, function: Callable[..., object], *arguments: object) -> None:
        function(*arguments)
        if self._errors:
            self._client.close_port()  # supriya-midi counts the port as open despite the error
        self._raise_error()

    def _raise_error(self) -> None:
        if self._errors:
            problem = self._errors[0]
            self._errors.clear()
            raise RtMidiError(problem)


class MidiIn(_Client):
    """A MIDI input client with at most one open port."""

    def __init__(self, api: int, client_name: str) -> None:
        super().__init__(supriya.MidiIn(supriya.RtMidiAPI(api), client_name))

    def ignore_types(self, *, sysex: bool, timing: bool, active_sense: bool) -> None:
        """Choose which types of messages the client does not receive."""
        self._client.ignore_types(sysex, timing, active_sense)

    def set_callback(self, callback: MessageCallback) -> None:
        """Set the function that is called with each message and the seconds since the previous message."""

        def forward_message(message: list[int], delta_s: float, data: object) -> None:
            callback((message, delta_s), data)

        self._client.set_callback(forward_message)

    def cancel_callback(self) -> None:
        """Remove the callback, after which messages are read with `get_message`."""
        self._client.cancel_callback()

    def get_message(self) -> tuple[list[int], float] | None:
        """Return the next message with the seconds since the previous one, or None if no message is waiting."""
        return self._client.get_message()


class MidiOut(_Client):
    """A MIDI output client with at most one open port."""

    def __init__(self, api: int, client_name: str) -> None:
        super().__init__(supriya.MidiOut(supriya.RtMidiAPI(api), client_name))

    def send_message(self, message: bytes | list[int]) -> None:
        """Send one MIDI message to the open port."""
        self._client.send_message(message)
        self._raise_error()


def get_compiled_api() -> list[int]:
    """Return the MIDI systems that the binding supports, except RtMidi's dummy system for tests."""
    dummy = supriya.RtMidiAPI.RTMIDI_DUMMY
    return [int(api) for api in supriya.get_compiled_apis() if api != dummy]


def get_api_display_name(api: int) -> str:
    """Return the name of a MIDI system for display, such as "ALSA"."""
    return supriya.get_api_display_name(supriya.RtMidiAPI(api))
