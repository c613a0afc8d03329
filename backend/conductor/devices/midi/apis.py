"""The MIDI systems of this machine: which can be used, and what ports they have now."""

import os
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import rtmidi as untyped_rtmidi

from conductor.devices import identity
from conductor.devices.identity import Api
from conductor.devices.midi.jack_graph import jack_server
from conductor.devices.midi.jack_ports import JackPorts

rtmidi = cast(Any, untyped_rtmidi)

RETRY_S = 1.0
ALSA_SEQUENCER = Path("/dev/snd/seq")
_NAMES: dict[int, Api] = {
    rtmidi.API_LINUX_ALSA: "alsa",
    rtmidi.API_UNIX_JACK: "jack",
    rtmidi.API_WINDOWS_MM: "winmm",
    rtmidi.API_MACOSX_CORE: "coremidi",
}


class PortKey(NamedTuple):
    """What tells one port from all others while it is plugged in."""

    api: int
    name: str
    """As rtmidi gives it."""
    nth: int = 0
    """Which of several ports of the very same name, from 0; -1 is a virtual port of our own."""


class Scan(NamedTuple):
    inputs: list[PortKey]
    outputs: list[PortKey]
    lost_apis: frozenset[int] = frozenset()
    """Systems that just went away: what is open there must not be touched again."""


class _Listing(Protocol):
    """Lists the ports of one system."""

    def inputs(self) -> list[str]: ...
    def outputs(self) -> list[str]: ...
    def close(self) -> None: ...


class _RtMidiPorts:
    """Lists the ports of a system other than JACK."""

    def __init__(self, api: int, client_name: str) -> None:
        self._inputs = rtmidi.MidiIn(api, client_name)
        self._outputs = rtmidi.MidiOut(api, client_name)

    def inputs(self) -> list[str]:
        return self._inputs.get_ports()

    def outputs(self) -> list[str]:
        return self._outputs.get_ports()

    def close(self) -> None:
        self._inputs.delete()
        self._outputs.delete()


class _Client(NamedTuple):
    ports: _Listing
    server: str
    """Which server they talk to, as far as the system has servers that come and go."""


def api_name(api: int) -> Api:
    return _NAMES.get(api, "other")


def has_virtual_ports(api: int) -> bool:
    return api_name(api) != "winmm"


def _alsa_sequencer() -> str | None:
    return "alsa" if ALSA_SEQUENCER.exists() else None


_SERVERS: dict[int, Callable[[], str | None]] = {
    rtmidi.API_LINUX_ALSA: _alsa_sequencer,
    rtmidi.API_UNIX_JACK: jack_server,
}
_ABSENT = {
    rtmidi.API_LINUX_ALSA: (
        f"ALSA MIDI is not available: there is no {ALSA_SEQUENCER}. "
        "Load the kernel module with `sudo modprobe snd-seq`"
    ),
    rtmidi.API_UNIX_JACK: "No JACK server is running; one that starts later is found by itself",
}


class MidiApis:
    """Long-lived clients that only list ports; for one thread."""

    def __init__(self, client_name: str) -> None:
        self.own_ports: frozenset[str] = frozenset()
        """Names of our virtual ports, for systems that do not show whose a port is."""
        self._client_name = client_name
        self._apis: list[int] = list(rtmidi.get_compiled_api())
        self._clients: dict[int, _Client] = {}
        self._problems: dict[int, str] = {}
        self._retry_at: dict[int, float] = {}
        self._abandoned: list[_Client] = []
        self._last: dict[int, tuple[list[PortKey], list[PortKey]]] = {}

    def scan(self, now: float) -> Scan:
        """Return all ports but our own; a system that appears or goes is noticed on the way."""
        lost = frozenset(api for api in self._clients if not self._still_there(api))
        for api in lost:
            self._abandoned.append(self._clients.pop(api))
            self._retry_at[api] = now
        for api in self._apis:
            if api not in self._clients and api not in lost and now >= self._retry_at.get(api, now):
                self._connect(api, now)
        found = [self._ports(api) for api in self._clients]
        inputs = [key for ports, _ in found for key in ports]
        outputs = [key for _, ports in found for key in ports]
        return Scan(inputs, outputs, lost)

    def problems(self) -> list[str]:
        """Return which systems cannot be used and why; a JACK that is not there is worth a word
        only when there is nothing else."""
        return [
            text
            for api, text in self._problems.items()
            if api_name(api) != "jack" or not self._clients
        ]

    def virtual_api(self) -> int | None:
        """Return the system in which our virtual ports are made."""
        return next((api for api in self._clients if has_virtual_ports(api)), None)

    def close(self) -> None:
        for client in self._clients.values():
            client.ports.close()
        self._clients.clear()

    def _still_there(self, api: int) -> bool:
        server = _SERVERS.get(api)
        return server is None or server() == self._clients[api].server

    def _connect(self, api: int, now: float) -> None:
        self._retry_at[api] = now + RETRY_S
        find_server = _SERVERS.get(api)
        server = find_server() if find_server else api_name(api)
        if server is None:
            self._problems[api] = _ABSENT[api]
            return
        os.environ.setdefault("JACK_NO_START_SERVER", "1")
        try:
            is_jack = api_name(api) == "jack"
            make = JackPorts if is_jack else partial(_RtMidiPorts, api)
            self._clients[api] = _Client(make(self._client_name), server)
        except (rtmidi.RtMidiError, OSError, RuntimeError) as error:
            shown = rtmidi.get_api_display_name(api)
            self._problems[api] = f"{shown} MIDI could not be opened: {error}"
        else:
            self._problems.pop(api, None)

    def _ports(self, api: int) -> tuple[list[PortKey], list[PortKey]]:
        ports = self._clients[api].ports
        try:
            names = ports.inputs(), ports.outputs()
        except (rtmidi.RtMidiError, OSError, RuntimeError):  # a port went between count and name
            return self._last.get(api, ([], []))
        self._last[api] = self._keys(api, names[0]), self._keys(api, names[1])
        return self._last[api]

    def _keys(self, api: int, names: Collection[str]) -> list[PortKey]:
        hide_bridged = api_name(api) == "jack" and rtmidi.API_LINUX_ALSA in self._clients
        return [
            PortKey(api, name, nth)
            for name, nth in identity.numbered(names)
            if not identity.is_own(self._client_name, self.own_ports, name)
            and not (hide_bridged and identity.is_bridged(name))
        ]
