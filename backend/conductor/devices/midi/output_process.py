"""The process that owns all MIDI outputs and sends the engine's messages.

It is a separate process so that it outlives a killed engine: when its standard input ends, it ends the sounding
notes and closes its ports properly. A JACK client that just disappears would stop a synchronous server for
seconds, and the notes would sound until another engine opened the port.

Frames on standard input are `<HBB`: payload length, kind, number of the output; then the payload. Each OPEN is
answered on standard output by one line of JSON: null, or why the port could not be opened.
"""

import gc
import json
import os
import signal
import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from conductor.base.realtime import request_real_time
from conductor.devices.midi.port_process import REALTIME_PRIORITY

HEADER = struct.Struct("<HBB")
OPEN, SEND, CLOSE, ABANDON = range(4)
MAX_PAYLOAD = 65_535
OUTPUTS_AT_MOST = 256
GULP_BYTES = 65_536
CLOSE_LIMIT_S = 2
NOTES = 16 * 128
REFUSALS = (OSError, RuntimeError, ValueError, TypeError, LookupError, NotImplementedError)
"""rtmidi's own errors are all one of these."""


class OpenRequest(NamedTuple):
    """The port to open; an `nth` of -1 creates a virtual port."""

    api: int
    client_name: str
    name: str
    nth: int


def decode_note(message: bytes) -> tuple[int, bool] | None:
    """Return the note of a message as `(channel - 1) * 128 + note`, and whether it starts; None for others."""
    if len(message) != 3 or message[0] & 0xE0 != 0x80:
        return None
    number = (message[0] & 0x0F) << 7 | message[1] & 0x7F
    return number, message[0] >= 0x90 and message[2] != 0


class _OpenPort:
    """One open output and its sounding notes."""

    def __init__(self, client: Any, api: int, *, is_virtual: bool = False) -> None:
        self.client = client
        self.api = api
        self.is_virtual = is_virtual
        self._sounding = bytearray(NOTES)

    def send(self, message: bytes) -> None:
        # Sent before it is recorded, because the player is waiting. If this process is killed in between,
        # the engine's own record of sounding notes still has it.
        self.client.send_message(message)
        note = decode_note(message)
        if note is not None:
            self._sounding[note[0]] = note[1]

    def silence(self) -> None:
        for number, sounds in enumerate(self._sounding):
            if sounds:
                self.client.send_message(bytes((0x80 | number >> 7, number & 0x7F, 0)))
        self._sounding = bytearray(NOTES)


class OpenOutputs:
    """The open outputs by number; for one thread."""

    def __init__(self, make_client: Callable[[int, str], Any]) -> None:
        self._make_client = make_client
        self._ports: dict[int, _OpenPort] = {}
        self._spare: dict[int, list[Any]] = {}
        """Unused clients for the next ports: creating one takes 17 ms, in which nothing is sent."""
        self._abandoned: list[_OpenPort] = []

    def handle_frame(self, kind: int, number: int, payload: bytes) -> str | None:
        """Execute one frame; return the answer to an OPEN, None for other kinds."""
        if kind == OPEN:
            return json.dumps(self._open_port(number, OpenRequest(*json.loads(payload))))
        port = self._ports.get(number)
        if port is None:
            return None
        if kind == SEND:
            try:
                port.send(payload)
            except REFUSALS:
                return None
        elif kind == CLOSE:
            self._close_port(self._ports.pop(number))
        elif kind == ABANDON:  # closing would wait a second for a dead server
            self._abandoned.append(self._ports.pop(number))
            self._abandoned += [
                _OpenPort(client, port.api) for client in self._spare.pop(port.api, [])
            ]
        return None

    def close(self) -> None:
        """End all notes, then close the ports, so that no note sounds on while another port closes slowly."""
        for port in self._ports.values():
            _try_call(port.silence)
        for port in self._ports.values():
            _try_call(port.client.close_port)
            _try_call(port.client.delete)
        for client in (client for clients in self._spare.values() for client in clients):
            _try_call(client.delete)

    def _open_port(self, number: int, wanted: OpenRequest) -> str | None:
        """Open a port; return the reason if that fails."""
        spare = self._spare.get(wanted.api)
        client: Any = None
        try:
            client = spare.pop() if spare else self._make_client(wanted.api, wanted.client_name)
            if wanted.nth < 0:
                client.open_virtual_port(wanted.name)
            else:
                client.open_port(_find_port_index(client, wanted), "out")
        except REFUSALS as error:
            if client is not None:
                self._spare.setdefault(wanted.api, []).append(client)
            return str(error) or type(error).__name__
        self._ports[number] = _OpenPort(client, wanted.api, is_virtual=wanted.nth < 0)
        return None

    def _close_port(self, port: _OpenPort) -> None:
        is_closed = _try_call(port.client.close_port)
        if port.is_virtual:  # rtmidi refuses to open anything else with such a client
            _try_call(port.client.delete)
        elif is_closed:
            self._spare.setdefault(port.api, []).append(port.client)


def main() -> int:
    """Send the engine's messages until it closes standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # frames create no cycles, and a collection would delay a message
    # Text that a library prints must not look like an answer.
    answers = os.dup(1)
    os.dup2(2, 1)
    request_real_time(REALTIME_PRIORITY)
    outputs = OpenOutputs(_create_client)
    try:
        for kind, number, payload in frames(0):
            answer = outputs.handle_frame(kind, number, payload)
            if answer is not None:
                os.write(answers, answer.encode() + b"\n")
    finally:
        if hasattr(signal, "alarm"):  # a hanging MIDI server must not keep this process alive
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(CLOSE_LIMIT_S)
        outputs.close()
    return 0


def frames(source: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield the arriving frames until the other end is closed."""
    data = b""
    while True:
        at = 0
        while len(data) - at >= HEADER.size:
            length, kind, number = HEADER.unpack_from(data, at)
            stop = at + HEADER.size + length
            if stop > len(data):
                break
            yield kind, number, data[at + HEADER.size : stop]
            at = stop
        more = os.read(source, GULP_BYTES)
        if not more:
            return
        data = data[at:] + more


def _create_client(api: int, client_name: str) -> Any:
    from conductor.devices.midi.binding import rtmidi

    os.environ.setdefault("JACK_NO_START_SERVER", "1")
    return rtmidi.MidiOut(api, client_name)


def _find_port_index(client: Any, wanted: OpenRequest) -> int:
    """Return the port's current index, which shifts when other ports come and go."""
    same = [index for index, name in enumerate(client.get_ports()) if name == wanted.name]
    if wanted.nth >= len(same):
        raise LookupError("it was unplugged")
    return same[wanted.nth]


def _try_call(act: Callable[..., object], *arguments: object) -> bool:
    """Call a function and return whether it succeeded; a failing port must not affect the others."""
    try:
        act(*arguments)
    except REFUSALS:
        return False
    return True
