"""Watches the MIDI ports: opens inputs, knows which device is which, and tells when one goes.

A look compares names, so a device that goes and comes back under its name between two looks
(0.25 s) is not seen to go: JACK drops the link and its input stays silent until the next replug,
or until `set_connected` closes and opens it (`rescan` only tries again what failed). rtmidi gives
no port ids to tell by, and ALSA gives a card the client number it had before.
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
class _Wishes:
    identities: tuple[DeviceIdentity, ...] = ()
    open_inputs: Literal["all", "configured"] = "all"
    virtual_input: str | None = None
    virtual_output: str | None = None


class MidiManager:
    """One scan thread owns all ports; other threads leave wishes and read the last status."""

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
        """Sends; implements `domain.ports.MidiOut`."""
        self._on_change = on_change
        self._pool = InputPool(
            add_source, remove_source, post, start_process, client_name, on_end=self._wake
        )
        self._apis = MidiApis(client_name)
        self._input_book, self._output_book = PortBook(), PortBook()
        self._wishes: _Wishes | None = None
        self._disconnected: frozenset[str] = frozenset()
        self._status: tuple[DeviceStatus, ...] = ()
        self._inputs: tuple[tuple[str, PortInfo], ...] = ()
        self._listening: frozenset[str] = frozenset()
        self._problems: tuple[str, ...] = ()
        self._last_seen: object = None
        self._seen: dict[tuple[str, str], DeviceStatus] = {}
        self._asked = self._done = 0
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
        """Say what is wanted; it comes about in the scan thread. Nothing is opened before this."""
        self._wishes = _Wishes(tuple(identities), open_inputs, virtual_input, virtual_output)
        self._wake()

    def rescan(self, timeout_s: float = 5.0) -> None:
        """Look at all ports now, and return when that is done; failed ports are tried again.

        With a timeout of 0 it returns at once.
        """
        number = self._ask()
        with self._pass_done:
            self._pass_done.wait_for(lambda: self._done >= number or self._closing, timeout_s)

    def set_connected(self, device_id: str, *, connected: bool) -> None:
        """Have a device's inputs opened, or closed until told otherwise; others may use them then.

        It comes about in the scan thread: `status` tells when.
        """
        without = self._disconnected - {device_id}
        self._disconnected = without if connected else without | {device_id}
        self._ask()

    def status(self) -> list[DeviceStatus]:
        """Return all inputs and outputs, and configured devices that were here and went.

        Whether one is muted is the engine's to say.

        An input is `connected` when it is open, an output when it is there.
        """
        return list(self._status)

    def inputs(self) -> tuple[tuple[str, PortInfo], ...]:
        """Return the device id of each input, open or not, and what matchers recognise it by."""
        return self._inputs

    def listens_to(self, port_name: str) -> bool:
        """Check whether an input of this name is open, is being opened, or is closed only for a retry."""
        return port_name in self._listening

    def take_lost(self) -> tuple[int, str]:
        """Return how many messages inputs lost since the last call, and the device that lost the most."""
        return self._pool.take_lost()

    def problems(self) -> list[str]:
        """Return which MIDI systems cannot be used, and what to do."""
        return list(self._problems)

    def close(self) -> None:
        """Close all ports, with no note left sounding, and end the scan thread."""
        self._closing = True
        self._wake()
        self._thread.join(END_LIMIT_S)
        for end in (self._woken, self._waker):
            end.close()

    def _ask(self) -> int:
        """Ask for a look that tries failed ports again; give its number."""
        with self._pass_done:
            self._asked += 1
            number = self._asked
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
            asked = self._asked
            try:
                self._look(retry=asked > self._done)
            except Exception:  # noqa: BLE001 - one bad look must not end the watch
                _log.exception("looking at the MIDI ports failed; it is tried again")
            if self._wishes is not None:
                leave_real_time()
            with self._pass_done:
                self._done = asked
                self._pass_done.notify_all()
            self._wait()
        with self._pass_done:
            self._pass_done.notify_all()
        self._pool.close()
        self.outputs.close()
        self._apis.close()

    def _wait(self) -> None:
        waiting: list[Any] = [self._woken, *self._pool.starting()]
        sending = self.outputs.fileno()
        if sending is not None and sys.platform != "win32":  # there only sockets can be waited on
            waiting.append(sending)
        if self._woken in select.select(waiting, [], [], SCAN_S)[0]:
            self._woken.recv(4096)

    def _look(self, *, retry: bool) -> None:
        wishes = self._wishes
        if wishes is None:
            return
        own = (wishes.virtual_input, wishes.virtual_output)
        self._apis.own_ports = frozenset(name for name in own if name)
        scan = self._apis.scan(clock.now())
        seen = (scan, wishes, self._disconnected, tuple(self._apis.problems()))
        settled = self._pool.settled() and self.outputs.is_settled()
        if seen == self._last_seen and not retry and settled:
            return
        self._last_seen = None  # a look that fails on the way is not done
        inputs = self._input_book.identify(
            [*scan.inputs, *self._virtual(wishes.virtual_input)], wishes.identities
        )
        outputs = self._output_book.identify(
            [*scan.outputs, *self._virtual(wishes.virtual_output)], wishes.identities
        )
        self.outputs.abandon(scan.lost_apis)
        if retry:
            self._pool.retry_now()
        closed = self._disconnected
        wanted = [port for port in inputs if _opens(port, wishes) and port.device_id not in closed]
        names = frozenset(port.info.name for port in wanted)
        self._listening |= names  # before they are opened, and the others until they are closed
        # Inputs first: their processes start while the outputs are opened, one after the other.
        self._pool.reconcile({port.key: port.device_id for port in wanted})
        self._listening = names
        self.outputs.replace_dead_process()
        refusals = self._update_outputs(outputs)
        self._inputs = tuple((port.device_id, port.info) for port in inputs)
        self._report(wishes, inputs, outputs, refusals)
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

    def _report(
        self,
        wishes: _Wishes,
        inputs: list[Port],
        outputs: list[Port],
        refusals: dict[PortKey, str],
    ) -> None:
        def shown(port: Port, kind: Literal["midi_input", "midi_output"]) -> DeviceStatus:
            is_input = kind == "midi_input"
            problem = self._pool.problem(port.key) if is_input else refusals.get(port.key)
            return DeviceStatus(
                device_id=port.device_id,
                port_name=port.info.name,
                kind=kind,
                connected=self._pool.is_listening(port.key) if is_input else problem is None,
                is_configured=any(one.alias == port.device_id for one in wishes.identities),
                problem=problem,
            )

        present = [shown(port, "midi_input") for port in inputs]
        present += [shown(port, "midi_output") for port in outputs]
        self._publish((*present, *self._absent(wishes, present)))

    def _absent(self, wishes: _Wishes, present: list[DeviceStatus]) -> list[DeviceStatus]:
        """Return configured devices that were seen before and are not there now."""
        aliases = {one.alias for one in wishes.identities}
        here = {(one.kind, one.device_id): one for one in present if one.is_configured}
        self._seen.update(here)
        self._seen = {key: one for key, one in self._seen.items() if key[1] in aliases}
        return [
            one.model_copy(update={"connected": False, "problem": None})
            for key, one in self._seen.items()
            if key not in here
        ]

    def _publish(self, status: tuple[DeviceStatus, ...]) -> None:
        problems = tuple(self._apis.problems())
        if (status, problems) == (self._status, self._problems):
            return
        self._status, self._problems = status, problems
        self._on_change()


def _opens(port: Port, wishes: _Wishes) -> bool:
    if port.key.nth < 0 or not port.device_id.startswith("raw:"):
        return True
    return wishes.open_inputs == "all" and not identity.is_loopback(port.key.name)
