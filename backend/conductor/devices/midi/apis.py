"""Lists the MIDI systems of this computer, such as ALSA and JACK, and their ports."""

import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from conductor.devices import identity
from conductor.devices.identity import ApiName
from conductor.devices.midi.binding import BINDING_PROBLEM, rtmidi
from conductor.devices.midi.detail_readers import make_detail_reader
from conductor.devices.midi.details import DetailReader, PortDetails
from conductor.devices.midi.jack_graph import is_jack_server_running
from conductor.devices.midi.jack_ports import JackPorts

API_RETRY_INTERVAL_S = 1.0
CORE_MIDI_WARM_UP_S = 0.1
ALSA_SEQUENCER_DEVICE = Path("/dev/snd/seq")
_API_NAMES: dict[int, ApiName] = {
    rtmidi.API_LINUX_ALSA: "alsa",
    rtmidi.API_UNIX_JACK: "jack",
    rtmidi.API_WINDOWS_MM: "winmm",
    rtmidi.API_MACOSX_CORE: "coremidi",
}


class PortKey(NamedTuple):
    """Identifies a MIDI port while it is plugged in; a replugged port may get another key."""

    api: int
    name: str
    """The port name as reported by rtmidi."""
    name_index: int = 0
    """The index among the ports with the same name, starting at 0; -1 is a virtual port of Conductor."""


class PortScanResult(NamedTuple):
    """The MIDI ports that a scan has found, without the ports that Conductor itself created."""

    inputs: list[PortKey]
    outputs: list[PortKey]
    input_details: Mapping[PortKey, PortDetails] = {}
    output_details: Mapping[PortKey, PortDetails] = {}
    lost_apis: frozenset[int] = frozenset()
    """MIDI systems that disappeared since the last scan. Their open ports must not be used again."""


class _PortLister(Protocol):
    """A client of one MIDI system, used to list its ports."""

    def is_connected(self) -> bool: ...
    def list_inputs(self) -> list[str]: ...
    def list_outputs(self) -> list[str]: ...
    def close(self) -> None: ...


class _RtMidiPorts:
    """Lists the ports of a MIDI system other than JACK."""

    def __init__(self, api: int, client_name: str) -> None:
        self._is_server_running = _IS_SERVER_RUNNING.get(api)
        self._inputs = rtmidi.MidiIn(api, client_name)
        self._outputs = rtmidi.MidiOut(api, client_name)

    def is_connected(self) -> bool:
        return self._is_server_running is None or self._is_server_running()

    def list_inputs(self) -> list[str]:
        return self._inputs.get_ports()

    def list_outputs(self) -> list[str]:
        return self._outputs.get_ports()

    def close(self) -> None:
        self._inputs.delete()
        self._outputs.delete()


def get_api_name(api: int) -> ApiName:
    return _API_NAMES.get(api, "other")


def has_virtual_ports(api: int) -> bool:
    return get_api_name(api) != "winmm"


_IS_SERVER_RUNNING: dict[int, Callable[[], bool]] = {
    rtmidi.API_LINUX_ALSA: ALSA_SEQUENCER_DEVICE.exists,
    rtmidi.API_UNIX_JACK: is_jack_server_running,
}
_MISSING_SERVER_MESSAGES = {
    rtmidi.API_LINUX_ALSA: (
        f"ALSA MIDI is not available: there is no {ALSA_SEQUENCER_DEVICE}. "
        "Load the kernel module with `sudo modprobe snd-seq`"
    ),
    rtmidi.API_UNIX_JACK: "No JACK server is running; Conductor uses JACK as soon as a server starts",
}


class MidiApis:
    """Lists the ports of all MIDI systems, through clients that stay open between scans. Not thread-safe."""

    def __init__(self, client_name: str) -> None:
        self.own_ports: frozenset[str] = frozenset()
        """The names of Conductor's virtual ports, for MIDI systems that do not report which program created
        a port."""
        self._client_name = client_name
        self._apis: list[int] = list(rtmidi.get_compiled_api())
        self._clients: dict[int, _PortLister] = {}
        self._problems: dict[int, str] = {}
        self._retry_at: dict[int, float] = {}
        self._abandoned: list[_PortLister] = []
        self._detail_readers: dict[int, DetailReader | None] = {}
        self._input_details: dict[PortKey, PortDetails] = {}
        self._output_details: dict[PortKey, PortDetails] = {}
        self._last_ports: dict[int, tuple[list[PortKey], list[PortKey]]] = {}

    def scan_ports(self, now: float) -> PortScanResult:
        """Return all MIDI ports except Conductor's own, and detect MIDI systems that have appeared or
        disappeared.
        """
        lost = frozenset(api for api, ports in self._clients.items() if not ports.is_connected())
        for api in lost:
            self._abandoned.append(self._clients.pop(api))
            self._retry_at[api] = now
        for api in self._apis:
            if api not in self._clients and api not in lost and now >= self._retry_at.get(api, now):
                self._connect_to_api(api, now)
        self._input_details, self._output_details = {}, {}
        found = [self._list_ports(api) for api in self._clients]
        inputs = [key for ports, _ in found for key in ports]
        outputs = [key for _, ports in found for key in ports]
        return PortScanResult(inputs, outputs, self._input_details, self._output_details, lost)

    def list_problems(self) -> list[str]:
        """Return one error message for each MIDI system that cannot be used.

        A missing JACK server is an error only if no other system works.
        """
        found = [
            text
            for api, text in self._problems.items()
            if get_api_name(api) != "jack" or not self._clients
        ]
        return [BINDING_PROBLEM, *found] if BINDING_PROBLEM else found

    def find_virtual_port_api(self) -> int | None:
        """Return the MIDI system in which virtual ports are created, or None if no system supports them."""
        return next((api for api in self._clients if has_virtual_ports(api)), None)

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def _connect_to_api(self, api: int, now: float) -> None:
        self._retry_at[api] = now + API_RETRY_INTERVAL_S
        is_server_running = _IS_SERVER_RUNNING.get(api)
        if is_server_running is not None and not is_server_running():
            self._problems[api] = _MISSING_SERVER_MESSAGES[api]
            return
        os.environ.setdefault("JACK_NO_START_SERVER", "1")
        try:
            is_jack = get_api_name(api) == "jack"
            make_ports = JackPorts if is_jack else partial(_RtMidiPorts, api)
            if get_api_name(api) == "coremidi":
                _warm_up_core_midi(self._client_name)
            self._clients[api] = make_ports(self._client_name)
            self._detail_readers[api] = make_detail_reader(get_api_name(api))
        except (rtmidi.RtMidiError, OSError, RuntimeError) as error:
            name = rtmidi.get_api_display_name(api)
            self._problems[api] = f"{name} MIDI could not be opened: {error}"
        else:
            self._problems.pop(api, None)

    def _list_ports(self, api: int) -> tuple[list[PortKey], list[PortKey]]:
        ports = self._clients[api]
        try:
            names = ports.list_inputs(), ports.list_outputs()
        except (rtmidi.RtMidiError, OSError, RuntimeError):
            # A port disappeared after rtmidi had counted the ports and before it asked for their names.
            return self._last_ports.get(api, ([], []))
        keys = [self._build_port_keys(api, each) for each in names]
        reader = self._detail_readers.get(api)
        if reader is not None:
            self._input_details |= _pair_details(keys[0], reader.list_inputs())
            self._output_details |= _pair_details(keys[1], reader.list_outputs())
        inputs, outputs = (self._leave_out_ports(api, each) for each in keys)
        self._last_ports[api] = inputs, outputs
        return self._last_ports[api]

    def _build_port_keys(self, api: int, names: Collection[str]) -> list[PortKey]:
        return [PortKey(api, name, index) for name, index in identity.add_name_indexes(names)]

    def _leave_out_ports(self, api: int, keys: Sequence[PortKey]) -> list[PortKey]:
        """Return the ports without Conductor's own, and without JACK's copies of ports that ALSA lists."""
        hide_bridged = get_api_name(api) == "jack" and rtmidi.API_LINUX_ALSA in self._clients
        return [
            key
            for key in keys
            if not identity.is_own_port(self._client_name, self.own_ports, key.name)
            and not (hide_bridged and identity.is_bridged_port(key.name))
        ]


def _pair_details(
    keys: Sequence[PortKey], details: Sequence[PortDetails]
) -> dict[PortKey, PortDetails]:
    """Pair ports with their details, unless a port appeared or disappeared between the two lists."""
    return dict(zip(keys, details, strict=True)) if len(keys) == len(details) else {}


def _warm_up_core_midi(client_name: str) -> None:
    """Open and close a first client of CoreMIDI, and wait until its server has told about the endpoints.

    The first client of a process starts the server, and lists no endpoints until then.
    """
    client = rtmidi.MidiIn(rtmidi.API_MACOSX_CORE, client_name)
    threading.Event().wait(CORE_MIDI_WARM_UP_S)
    with suppress(OSError, AttributeError):
        from conductor.devices.midi.core_midi import load_core_midi

        load_core_midi().run_loop_once()
    client.delete()
