"""MIDI outputs: found by alias or name, opened when needed, and never left with notes sounding.

A process of their own sends (`output_process.py`), and ends the notes when the engine is killed. Which notes
sound is also kept here and outside the ports: the notes of a port that went, or of a process that was killed,
end when the port is there again.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from threading import Lock
from typing import NamedTuple, Protocol

from conductor.devices.jack_graph import release_dead_clients
from conductor.devices.midi_apis import PortKey
from conductor.devices.midi_messages import note_off
from conductor.devices.output_link import OpenOutput, OutputProcess
from conductor.devices.output_process import note_of
from conductor.devices.sounding_notes import Notes, NotesInMemory, SoundingNotes
from conductor.errors import ActionFailed

_SEND_ERRORS = (OSError, ValueError)
_log = logging.getLogger(__name__)


class OutputPort(NamedTuple):
    """An output that is there, and what it may be called."""

    key: PortKey
    name: str
    """Without the numbers that the system appends."""
    device_id: str


class SendProcess(Protocol):
    """What sends: `OutputProcess`, or a stand-in for tests."""

    @property
    def alive(self) -> bool: ...
    def fileno(self) -> int: ...
    def open(self, key: PortKey) -> OpenOutput: ...
    def close(self) -> None: ...


StartSending = Callable[[str], SendProcess]


class MidiOutputs:
    """Implements `domain.ports.MidiOut`; any thread may send."""

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
        self._routes: dict[str, _Output] = {}
        self._open: dict[PortKey, _Output] = {}
        self._prepared: tuple[str, ...] = ()
        self._lock = Lock()

    def send(self, port: str, message: bytes) -> None:
        """Send to the output with this device alias, name or part of a name.

        Raises:
            ActionFailed: there is no such output, or it does not take the message.
        """
        output = self._routes.get(port) or self._route(port)
        try:
            output.send(message)
        except _SEND_ERRORS as error:
            text = f"could not send {message.hex(' ')} to MIDI output `{port}`: {error}"
            raise ActionFailed(text) from error

    def start(self) -> None:
        """Start the process that sends, ahead of use."""
        with self._lock, suppress(OSError):  # it is tried again when a port is opened
            self._running()

    def prepare(self, ports: Iterable[str]) -> None:
        """Open these ahead of use, now or when they come."""
        self._prepared = tuple(ports)
        for port in self._prepared:
            if port in self._routes:
                continue
            try:
                self._route(port)
            except ActionFailed:
                continue

    def abandon(self, lost_apis: Collection[int]) -> None:
        """Leave the outputs of systems that died alone; nothing is sent there any more."""
        with self._lock:
            for key in [key for key in self._open if key.api in lost_apis]:
                self._let_go(key, lost=True)
            self._ports = tuple(port for port in self._ports if port.key.api not in lost_apis)

    def update(self, ports: Sequence[OutputPort]) -> None:
        """Replace the outputs that are there; close those that went."""
        with self._lock:
            keys = {port.key for port in ports}
            for key in [key for key in self._open if key not in keys]:
                self._let_go(key, lost=False)
            if self._ports != tuple(ports):
                self._ports = tuple(ports)
                self._routes = {}
            self._end_left()
        self.prepare(self._prepared)

    def open_virtual(self, key: PortKey) -> str | None:
        """Make an output of our own that others can listen to; give the reason if that fails."""
        with self._lock:
            if key in self._open:
                return None
            try:
                port = self._running().open(key)
            except OSError as error:
                return f"the virtual output could not be made: {error}"
            self._open[key] = _Output(port, self._notes.of(key))
            return None

    def is_settled(self) -> bool:
        """Check that the process that sends is there, as far as one is needed."""
        return self._process is None or self._process.alive

    def fileno(self) -> int | None:
        """Return what becomes readable when the process that sends is gone."""
        return None if self._process is None else self._process.fileno()

    def replace_dead_process(self) -> None:
        """Forget the ports of a process that died; `update` and `open_virtual` open them again."""
        with self._lock:
            if self._process is None or self._process.alive:
                return
            _log.warning("the process of the MIDI outputs ended; it is started again")
            self._process.close()
            self._process = None
            for output in self._open.values():
                output.take_port()
            self._open, self._routes = {}, {}
        release_dead_clients(self._client_name)

    def silence(self) -> None:
        """Send the note-off of every note that is still sounding; one that fails stops no other."""
        for key, output in tuple(self._open.items()):
            _silence(key, output)

    def close(self) -> None:
        """Silence and close everything."""
        self.silence()
        with self._lock:
            for key in list(self._open):
                self._let_go(key, lost=False)
            if self._process is not None:
                self._process.close()
            self._process, self._routes, self._ports = None, {}, ()

    def _route(self, name: str) -> "_Output":
        with self._lock:
            port = _find(name, self._ports)
            output = self._open.get(port.key) or self._opened(port)
            self._routes[name] = output
            return output

    def _opened(self, port: OutputPort) -> "_Output":
        try:
            opened = self._running().open(port.key)
        except OSError as error:
            advice = "close other programs that use it, or plug it in again"
            text = f"MIDI output `{port.name}` could not be opened: {error}; {advice}"
            raise ActionFailed(text) from error
        self._open[port.key] = output = _Output(opened, self._notes.of(port.key))
        _silence(port.key, output)
        return output

    def _end_left(self) -> None:
        """Open the outputs that are there again and had notes sounding: opening silences them."""
        left = self._notes.left() - self._open.keys()
        for port in self._ports:
            if port.key in left:
                with suppress(ActionFailed):
                    self._opened(port)

    def _running(self) -> SendProcess:
        if self._process is None:
            self._process = self._start_process(self._client_name)
        return self._process

    def _let_go(self, key: PortKey, *, lost: bool) -> None:
        port = self._open.pop(key).take_port()
        self._routes = {name: out for name, out in self._routes.items() if out.is_open}
        if port is None:
            return
        try:
            if lost:
                port.abandon()
            else:
                port.close_port()
        except _SEND_ERRORS as error:
            _log.warning("a MIDI output could not be closed: %s", error)


class _Output:
    """An open port and the notes that sound there."""

    def __init__(self, port: OpenOutput, sounding: Notes) -> None:
        self._port: OpenOutput | None = port
        self._sounding = sounding
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        return self._port is not None

    def send(self, message: bytes) -> None:
        with self._lock:
            if self._port is None:
                raise OSError("it was unplugged")
            note = note_of(message)
            if note is not None and note[1]:  # before it sounds: a kill in between must not hide it
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


def _silence(key: PortKey, output: _Output) -> None:
    try:
        output.silence()
    except _SEND_ERRORS as error:
        _log.warning("notes may still sound at MIDI output `%s`: %s", key.name, error)


def _find(name: str, ports: Sequence[OutputPort]) -> OutputPort:
    part = name.casefold()
    tests: tuple[Callable[[OutputPort], bool], ...] = (
        lambda port: port.device_id == name,
        lambda port: name in (port.key.name, port.name),
        lambda port: part in port.key.name.casefold(),
    )
    found = next((port for test in tests for port in ports if test(port)), None)
    if found is None:
        there = ", ".join(f"`{port.name}`" for port in ports)
        outputs = f"outputs are {there}" if there else "there are no outputs now; plug one in"
        raise ActionFailed(f"no MIDI output named `{name}`; {outputs}")
    return found
