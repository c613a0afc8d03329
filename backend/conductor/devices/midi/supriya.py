"""Gives supriya-midi the interface of python-rtmidi, which has no wheels for Python 3.13 and later.

Both are bindings of RtMidi. They differ in the constants, the errors and the arguments of callbacks.
"""

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

API_MACOSX_CORE, API_LINUX_ALSA, API_UNIX_JACK, API_WINDOWS_MM = 1, 2, 3, 4
Callback = Callable[[tuple[list[int], float], Any], None]


def _load() -> Any:
    """Import supriya-midi so that it uses the JACK library of this computer.

    The wheel brings JACK 1.9.14, which the servers of current systems refuse ("JACK protocol mismatch").
    Symbols of a library that was loaded globally come before those of the wheel's.
    """
    if sys.platform == "linux":
        with suppress(OSError):  # without JACK on this computer there is no server either
            ctypes.CDLL("libjack.so.0", mode=ctypes.RTLD_GLOBAL)
    import supriya_midi as untyped  # pyright: ignore[reportMissingImports]

    return untyped


supriya: Any = _load()


class RtMidiError(RuntimeError):
    """An error that RtMidi reported."""


class _Client:
    """What inputs and outputs have in common.

    Errors are collected and raised after the call: an exception in RtMidi's own error callback would keep it
    from reporting any further error of that client.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        errors: list[str] = []
        self._errors = errors

        # Refers to the list instead of `self`, which would keep the client and its ports open for ever.
        def collect(kind: Any, text: str, _data: object) -> None:
            # As python-rtmidi does: "no such port" is a warning too.
            if kind != supriya.RtMidiErrorType.DEBUG_WARNING:
                errors.append(text)

        client.set_error_callback(collect)

    def get_ports(self) -> list[str]:
        """Return the names of the ports that can be opened."""
        names = self._client.get_ports()
        self._raise_error()
        return names

    def open_port(self, number: int, name: str) -> None:
        """Connect to a port."""
        self._open(self._client.open_port, number, name)

    def open_virtual_port(self, name: str) -> None:
        """Create a port that others connect to."""
        self._open(self._client.open_virtual_port, name)

    def close_port(self) -> None:
        """Close the port, unless it is virtual: that lasts as long as the client."""
        self._client.close_port()
        self._raise_error()

    def delete(self) -> None:
        """Close the client and its ports."""
        self._client.delete()

    def _open(self, function: Callable[..., object], *arguments: object) -> None:
        function(*arguments)
        if self._errors:
            self._client.close_port()  # supriya-midi counts the port as open
        self._raise_error()

    def _raise_error(self) -> None:
        if self._errors:
            problem = self._errors[0]
            self._errors.clear()
            raise RtMidiError(problem)


class MidiIn(_Client):
    """An input client with at most one port."""

    def __init__(self, api: int, client_name: str) -> None:
        super().__init__(supriya.MidiIn(supriya.RtMidiAPI(api), client_name))

    def ignore_types(self, *, sysex: bool, timing: bool, active_sense: bool) -> None:
        """Choose the messages that are not received."""
        self._client.ignore_types(sysex, timing, active_sense)

    def set_callback(self, callback: Callback) -> None:
        """Call a function with each message and the seconds since the one before."""

        def forward(message: list[int], delta_s: float, data: object) -> None:
            callback((message, delta_s), data)

        self._client.set_callback(forward)

    def cancel_callback(self) -> None:
        """Receive messages with `get_message` again."""
        self._client.cancel_callback()

    def get_message(self) -> tuple[list[int], float] | None:
        """Return the next message and the seconds since the one before, or None."""
        return self._client.get_message()


class MidiOut(_Client):
    """An output client with at most one port."""

    def __init__(self, api: int, client_name: str) -> None:
        super().__init__(supriya.MidiOut(supriya.RtMidiAPI(api), client_name))

    def send_message(self, message: bytes | list[int]) -> None:
        """Send one message."""
        self._client.send_message(message)
        self._raise_error()


def get_compiled_api() -> list[int]:
    """Return the MIDI systems that the binding was built for, without the one for tests."""
    dummy = supriya.RtMidiAPI.RTMIDI_DUMMY
    return [int(api) for api in supriya.get_compiled_apis() if api != dummy]


def get_api_display_name(api: int) -> str:
    """Return the name of a MIDI system for people."""
    return supriya.get_api_display_name(supriya.RtMidiAPI(api))
