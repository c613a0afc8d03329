"""The process that owns all MIDI outputs and sends the engine's messages.

The process is separate so that it survives a killed engine: when its standard input is closed, it ends the
sounding notes and closes its ports properly. A JACK client that just disappears would stop a synchronous server
for seconds, and the notes would sound until another engine opened the port.

Frames on standard input are `<HBB`: payload length, kind, number of the output; then the payload. The answer
to an OPEN frame is a line of JSON on standard output: null, or the reason why the port could not be opened.
"""

import gc
import json
import os
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from conductor.base.realtime import request_real_time
from conductor.devices.midi.port_process import REALTIME_PRIORITY

FRAME_HEADER = struct.Struct("<HBB")
OPEN_FRAME, SEND_FRAME, CLOSE_FRAME, ABANDON_FRAME = range(4)
MAX_PAYLOAD_BYTES = 65_535
MAX_OUTPUTS = 256
READ_BYTES = 65_536
PORT_CLOSE_TIMEOUT_S = 2
NOTE_COUNT = 16 * 128
RTMIDI_ERRORS = (OSError, RuntimeError, ValueError, TypeError, LookupError, NotImplementedError)
"""The exceptions that rtmidi raises."""


class OpenRequest(NamedTuple):
    """The port to open, as requested by an OPEN frame. A `name_index` of -1 creates a virtual port."""

    api: int
    client_name: str
    name: str
    name_index: int


def decode_note(message: bytes) -> tuple[int, bool] | None:
    """Return the index of a note, and whether a message starts the note; None if it is not a note message.

    The index is `(channel - 1) * 128 + note`.
    """
    if len(message) != 3 or message[0] & 0xE0 != 0x80:
        return None
    number = (message[0] & 0x0F) << 7 | message[1] & 0x7F
    return number, message[0] >= 0x90 and message[2] != 0


class _OpenPort:
    """An open MIDI output with a record of its sounding notes."""

    def __init__(self, client: Any, api: int, *, is_virtual: bool = False) -> None:
        self.client = client
        self.api = api
        self.is_virtual = is_virtual
        self._sounding = bytearray(NOTE_COUNT)

    def send(self, message: bytes) -> None:
        # Sent before it is recorded, because the player is waiting. If this process is killed in between,
        # the engine still has the note in its own record.
        self.client.send_message(message)
        note = decode_note(message)
        if note is not None:
            self._sounding[note[0]] = note[1]

    def silence_notes(self) -> None:
        for number, sounds in enumerate(self._sounding):
            if sounds:
                self.client.send_message(bytes((0x80 | number >> 7, number & 0x7F, 0)))
        self._sounding = bytearray(NOTE_COUNT)


class OpenOutputs:
    """Opens, uses and closes MIDI outputs by the numbers that the engine chose. Not thread-safe."""

    def __init__(self, create_client: Callable[[int, str], Any]) -> None:
        self._create_client = create_client
        self._ports: dict[int, _OpenPort] = {}
        self._spare_clients: dict[int, list[Any]] = {}
        """Unused clients for later ports. Creating a client takes 17 ms, during which nothing is sent."""
        self._abandoned: list[_OpenPort] = []

    def handle_frame(self, kind: int, number: int, payload: bytes) -> str | None:
        """Execute a frame from the engine; return the answer to an OPEN frame as JSON, and None for other
        kinds.
        """
        if kind == OPEN_FRAME:
            return json.dumps(self._open_port(number, OpenRequest(*json.loads(payload))))
        port = self._ports.get(number)
        if port is None:
            return None
        if kind == SEND_FRAME:
            try:
                port.send(payload)
            except RTMIDI_ERRORS:
                return None
        elif kind == CLOSE_FRAME:
            self._close_port(self._ports.pop(number))
        elif kind == ABANDON_FRAME:  # closing a port of a dead server would block for a second
            self._abandoned.append(self._ports.pop(number))
            self._abandoned += [
                _OpenPort(client, port.api) for client in self._spare_clients.pop(port.api, [])
            ]
        return None

    def close(self) -> None:
        """End the notes of all outputs before closing any, so that no note keeps sounding while another
        output is closed.
        """
        for port in self._ports.values():
            _try_call(port.silence_notes)
        for port in self._ports.values():
            _try_call(port.client.close_port)
            _try_call(port.client.delete)
        for client in (client for clients in self._spare_clients.values() for client in clients):
            _try_call(client.delete)

    def _open_port(self, number: int, request: OpenRequest) -> str | None:
        """Open the requested port under a number, and return an error message if that fails, otherwise None."""
        spare = self._spare_clients.get(request.api)
        client: Any = None
        try:
            client = spare.pop() if spare else self._create_client(request.api, request.client_name)
            if request.name_index < 0:
                client.open_virtual_port(request.name)
            else:
                client.open_port(_find_port_index(client, request), "out")
        except RTMIDI_ERRORS as error:
            if client is not None:
                self._spare_clients.setdefault(request.api, []).append(client)
            return str(error) or type(error).__name__
        self._ports[number] = _OpenPort(client, request.api, is_virtual=request.name_index < 0)
        return None

    def _close_port(self, port: _OpenPort) -> None:
        is_closed = _try_call(port.client.close_port)
        if port.is_virtual:  # rtmidi refuses to open another port with this client
            _try_call(port.client.delete)
        elif is_closed:
            self._spare_clients.setdefault(port.api, []).append(port.client)


def main() -> int:
    """Send the messages of the engine until standard input is closed; return the exit code of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # frames create no cycles, and a collection would delay a message
    # Text that a library prints must not look like an answer.
    answers = os.dup(1)
    os.dup2(2, 1)
    request_real_time(REALTIME_PRIORITY)
    outputs = OpenOutputs(_create_client)
    try:
        for kind, number, payload in read_frames(0):
            answer = outputs.handle_frame(kind, number, payload)
            if answer is not None:
                os.write(answers, answer.encode() + b"\n")
    finally:
        if sys.platform != "win32":  # a hanging MIDI server must not keep this process alive
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PORT_CLOSE_TIMEOUT_S)
        outputs.close()
    return 0


def read_frames(source: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield the frames that are read from a descriptor until its other end is closed."""
    data = b""
    while True:
        at = 0
        while len(data) - at >= FRAME_HEADER.size:
            length, kind, number = FRAME_HEADER.unpack_from(data, at)
            stop = at + FRAME_HEADER.size + length
            if stop > len(data):
                break
            yield kind, number, data[at + FRAME_HEADER.size : stop]
            at = stop
        more = os.read(source, READ_BYTES)
        if not more:
            return
        data = data[at:] + more


def _create_client(api: int, client_name: str) -> Any:
    from conductor.devices.midi.binding import rtmidi

    os.environ.setdefault("JACK_NO_START_SERVER", "1")
    return rtmidi.MidiOut(api, client_name)


def _find_port_index(client: Any, request: OpenRequest) -> int:
    """Return the current index of a port, which changes when other ports appear or disappear."""
    same = [index for index, name in enumerate(client.get_ports()) if name == request.name]
    if request.name_index >= len(same):
        raise LookupError("the device was unplugged")
    return same[request.name_index]


def _try_call(function: Callable[..., object], *arguments: object) -> bool:
    """Call a function and return whether it succeeded. A port that fails must not affect other ports."""
    try:
        function(*arguments)
    except RTMIDI_ERRORS:
        return False
    return True
