"""Sends messages to MIDI outputs, which are opened when first used and never left with sounding notes.

A separate process sends the messages (`output_process.py`) and ends the notes when the engine is killed. The
sounding notes are also recorded here, independently of the ports, so that the notes of a port that
disappeared, or of a killed process, end when the port is available again.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from threading import Lock
from typing import NamedTuple, Protocol

from conductor.devices.midi.apis import PortKey
from conductor.devices.midi.jack_graph import release_dead_clients
from conductor.devices.midi.messages import encode_note_off
from conductor.devices.midi.output_link import OpenOutput, OutputProcess
from conductor.devices.midi.output_process import decode_note
from conductor.devices.midi.sounding_notes import NotesInMemory, NoteStates, SoundingNotes
from conductor.errors import ActionFailed

PORT_OPENING_TIMEOUT_S = 0.002
"""Seconds that `send` waits for a port that is being opened. The engine's thread must not wait for a faulty
port, which takes 5 s to open."""
_SEND_ERRORS = (OSError, ValueError)
_log = logging.getLogger(__name__)


_SILENCE_MESSAGES = tuple(
    bytes((0xB0 | channel, controller, 0)) for channel in range(16) for controller in (120, 123)
)
"""All Sound Off and All Notes Off (MIDI 1.0, channel mode messages) on each channel."""


class OutputPort(NamedTuple):
    """An available MIDI output, with the device alias and the names by which a mapping can address it."""

    key: PortKey
    name: str
    """The name of the port, without the numbers that the system appends."""
    device_id: str


class SendProcess(Protocol):
    """The interface of the process that sends MIDI messages: `OutputProcess`, or a substitute in tests."""

    @property
    def is_alive(self) -> bool: ...
    def fileno(self) -> int: ...
    def open_port(self, key: PortKey) -> OpenOutput: ...
    def kill_if_stuck(self) -> None: ...
    def close(self) -> None: ...


StartOutputProcess = Callable[[str], SendProcess]
CheckPort = Callable[[PortKey], object]
"""A function that raises an error if sending to a port is not allowed."""


class MidiOutputs:
    """Manages the MIDI outputs; implements `domain.ports.MidiOut`. Any thread may send.

    `_opening_lock` is held while ports are opened or removed, for seconds if a port or the process is slow.
    `_lock` is held only to read or change the tables, so that a send to an open port never waits for another
    port.
    """

    def __init__(
        self,
        client_name: str = "Conductor",
        notes: SoundingNotes | None = None,
        start_process: StartOutputProcess = OutputProcess,
    ) -> None:
        self._client_name = client_name
        self._start_process = start_process
        self._process: SendProcess | None = None
        self._notes: SoundingNotes = notes or NotesInMemory()
        self._ports: tuple[OutputPort, ...] = ()
        self._routes: dict[str, _NoteTrackingOutput] = {}
        self._open: dict[PortKey, _NoteTrackingOutput] = {}
        self._prepared: tuple[str, ...] = ()
        self._lock = Lock()
        self._opening_lock = Lock()

    def send(self, port: str, message: bytes, check: CheckPort | None = None) -> None:
        """Send a message to the output with a given device alias, name or part of a name.

        `check` is called with the port that receives the message. If the caller looked up the name before the
        call, a different port could match it by then, because ports can change at any time.

        Raises:
            ActionFailed: the output does not exist, is still being opened, or refuses the message.
        """
        output = self._routes.get(port) or self._get_output(port, PORT_OPENING_TIMEOUT_S)
        if check is not None:
            check(output.key)
        try:
            output.send(message)
        except _SEND_ERRORS as error:
            text = f"could not send {message.hex(' ')} to MIDI output `{port}`: {error}"
            raise ActionFailed(text) from error

    def find_port_name(self, port: str) -> str:
        """Return the full name of the output with a given device alias, name or part of a name.

        Raises:
            ActionFailed: the output does not exist.
        """
        with self._lock:
            return _find_port(port, self._ports).name

    def start(self) -> None:
        """Start the output process, so that the first message does not wait for it."""
        # If this fails, the next port that is opened tries again.
        with self._opening_lock, suppress(OSError):
            self._ensure_process()

    def prepare_ports(self, ports: Iterable[str]) -> None:
        """Open ports before their first message, either now or as soon as they are available."""
        self._prepared = tuple(ports)
        for port in self._prepared:
            if port not in self._routes:
                with suppress(ActionFailed):
                    self._get_output(port, -1)

    def abandon_outputs(self, lost_apis: Collection[int]) -> None:
        """Stop using the outputs of MIDI systems that have died, without closing the outputs."""
        with self._opening_lock:
            remaining = [port for port in self._ports if port.key.api not in lost_apis]
            lost = {key for key in self._open if key.api in lost_apis}
            _close_outputs(self._replace_ports(remaining, lost), lost=True)

    def update_ports(self, ports: Sequence[OutputPort]) -> None:
        """Set the available outputs, and close open outputs that have disappeared."""
        with self._opening_lock:
            gone = self._open.keys() - {port.key for port in ports}
            _close_outputs(self._replace_ports(ports, gone), lost=False)
        self._silence_remaining_notes()
        self.prepare_ports(self._prepared)

    def open_virtual_output(self, key: PortKey) -> str | None:
        """Create a virtual output for other programs, and return an error message if that fails."""
        with self._opening_lock:
            if key in self._open:
                return None
            try:
                port = self._ensure_process().open_port(key)
            except OSError as error:
                return f"the virtual output could not be created: {error}"
            with self._lock:
                self._open[key] = _NoteTrackingOutput(key, port, self._notes.get_notes(key))
            return None

    def is_settled(self) -> bool:
        """Return whether the output process is running as it should, or has not been needed yet."""
        return self._process is None or self._process.is_alive

    def fileno(self) -> int | None:
        """Return the descriptor that becomes readable when the output process ends, or None if it is not
        running.
        """
        return None if self._process is None else self._process.fileno()

    def kill_stuck_process(self) -> None:
        """Kill an output process that has stopped reading; `replace_dead_process` then replaces it."""
        process = self._process
        if process is not None:
            process.kill_if_stuck()

    def replace_dead_process(self) -> None:
        """Discard an output process that has ended, and its ports, which `update_ports` and
        `open_virtual_output` then reopen.
        """
        with self._opening_lock:
            if self._process is None or self._process.is_alive:
                return
            _log.warning("the MIDI output process ended; it is being restarted")
            # Ports first: once the pipe is closed, another file may get its descriptor number.
            for output in self._replace_ports(self._ports, set(self._open)):
                output.take_port()
            self._process.close()
            self._process = None
        release_dead_clients(self._client_name)

    def silence_notes(self) -> None:
        """Send a note-off for every sounding note. An output that fails does not affect the other outputs."""
        for output in self._list_open_outputs():
            _silence_output(output)

    def silence_everything(self) -> None:
        """End the sounding notes, then send All Sound Off and All Notes Off on every channel of the open
        outputs.

        This also ends notes that Conductor does not know, such as those of an arpeggiator in a synthesizer.
        """
        for output in self._list_open_outputs():
            _silence_output(output, everything=True)

    def _list_open_outputs(self) -> "tuple[_NoteTrackingOutput, ...]":
        with self._lock:
            return tuple(self._open.values())

    def close(self) -> None:
        """Silence and close all outputs, and stop the output process."""
        self.silence_notes()
        with self._opening_lock:
            _close_outputs(self._replace_ports((), set(self._open)), lost=False)
            if self._process is not None:
                self._process.close()
            self._process = None

    def _get_output(self, name: str, wait_s: float) -> "_NoteTrackingOutput":
        """Return the output with a given name, opened if needed.

        If another port is being opened, wait at most `wait_s` seconds, or without limit if `wait_s` is -1.
        """
        with self._lock:
            output = self._open.get(_find_port(name, self._ports).key)
            if output is not None:
                self._routes[name] = output
                return output
        if not self._opening_lock.acquire(timeout=wait_s):
            raise ActionFailed(f"MIDI output `{name}` is being opened; try again")
        try:  # look up the port again: another thread may have opened or removed it meanwhile
            port = _find_port(name, self._ports)
            output = self._open.get(port.key) or self._open_port(port)
            with self._lock:
                self._routes[name] = output
            return output
        finally:
            self._opening_lock.release()

    def _replace_ports(
        self, ports: Sequence[OutputPort], gone: Collection[PortKey]
    ) -> list["_NoteTrackingOutput"]:
        """Replace the available ports, and return the removed outputs, which the caller must close."""
        with self._lock:
            removed = [self._open.pop(key) for key in gone]
            self._ports = tuple(ports)
            routes: dict[str, _NoteTrackingOutput] = {}
            for name in self._routes:
                with suppress(ActionFailed):  # no port matches this name any more
                    key = _find_port(name, self._ports).key
                    if key in self._open:
                        routes[name] = self._open[key]
            self._routes = routes
            return removed

    def _open_port(self, port: OutputPort) -> "_NoteTrackingOutput":
        try:
            opened = self._ensure_process().open_port(port.key)
        except OSError as error:
            advice = "close other programs that use it, or plug it in again"
            text = f"MIDI output `{port.name}` could not be opened: {error}; {advice}"
            raise ActionFailed(text) from error
        output = _NoteTrackingOutput(port.key, opened, self._notes.get_notes(port.key))
        _silence_output(output)
        with self._lock:
            self._open[port.key] = output
        return output

    def _silence_remaining_notes(self) -> None:
        """Open each available output that still has recorded sounding notes, because opening an output ends
        its notes.
        """
        with self._opening_lock:
            sounding = self._notes.list_sounding_outputs() - self._open.keys()
            for port in self._ports:
                if port.key in sounding:
                    with suppress(ActionFailed):
                        self._open_port(port)

    def _ensure_process(self) -> SendProcess:
        if self._process is None:
            self._process = self._start_process(self._client_name)
        return self._process


class _NoteTrackingOutput:
    """An open MIDI output that records which notes are sounding."""

    def __init__(self, key: PortKey, port: OpenOutput, sounding: NoteStates) -> None:
        self.key = key
        self._port: OpenOutput | None = port
        self._sounding = sounding
        self._lock = Lock()

    def send(self, message: bytes) -> None:
        with self._lock:
            if self._port is None:
                raise OSError("the device was unplugged")
            note = decode_note(message)
            if note is not None and note[1]:
                # Recorded before it sounds, in case this process is killed in between.
                self._sounding[note[0]] = 1
            self._port.send_message(message)
            if note is not None and not note[1]:
                self._sounding[note[0]] = 0

    def silence_notes(self) -> None:
        with self._lock:
            if self._port is None:
                return
            for note, sounds in enumerate(bytes(self._sounding)):
                if sounds:
                    self._port.send_message(encode_note_off((note >> 7) + 1, note & 0x7F))
                    self._sounding[note] = 0

    def silence_everything(self) -> None:
        self.silence_notes()
        with self._lock:
            if self._port is not None:
                for message in _SILENCE_MESSAGES:
                    self._port.send_message(message)

    def take_port(self) -> OpenOutput | None:
        with self._lock:
            port, self._port = self._port, None
            return port


def _silence_output(output: _NoteTrackingOutput, *, everything: bool = False) -> None:
    try:
        if everything:
            output.silence_everything()
        else:
            output.silence_notes()
    except _SEND_ERRORS as error:
        _log.warning("notes may still sound at MIDI output `%s`: %s", output.key.name, error)


def _close_outputs(outputs: Iterable[_NoteTrackingOutput], *, lost: bool) -> None:
    for output in outputs:
        port = output.take_port()
        if port is None:
            continue
        try:
            if lost:
                port.abandon_port()
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
