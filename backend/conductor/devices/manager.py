"""Watches the MIDI ports: opens inputs, identifies devices, and reports when devices are plugged in or
unplugged.

A scan compares port names, so a device that is replugged between two scans (0.25 s apart) goes unnoticed:
JACK drops the connection, and the input stays silent until the device is replugged again or
`set_device_connected` closes and reopens the port (`rescan_ports` retries only failed ports). rtmidi has no
port ids that could be compared, and ALSA gives a replugged card its previous client number.
"""

import logging
import select
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from conductor.base import clock
from conductor.base.realtime import STARTING_PRIORITY, leave_real_time, request_real_time
from conductor.devices import identity
from conductor.devices.midi.apis import MidiApis, PortKey
from conductor.devices.midi.input import MidiInput
from conductor.devices.midi.input_pool import InputPool, PostEvent, SourceCallback, StartPortProcess
from conductor.devices.midi.output import MidiOutputs, OutputPort
from conductor.devices.midi.ports import IdentifiedPort, PortIdentifier
from conductor.devices.midi.sounding_notes import SoundingNotes
from conductor.domain.devices import DeviceIdentity, DeviceStatus, PortInfo

PORT_SCAN_INTERVAL_S = 0.25
SCAN_THREAD_STOP_TIMEOUT_S = 10.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _PortSettings:
    """The settings that decide which ports the scan thread opens."""

    identities: tuple[DeviceIdentity, ...] = ()
    open_inputs: Literal["all", "configured"] = "all"
    virtual_input: str | None = None
    virtual_output: str | None = None


class MidiManager:
    """Opens and watches the MIDI ports of this computer on a scan thread that owns them.

    Other threads set the configuration and read the status.
    """

    def __init__(
        self,
        add_source: SourceCallback,
        remove_source: SourceCallback,
        post: PostEvent,
        on_change: Callable[[], object],
        client_name: str = "Conductor",
        start_process: StartPortProcess = MidiInput,
        notes: SoundingNotes | None = None,
    ) -> None:
        self.outputs = MidiOutputs(client_name, notes)
        """The MIDI outputs, which implement `domain.ports.MidiOut`."""
        self._on_change = on_change
        self._pool = InputPool(
            add_source,
            remove_source,
            post,
            start_process,
            client_name,
            on_end=self._wake_scan_thread,
        )
        self._apis = MidiApis(client_name)
        self._input_ports, self._output_ports = PortIdentifier(), PortIdentifier()
        self._settings: _PortSettings | None = None
        self._disconnected: frozenset[str] = frozenset()
        self._status: tuple[DeviceStatus, ...] = ()
        self._inputs: tuple[tuple[str, PortInfo], ...] = ()
        self._listening: frozenset[str] = frozenset()
        self._problems: tuple[str, ...] = ()
        self._last_scan_state: object = None
        self._known_devices: dict[tuple[str, str], DeviceStatus] = {}
        self._requested_scans = self._finished_scans = 0
        self._scan_finished = threading.Condition()
        self._closing = False
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._thread = threading.Thread(target=self._run_scan_loop, name="midi scan", daemon=True)
        self._thread.start()

    def configure_ports(
        self,
        identities: Sequence[DeviceIdentity],
        open_inputs: Literal["all", "configured"] = "all",
        virtual_input: str | None = None,
        virtual_output: str | None = None,
    ) -> None:
        """Set which ports the scan thread opens. No port is opened before the first call."""
        self._settings = _PortSettings(
            tuple(identities), open_inputs, virtual_input, virtual_output
        )
        self._wake_scan_thread()

    def rescan_ports(self, timeout_s: float = 5.0) -> None:
        """Scan all ports now and retry those that failed; wait up to `timeout_s` seconds for the scan to
        finish.
        """
        number = self._request_scan()
        with self._scan_finished:
            self._scan_finished.wait_for(
                lambda: self._finished_scans >= number or self._closing, timeout_s
            )

    def set_device_connected(self, device_id: str, *, connected: bool) -> None:
        """Open a device's inputs, or close them so that other programs can use them.

        The scan thread opens or closes the ports after the call; `status` shows the result.
        """
        without = self._disconnected - {device_id}
        self._disconnected = without if connected else without | {device_id}
        self._request_scan()

    def status(self) -> list[DeviceStatus]:
        """Return the status of all inputs and outputs, including configured devices that were unplugged.

        An input is `connected` when its port is open, an output when its port exists. Whether a device is
        muted is not included, because only the engine knows it.
        """
        return list(self._status)

    def inputs(self) -> tuple[tuple[str, PortInfo], ...]:
        """Return the device id and port info of each MIDI input, including inputs whose port is not open."""
        return self._inputs

    def listens_to_port(self, port_name: str) -> bool:
        """Return whether an input with this port name is open, is being opened, or is about to be reopened."""
        return port_name in self._listening

    def collect_lost_messages(self) -> tuple[int, str]:
        """Return the number of messages lost since the last call, and the device that lost most of them."""
        return self._pool.collect_lost_messages()

    def list_problems(self) -> list[str]:
        """Return an error message, with advice, for each MIDI system that cannot be used."""
        return list(self._problems)

    def close(self) -> None:
        """End all sounding notes, close all ports and stop the scan thread."""
        self._closing = True
        self._wake_scan_thread()
        self._thread.join(SCAN_THREAD_STOP_TIMEOUT_S)
        for end in (self._wake_reader, self._wake_writer):
            end.close()

    def _request_scan(self) -> int:
        """Request a scan that retries failed ports, and return the number of the request."""
        with self._scan_finished:
            self._requested_scans += 1
            number = self._requested_scans
        self._wake_scan_thread()
        return number

    def _wake_scan_thread(self) -> None:
        try:
            self._wake_writer.send(b"!")
        except OSError:  # the manager is being closed
            pass

    def _run_scan_loop(self) -> None:
        # The priority is raised only until the first ports are open.
        request_real_time(STARTING_PRIORITY)
        self.outputs.start()
        while not self._closing:
            requested = self._requested_scans
            try:
                self._scan_ports(retry=requested > self._finished_scans)
            except Exception:  # noqa: BLE001 - a failed scan must not end the thread
                _log.exception("scanning the MIDI ports failed; trying again")
            if self._settings is not None:
                leave_real_time()
            with self._scan_finished:
                self._finished_scans = requested
                self._scan_finished.notify_all()
            self._wait_for_scan()
        with self._scan_finished:
            self._scan_finished.notify_all()
        self._pool.close()
        self.outputs.close()
        self._apis.close()

    def _wait_for_scan(self) -> None:
        waiting: list[Any] = [self._wake_reader, *self._pool.list_starting_inputs()]
        sending = self.outputs.fileno()
        # On Windows, `select` accepts only sockets.
        if sending is not None and sys.platform != "win32":
            waiting.append(sending)
        try:
            if self._wake_reader in select.select(waiting, [], [], PORT_SCAN_INTERVAL_S)[0]:
                self._wake_reader.recv(4096)
        except (OSError, ValueError):
            return  # another thread has closed one of the descriptors, such as that of the outputs

    def _scan_ports(self, *, retry: bool) -> None:
        settings = self._settings
        if settings is None:
            return
        own = (settings.virtual_input, settings.virtual_output)
        self._apis.own_ports = frozenset(name for name in own if name)
        scan = self._apis.scan_ports(clock.now())
        scan_state = (scan, settings, self._disconnected, tuple(self._apis.list_problems()))
        self.outputs.kill_stuck_process()
        settled = self._pool.is_settled() and self.outputs.is_settled()
        if scan_state == self._last_scan_state and not retry and settled:
            return
        self._last_scan_state = None  # a scan that fails halfway must be repeated
        inputs = self._input_ports.identify_ports(
            [*scan.inputs, *self._list_virtual_ports(settings.virtual_input)],
            settings.identities,
            scan.input_details,
        )
        outputs = self._output_ports.identify_ports(
            [*scan.outputs, *self._list_virtual_ports(settings.virtual_output)],
            settings.identities,
            scan.output_details,
        )
        self.outputs.abandon_outputs(scan.lost_apis)
        if retry:
            self._pool.retry_failed_ports()
        closed = self._disconnected
        wanted = [
            port
            for port in inputs
            if _should_open_port(port, settings) and port.device_id not in closed
        ]
        names = frozenset(port.info.name for port in wanted)
        # During the update, ports count as listening if they are being opened or are not closed yet.
        self._listening |= names
        # Inputs first: their processes start while the outputs are opened one after the other.
        self._pool.reconcile_ports({port.key: port.device_id for port in wanted})
        self._listening = names
        self.outputs.replace_dead_process()
        output_problems = self._update_outputs(outputs)
        self._inputs = tuple((port.device_id, port.info) for port in inputs)
        self._publish_device_status(settings, inputs, outputs, output_problems)
        if not output_problems:
            self._last_scan_state = scan_state

    def _list_virtual_ports(self, name: str | None) -> list[PortKey]:
        api = self._apis.find_virtual_port_api()
        return [PortKey(api, name, -1)] if name and api is not None else []

    def _update_outputs(self, outputs: list[IdentifiedPort]) -> dict[PortKey, str]:
        output_problems: dict[PortKey, str] = {}
        for port in outputs:
            reason = self.outputs.open_virtual_output(port.key) if port.key.name_index < 0 else None
            if reason:
                output_problems[port.key] = reason
        usable = [port for port in outputs if port.key not in output_problems]
        known = [OutputPort(port.key, port.info.name, port.device_id) for port in usable]
        self.outputs.update_ports(known)
        return output_problems

    def _publish_device_status(
        self,
        settings: _PortSettings,
        inputs: list[IdentifiedPort],
        outputs: list[IdentifiedPort],
        output_problems: dict[PortKey, str],
    ) -> None:
        def build_device_status(
            port: IdentifiedPort, kind: Literal["midi_input", "midi_output"]
        ) -> DeviceStatus:
            is_input = kind == "midi_input"
            problem = (
                self._pool.get_port_problem(port.key) if is_input else output_problems.get(port.key)
            )
            return DeviceStatus(
                device_id=port.device_id,
                port_name=port.info.name,
                kind=kind,
                connected=self._pool.is_listening_to_port(port.key)
                if is_input
                else problem is None,
                is_configured=any(known.alias == port.device_id for known in settings.identities),
                problem=problem,
            )

        present = [build_device_status(port, "midi_input") for port in inputs]
        present += [build_device_status(port, "midi_output") for port in outputs]
        self._store_device_status((*present, *self._list_absent_devices(settings, present)))

    def _list_absent_devices(
        self, settings: _PortSettings, present: list[DeviceStatus]
    ) -> list[DeviceStatus]:
        """Return the configured devices that were connected earlier and are now unplugged."""
        aliases = {known.alias for known in settings.identities}
        connected = {
            (device.kind, device.device_id): device for device in present if device.is_configured
        }
        self._known_devices.update(connected)
        self._known_devices = {
            key: device for key, device in self._known_devices.items() if key[1] in aliases
        }
        return [
            device.model_copy(update={"connected": False, "problem": None})
            for key, device in self._known_devices.items()
            if key not in connected
        ]

    def _store_device_status(self, status: tuple[DeviceStatus, ...]) -> None:
        problems = tuple(self._apis.list_problems())
        if (status, problems) == (self._status, self._problems):
            return
        self._status, self._problems = status, problems
        self._on_change()


def _should_open_port(port: IdentifiedPort, settings: _PortSettings) -> bool:
    if port.key.name_index < 0 or not port.device_id.startswith("raw:"):
        return True
    return settings.open_inputs == "all" and not identity.is_loopback_port(port.key.name)
