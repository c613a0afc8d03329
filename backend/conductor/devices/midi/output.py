"""MIDI outputs: found by alias or name, opened when needed, and never left with notes sounding.

A separate process sends the messages (`output_process.py`) and ends the notes when the engine is killed. The
sounding notes are also recorded here, independently of the ports, so that the notes of a port that disappeared,
or of a killed process, end when the port is available again.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from threading import Lock
from typing import NamedTuple, Protocol

from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.jack_graph import release_dead_clients
from conductor.devices.midi.messages import note_off
from conductor.devices.midi.output_link import OpenOutput, OutputProcess
from conductor.devices.midi.output_process import decode_note
from conductor.devices.midi.sounding_notes import Notes, NotesInMemory, SoundingNotes
from conductor.errors import ActionFailed

OPENING_WAIT_S = 0.002
"""How long a send waits while a port is being opened. The engine's thread sends, and a bad port takes 5 s."""
_SEND_ERRORS = (OSError, ValueError)
_log = logging.getLogger(__name__)


class OutputPort(NamedTuple):
    """An available output, and the names by which it can be addressed."""

    key: PortKey
    name: str
    """The port's name without the numbers that the system appends."""
    device_id: str


class SendProcess(Protocol):
    """The process that sends: `OutputProcess`, or a stand-in for tests."""

    @property
    def alive(self) -> bool: ...
    def fileno(self) -> int: ...
    def open(self, key: PortKey) -> OpenOutput: ...
    def close(self) -> None: ...


StartSending = Callable[[str], SendProcess]
Check = Callable[[PortKey], object]
"""Raises an error if sending to this port is not allowed."""


class MidiOutputs:
    """The MIDI outputs; implements `domain.ports.MidiOut`. Any thread may send.

    `_opening` is held while ports are opened or removed, for seconds if a port or the process is slow. `_lock`
    is held only to read or change the tables, so that a send to an open port never waits for another port.
    """

    def __init__(
        self,
        client_name: str = "Conductor",
        notes: SoundingNotes | None = None,
        start_process: StartSending = OutputProcess,
    ) -> None:
        self._client_name = client_name
        self._start_process = start_process
        self._process: SendProcess | None = None
        self._notes: SoundingNotes = notes or NotesInMemory()
        self._ports: tuple[OutputPort, ...] = ()
        self._routes: dict[str, _OpenOutput] = {}
        self._open: dict[PortKey, _OpenOutput] = {}
        self._prepared: tuple[str, ...] = ()
        self._lock = Lock()
        self._opening = Lock()

    def send(self, port: str, message: bytes, check: Check | None = None) -> None:
        """Send a message to the output with this device alias, name or part of a name.

        `check` is called with the port that will be used. A caller that looked the name up itself might find
        another port, because ports change at any time.

        Raises:
            ActionFailed: the output does not exist, is still being opened, or refuses the message.
        """
        output = self._routes.get(port) or self._get_output(port, OPENING_WAIT_S)
        if check is not None:
            check(output.key)
        try:
            output.send(message)
        except _SEND_ERRORS as error:
            text = f"could not send {message.hex(' ')} to MIDI output `{port}`: {error}"
            raise ActionFailed(text) from error

    def find_port_name(self, port: str) -> str:
        """Return the name of the output with this device alias, name or part of a name.

        Raises:
            ActionFailed: the output does not exist.
        """
        with self._lock:
            return _find_port(port, self._ports).name

    def start(self) -> None:
        """Start the sending process before the first message."""
        with self._opening, suppress(OSError):  # it is tried again when a port is opened
            self._running()

    def prepare(self, ports: Iterable[str]) -> None:
        """Open these ports before their first message: now, or when they become available."""
        self._prepared = tuple(ports)
        for port in self._prepared:
            if port not in self._routes:
                with suppress(ActionFailed):
                    self._get_output(port, -1)

    def abandon(self, lost_apis: Collection[int]) -> None:
        """Stop using the outputs of MIDI systems that died, without touching them."""
        with self._opening:
            remaining = [port for port in self._ports if port.key.api not in lost_apis]
            lost = {key for key in self._open if key.api in lost_apis}
            _close_outputs(self._replace_ports(remaining, lost), lost=True)

    def update(self, ports: Sequence[OutputPort]) -> None:
        """Set the available outputs, and close the ones that disappeared."""
        with self._opening:
            gone = self._open.keys() - {port.key for port in ports}
            _close_outputs(self._replace_ports(ports, gone), lost=False)
        self._silence_leftovers()
        self.prepare(self._prepared)

    def open_virtual(self, key: PortKey) -> str | None:
        """Create a virtual output for other programs; return the reason if that fails."""
        with self._opening:
            if key in self._open:
                return None
            try:
                port = self._running().open(key)
            except OSError as error:
                return f"the virtual output could not be created: {error}"
            with self._lock:
                self._open[key] = _OpenOutput(key, port, self._notes.get_notes(key))
            return None

    def is_settled(self) -> bool:
        """Return whether the sending process is running, if one is needed."""
        return self._process is None or self._process.alive

    def fileno(self) -> int | None:
        """Return the descriptor that becomes readable when the sending process ends."""
        return None if self._process is None else self._process.fileno()

    def replace_dead_process(self) -> None:
        """Drop the ports of a sending process that died; `update` and `open_virtual` reopen them."""
        with self._opening:
            if self._process is None or self._process.alive:
                return
            _log.warning("the MIDI output process ended; it is being restarted")
            # Ports first: once the pipe is closed, another file may get its descriptor number.
            for output in self._replace_ports(self._ports, set(self._open)):
                output.take_port()
            self._process.close()
            self._process = None
        release_dead_clients(self._client_name)

    def silence(self) -> None:
        """Send a note-off for every sounding note; a failing output does not affect the others."""
        with self._lock:
            outputs = tuple(self._open.values())
        for output in outputs:
            _silence_output(output)

    def close(self) -> None:
        """Silence and close everything."""
        self.silence()
        with self._opening:
            _close_outputs(self._replace_ports((), set(self._open)), lost=False)
            if self._process is not None:
                self._process.close()
            self._process = None

    def _get_output(self, name: str, wait_s: float) -> "_OpenOutput":
        """Return the output of this name, opening it if needed. A `wait_s` of -1 waits without limit."""
        with self._lock:
            output = self._open.get(_find_port(name, self._ports).key)
            if output is not None:
                self._routes[name] = output
                return output
        if not self._opening.acquire(timeout=wait_s):
            raise ActionFailed(f"MIDI output `{name}` is being opened; try again")
        try:  # look it up again: another thread may have opened or removed it meanwhile
            port = _find_port(name, self._ports)
            output = self._open.get(port.key) or self._open_port(port)
            with self._lock:
                self._routes[name] = output
            return output
        finally:
            self._opening.release()

    def _replace_ports(
        self, ports: Sequence[OutputPort], gone: Collection[PortKey]
    ) -> list["_OpenOutput"]:
        """Replace the tables; return the removed outputs, which the caller must close."""
        with self._lock:
            removed = [self._open.pop(key) for key in gone]
            self._ports = tuple(ports)
            routes: dict[str, _OpenOutput] = {}
            for name in self._routes:
                with suppress(ActionFailed):  # no port matches this name any more
                    key = _find_port(name, self._ports).key
                    if key in self._open:
                        routes[name] = self._open[key]
            self._routes = routes
            return removed

    def _open_port(self, port: OutputPort) -> "_OpenOutput":
        try:
            opened = self._running().open(port.key)
        except OSError as error:
            advice = "close other programs that use it, or plug it in again"
            text = f"MIDI output `{port.name}` could not be opened: {error}; {advice}"
            raise ActionFailed(text) from error
        output = _OpenOutput(port.key, opened, self._notes.get_notes(port.key))
        _silence_output(output)
        with self._lock:
            self._open[port.key] = output
        return output

    def _silence_leftovers(self) -> None:
        """Open the available outputs that still have notes sounding: opening silences them."""
        with self._opening:
            sounding = self._notes.list_sounding_outputs() - self._open.keys()
            for port in self._ports:
                if port.key in sounding:
                    with suppress(ActionFailed):
                        self._open_port(port)

    def _running(self) -> SendProcess:
        if self._process is None:
            self._process = self._start_process(self._client_name)
        return self._process


class _OpenOutput:
    """An open port and its sounding notes."""

    def __init__(self, key: PortKey, port: OpenOutput, sounding: Notes) -> None:
        self.key = key
        self._port: OpenOutput | None = port
        self._sounding = sounding
        self._lock = Lock()

    def send(self, message: bytes) -> None:
        with self._lock:
            if self._port is None:
                raise OSError("it was unplugged")
            note = decode_note(message)
            if (
                note is not None and note[1]
            ):  # recorded before it sounds, in case of a kill in between
                self._sounding[note[0]] = 1
            self._port.send_message(message)
            if note is not None and not note[1]:
                self._sounding[note[0]] = 0

    def silence(self) -> None:
        with self._lock:
            if self._port is None:
                return
            for note, sounds in enumerate(bytes(self._sounding)):
                if sounds:
                    self._port.send_message(note_off((note >> 7) + 1, note & 0x7F))
                    self._sounding[note] = 0

    def take_port(self) -> OpenOutput | None:
        with self._lock:
            port, self._port = self._port, None
            return port


def _silence_output(output: _OpenOutput) -> None:
    try:
        output.silence()
    except _SEND_ERRORS as error:
        _log.warning("notes may still sound at MIDI output `%s`: %s", output.key.name, error)


def _close_outputs(outputs: Iterable[_OpenOutput], *, lost: bool) -> None:
    for output in outputs:
        port = output.take_port()
        if port is None:
            continue
        try:
            if lost:
                port.abandon()
            else:
                port.close_port()
        except _SEND_ERRORS as error:
            _log.warning("MIDI output `%s` could not be closed: %s", output.key.name, error)


def _find_port(name: str, ports: Sequence[OutputPort]) -> OutputPort:
    part = name.casefold()
    tests: tuple[Callable[[OutputPort], bool], ...] = (
        lambda port: port.device_id == name,
        lambda port: name in (port.key.name, port.name),
        lambda port: part in port.key.name.casefold(),
    )
    found = next((port for test in tests for port in ports if test(port)), None)
    if found is None:
        names = ", ".join(f"`{port.name}`" for port in ports)
        outputs = f"outputs are {names}" if names else "there are no outputs now; plug one in"
        raise ActionFailed(f"no MIDI output named `{name}`; {outputs}")
    return found
