"""Watches the MIDI ports: opens inputs, identifies devices and reports when they come and go.

A scan compares port names. A device that disappears and returns under its name between two scans (0.25 s) is
therefore not noticed: JACK drops the link, and the input stays silent until the device is plugged in again or
`set_connected` closes and reopens it (`rescan` retries only failed ports). rtmidi offers no port ids that could
be compared, and ALSA gives a card its previous client number.
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
from conductor.devices.midi.input_pool import InputPool, Post, StartProcess, TakeSource
from conductor.devices.midi.output import MidiOutputs, OutputPort
from conductor.devices.midi.ports import Port, PortBook
from conductor.devices.midi.sounding_notes import SoundingNotes
from conductor.domain.devices import DeviceIdentity, DeviceStatus, PortInfo

SCAN_S = 0.25
END_LIMIT_S = 10.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _MidiSettings:
    identities: tuple[DeviceIdentity, ...] = ()
    open_inputs: Literal["all", "configured"] = "all"
    virtual_input: str | None = None
    virtual_output: str | None = None


class MidiManager:
    """The MIDI ports of this machine. One scan thread owns them; others configure it and read the status."""

    def __init__(
        self,
        add_source: TakeSource,
        remove_source: TakeSource,
        post: Post,
        on_change: Callable[[], object],
        client_name: str = "Conductor",
        start_process: StartProcess = MidiInput,
        notes: SoundingNotes | None = None,
    ) -> None:
        self.outputs = MidiOutputs(client_name, notes)
        """The outputs; implements `domain.ports.MidiOut`."""
        self._on_change = on_change
        self._pool = InputPool(
            add_source, remove_source, post, start_process, client_name, on_end=self._wake
        )
        self._apis = MidiApis(client_name)
        self._input_book, self._output_book = PortBook(), PortBook()
        self._settings: _MidiSettings | None = None
        self._disconnected: frozenset[str] = frozenset()
        self._status: tuple[DeviceStatus, ...] = ()
        self._inputs: tuple[tuple[str, PortInfo], ...] = ()
        self._listening: frozenset[str] = frozenset()
        self._problems: tuple[str, ...] = ()
        self._last_seen: object = None
        self._seen: dict[tuple[str, str], DeviceStatus] = {}
        self._requested = self._done = 0
        self._pass_done = threading.Condition()
        self._closing = False
        self._woken, self._waker = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="midi scan", daemon=True)
        self._thread.start()

    def configure(
        self,
        identities: Sequence[DeviceIdentity],
        open_inputs: Literal["all", "configured"] = "all",
        virtual_input: str | None = None,
        virtual_output: str | None = None,
    ) -> None:
        """Set which ports to open; the scan thread opens them. Nothing is opened before the first call."""
        self._settings = _MidiSettings(
            tuple(identities), open_inputs, virtual_input, virtual_output
        )
        self._wake()

    def rescan(self, timeout_s: float = 5.0) -> None:
        """Scan all ports now and retry failed ones; wait for the scan, but at most `timeout_s` seconds."""
        number = self._request_scan()
        with self._pass_done:
            self._pass_done.wait_for(lambda: self._done >= number or self._closing, timeout_s)

    def set_connected(self, device_id: str, *, connected: bool) -> None:
        """Open a device's inputs, or close them so that other programs can use them.

        The scan thread does so after this returns; `status` shows when it has.
        """
        without = self._disconnected - {device_id}
        self._disconnected = without if connected else without | {device_id}
        self._request_scan()

    def status(self) -> list[DeviceStatus]:
        """Return all inputs and outputs, and configured devices that have disappeared.

        An input is `connected` when it is open, an output when it exists. Muting is known to the engine only.
        """
        return list(self._status)

    def inputs(self) -> tuple[tuple[str, PortInfo], ...]:
        """Return the device id and port info of each input, open or not."""
        return self._inputs

    def listens_to(self, port_name: str) -> bool:
        """Check whether an input of this name is open, is being opened, or is closed only for a retry."""
        return port_name in self._listening

    def collect_lost_messages(self) -> tuple[int, str]:
        """Return how many messages inputs lost since the last call, and the device that lost the most."""
        return self._pool.collect_lost_messages()

    def problems(self) -> list[str]:
        """Return a message for each MIDI system that cannot be used, with what to do."""
        return list(self._problems)

    def close(self) -> None:
        """Close all ports, with no note left sounding, and end the scan thread."""
        self._closing = True
        self._wake()
        self._thread.join(END_LIMIT_S)
        for end in (self._woken, self._waker):
            end.close()

    def _request_scan(self) -> int:
        """Request a scan that retries failed ports; return its number."""
        with self._pass_done:
            self._requested += 1
            number = self._requested
        self._wake()
        return number

    def _wake(self) -> None:
        try:
            self._waker.send(b"!")
        except OSError:  # closed
            pass

    def _run(self) -> None:
        request_real_time(STARTING_PRIORITY)  # until the first ports are opened
        self.outputs.start()
        while not self._closing:
            requested = self._requested
            try:
                self._scan_once(retry=requested > self._done)
            except Exception:  # noqa: BLE001 - a failed scan must not end the thread
                _log.exception("scanning the MIDI ports failed; trying again")
            if self._settings is not None:
                leave_real_time()
            with self._pass_done:
                self._done = requested
                self._pass_done.notify_all()
            self._wait_for_scan()
        with self._pass_done:
            self._pass_done.notify_all()
        self._pool.close()
        self.outputs.close()
        self._apis.close()

    def _wait_for_scan(self) -> None:
        waiting: list[Any] = [self._woken, *self._pool.starting()]
        sending = self.outputs.fileno()
        if sending is not None and sys.platform != "win32":  # there only sockets can be waited on
            waiting.append(sending)
        try:
            if self._woken in select.select(waiting, [], [], SCAN_S)[0]:
                self._woken.recv(4096)
        except (OSError, ValueError):
            return  # another thread has closed one of them, such as the outputs; the next scan sees that

    def _scan_once(self, *, retry: bool) -> None:
        settings = self._settings
        if settings is None:
            return
        own = (settings.virtual_input, settings.virtual_output)
        self._apis.own_ports = frozenset(name for name in own if name)
        scan = self._apis.scan(clock.now())
        seen = (scan, settings, self._disconnected, tuple(self._apis.problems()))
        settled = self._pool.is_settled() and self.outputs.is_settled()
        if seen == self._last_seen and not retry and settled:
            return
        self._last_seen = None  # a scan that fails half-way must be repeated
        inputs = self._input_book.identify(
            [*scan.inputs, *self._virtual(settings.virtual_input)], settings.identities
        )
        outputs = self._output_book.identify(
            [*scan.outputs, *self._virtual(settings.virtual_output)], settings.identities
        )
        self.outputs.abandon(scan.lost_apis)
        if retry:
            self._pool.retry_now()
        closed = self._disconnected
        wanted = [
            port for port in inputs if _is_wanted(port, settings) and port.device_id not in closed
        ]
        names = frozenset(port.info.name for port in wanted)
        # Meanwhile a name counts as listened to if it is being opened or not closed yet.
        self._listening |= names
        # Inputs first: their processes start while the outputs are opened one after the other.
        self._pool.reconcile({port.key: port.device_id for port in wanted})
        self._listening = names
        self.outputs.replace_dead_process()
        refusals = self._update_outputs(outputs)
        self._inputs = tuple((port.device_id, port.info) for port in inputs)
        self._build_status(settings, inputs, outputs, refusals)
        if not refusals:
            self._last_seen = seen

    def _virtual(self, name: str | None) -> list[PortKey]:
        api = self._apis.virtual_api()
        return [PortKey(api, name, -1)] if name and api is not None else []

    def _update_outputs(self, outputs: list[Port]) -> dict[PortKey, str]:
        refusals: dict[PortKey, str] = {}
        for port in outputs:
            reason = self.outputs.open_virtual(port.key) if port.key.nth < 0 else None
            if reason:
                refusals[port.key] = reason
        usable = [port for port in outputs if port.key not in refusals]
        known = [OutputPort(port.key, port.info.name, port.device_id) for port in usable]
        self.outputs.update(known)
        return refusals

    def _build_status(
        self,
        settings: _MidiSettings,
        inputs: list[Port],
        outputs: list[Port],
        refusals: dict[PortKey, str],
    ) -> None:
        def to_status(port: Port, kind: Literal["midi_input", "midi_output"]) -> DeviceStatus:
            is_input = kind == "midi_input"
            problem = self._pool.problem(port.key) if is_input else refusals.get(port.key)
            return DeviceStatus(
                device_id=port.device_id,
                port_name=port.info.name,
                kind=kind,
                connected=self._pool.is_listening(port.key) if is_input else problem is None,
                is_configured=any(known.alias == port.device_id for known in settings.identities),
                problem=problem,
            )

        present = [to_status(port, "midi_input") for port in inputs]
        present += [to_status(port, "midi_output") for port in outputs]
        self._publish((*present, *self._list_absent_devices(settings, present)))

    def _list_absent_devices(
        self, settings: _MidiSettings, present: list[DeviceStatus]
    ) -> list[DeviceStatus]:
        """Return configured devices that were present earlier and are not now."""
        aliases = {known.alias for known in settings.identities}
        here = {
            (device.kind, device.device_id): device for device in present if device.is_configured
        }
        self._seen.update(here)
        self._seen = {key: device for key, device in self._seen.items() if key[1] in aliases}
        return [
            device.model_copy(update={"connected": False, "problem": None})
            for key, device in self._seen.items()
            if key not in here
        ]

    def _publish(self, status: tuple[DeviceStatus, ...]) -> None:
        problems = tuple(self._apis.problems())
        if (status, problems) == (self._status, self._problems):
            return
        self._status, self._problems = status, problems
        self._on_change()


def _is_wanted(port: Port, settings: _MidiSettings) -> bool:
    if port.key.nth < 0 or not port.device_id.startswith("raw:"):
        return True
    return settings.open_inputs == "all" and not identity.is_loopback_port(port.key.name)
