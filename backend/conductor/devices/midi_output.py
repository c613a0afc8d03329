"""MIDI outputs: found by alias or name, opened when needed, and never left with notes sounding.

Which notes sound is kept outside the ports: the notes of a port that went, or of an engine that was
killed, end when the port is there again.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

from conductor.devices.midi_apis import PortKey, rtmidi
from conductor.devices.midi_messages import note_off
from conductor.devices.sounding_notes import Notes, NotesInMemory, SoundingNotes
from conductor.errors import ActionFailed

_SEND_ERRORS = (rtmidi.RtMidiError, OSError, RuntimeError, ValueError, TypeError)
_log = logging.getLogger(__name__)


class OutputPort(NamedTuple):
    """An output that is there, and what it may be called."""

    key: PortKey
    name: str
    """Without the numbers that the system appends."""
    device_id: str


class MidiOutputs:
    """Implements `domain.ports.MidiOut`; any thread may send."""

    def __init__(self, client_name: str = "Conductor", notes: SoundingNotes | None = None) -> None:
        self._client_name = client_name
        self._notes: SoundingNotes = notes or NotesInMemory()
        self._ports: tuple[OutputPort, ...] = ()
        self._routes: dict[str, _Output] = {}
        self._open: dict[PortKey, _Output] = {}
        self._spare: dict[int, list[Any]] = {}
        """Closed clients for the next port: making one takes 17 ms with the GIL held."""
        self._abandoned: list[Any] = []
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

    def update(self, ports: Sequence[OutputPort], lost_apis: Collection[int] = ()) -> None:
        """Take over what outputs there are now; close those that went."""
        with self._lock:
            keys = {port.key for port in ports}
            for key in [key for key in self._open if key not in keys]:
                self._let_go(key, lost=key.api in lost_apis)
            for api in lost_apis:
                self._abandoned += self._spare.pop(api, [])
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
                midi = self._client(key.api)
                midi.open_virtual_port(key.name)
            except (*_SEND_ERRORS, NotImplementedError) as error:
                return f"the virtual output could not be made: {error}"
            self._open[key] = _Output(midi, self._notes.of(key))
            return None

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
            for midi in (midi for spare in self._spare.values() for midi in spare):
                _done_with(midi.delete)
            self._spare, self._routes, self._ports = {}, {}, ()

    def _route(self, name: str) -> "_Output":
        with self._lock:
            port = _find(name, self._ports)
            output = self._open.get(port.key) or self._opened(port)
            self._routes[name] = output
            return output

    def _opened(self, port: OutputPort) -> "_Output":
        midi = None
        try:
            midi = self._client(port.key.api)
            midi.open_port(_index(midi, port.key), "out")
        except (*_SEND_ERRORS, LookupError) as error:
            if midi is not None:
                self._spare.setdefault(port.key.api, []).append(midi)
            advice = "close other programs that use it, or plug it in again"
            text = f"MIDI output `{port.name}` could not be opened: {error}; {advice}"
            raise ActionFailed(text) from error
        self._open[port.key] = output = _Output(midi, self._notes.of(port.key))
        _silence(port.key, output)
        return output

    def _end_left(self) -> None:
        """Open the outputs that are there again and had notes sounding: opening silences them."""
        left = self._notes.left() - self._open.keys()
        for port in self._ports:
            if port.key in left:
                with suppress(ActionFailed):
                    self._opened(port)

    def _client(self, api: int) -> Any:
        spare = self._spare.get(api)
        return spare.pop() if spare else rtmidi.MidiOut(api, self._client_name)

    def _let_go(self, key: PortKey, *, lost: bool) -> None:
        midi = self._open.pop(key).take_client()
        self._routes = {name: out for name, out in self._routes.items() if out.is_open}
        if lost:  # closing would wait a second for a server that is dead
            self._abandoned.append(midi)
            return
        if _done_with(midi.close_port):
            self._spare.setdefault(key.api, []).append(midi)


class _Output:
    """An open port and the notes that sound there."""

    def __init__(self, midi: Any, sounding: Notes) -> None:
        self._midi: Any = midi
        self._sounding = sounding
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        return self._midi is not None

    def send(self, message: bytes) -> None:
        with self._lock:
            if self._midi is None:
                raise OSError("it was unplugged")
            status = message[0] if message else 0
            is_note = status & 0xE0 == 0x80 and len(message) == 3
            note = (status & 0x0F) << 7 | message[1] & 0x7F if is_note else 0
            is_on = is_note and status >= 0x90 and message[2] != 0
            if is_on:  # before it sounds: whoever kills us in between must know of it
                self._sounding[note] = 1
            self._midi.send_message(message)
            if is_note and not is_on:
                self._sounding[note] = 0

    def silence(self) -> None:
        with self._lock:
            if self._midi is None:
                return
            for note, sounds in enumerate(bytes(self._sounding)):
                if sounds:
                    self._midi.send_message(note_off((note >> 7) + 1, note & 0x7F))
                    self._sounding[note] = 0

    def take_client(self) -> Any:
        with self._lock:
            midi, self._midi = self._midi, None
            return midi


def _silence(key: PortKey, output: _Output) -> None:
    try:
        output.silence()
    except _SEND_ERRORS as error:
        _log.warning("notes may still sound at MIDI output `%s`: %s", key.name, error)


def _done_with(end: Callable[[], object]) -> bool:
    """Close or delete; the rest must be closed as well when one will not."""
    try:
        end()
    except _SEND_ERRORS as error:
        _log.warning("a MIDI output could not be closed: %s", error)
        return False
    return True


def _index(midi: Any, key: PortKey) -> int:
    """Find the port's number right before opening: numbers shift when others come and go."""
    same = [index for index, name in enumerate(midi.get_ports()) if name == key.name]
    if not 0 <= key.nth < len(same):
        raise LookupError("it was unplugged")
    return same[key.nth]


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
