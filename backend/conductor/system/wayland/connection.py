"""A Wayland client: the wire protocol, as far as virtual input and lists of windows need it.

A message consists of the id of an object, its own size and opcode, and the arguments in the byte order of the
machine (https://wayland.freedesktop.org/docs/html/ch04.html#sect-Protocol-Wire-Format). The client chooses
the ids of the objects that it creates; ids are never reused here, so `delete_id` needs no answer.
"""

import array
import os
import select
import socket
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from conductor.errors import ActionFailed

Handler = Callable[[int, "EventReader"], None]
"""Called with the opcode and the arguments of each event of an object."""

DISPLAY = 1
_SYNC, _GET_REGISTRY = 0, 1
_ERROR = 0
_GLOBAL, _GLOBAL_REMOVE = 0, 1
_BIND = 0
_HEADER = struct.Struct("=II")
_ANSWER_S = 2.0
_MAX_FDS = 8

LOST = (OSError, EOFError)
"""The errors of a connection that the compositor has closed."""


class ProtocolError(ActionFailed):
    """The compositor refused a request and closes the connection."""


def find_socket() -> Path | None:
    """Return the socket of this session's compositor, or None outside a Wayland session."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    name = os.environ.get("WAYLAND_DISPLAY", "")
    if not name and os.environ.get("XDG_SESSION_TYPE") == "wayland":
        name = "wayland-0"  # what libwayland assumes
    if not name or (not folder and not name.startswith("/")):
        return None
    return Path(folder) / name


def is_wayland() -> bool:
    """Return whether this is a Wayland session."""
    return (
        bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"
    )


def encode_int(value: int) -> bytes:
    return struct.pack("=i", value) if value < 0 else struct.pack("=I", value)


def encode_fixed(value: float) -> bytes:
    """Encode a number with 8 binary places."""
    return struct.pack("=i", round(value * 256))


def encode_string(text: str) -> bytes:
    data = text.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + bytes(-len(data) % 4)


class EventReader:
    """Reads the arguments of an event in their order."""

    def __init__(self, data: bytes, fds: list[int]) -> None:
        self._data = data
        self._at = 0
        self._fds = fds

    def read_uint(self) -> int:
        return self._unpack("=I")

    def read_int(self) -> int:
        return self._unpack("=i")

    def read_fixed(self) -> float:
        return self._unpack("=i") / 256

    def read_string(self) -> str:
        return self.read_array().rstrip(b"\0").decode(errors="replace")

    def read_array(self) -> bytes:
        length = self.read_uint()
        data = self._data[self._at : self._at + length]
        self._at += length + -length % 4
        return data

    def skip(self, count: int) -> None:
        """Skip numbers and object ids."""
        self._at += 4 * count

    def take_fd(self) -> int:
        """Return a file descriptor that came with the event; the caller closes it."""
        return self._fds.pop(0)

    def _unpack(self, form: str) -> int:
        try:
            (value,) = struct.unpack_from(form, self._data, self._at)
        except struct.error as problem:
            raise EOFError("the compositor sent an incomplete event") from problem
        self._at += 4
        return value


class WaylandConnection:
    """A connection to a compositor. Not thread-safe: its owner must hold a lock.

    Raises `OSError` or `EOFError` when the compositor is gone, and `ProtocolError` when it refuses a request.
    """

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_ANSWER_S)
        self._handlers: dict[int, Handler] = {DISPLAY: self._on_display_event}
        self._buffer = b""
        self._fds: list[int] = []
        self._last_id = DISPLAY
        self._globals: dict[int, tuple[str, int]] = {}
        try:
            self._socket.connect(str(path))
            self._registry = self.create(self._on_registry_event)
            self.send(DISPLAY, _GET_REGISTRY, encode_int(self._registry))
            self.wait_until_done()
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        return self._socket.fileno()

    def create(self, handler: Handler | None = None) -> int:
        """Return the id for a new object, whose events go to the handler."""
        self._last_id += 1
        self._handlers[self._last_id] = handler or _ignore_event
        return self._last_id

    def handle(self, object_id: int, handler: Handler) -> None:
        """Set the handler of an object, for example one that the compositor created."""
        self._handlers[object_id] = handler

    def forget(self, object_id: int) -> None:
        self._handlers.pop(object_id, None)

    def send(self, object_id: int, opcode: int, *args: bytes, fds: Sequence[int] = ()) -> None:
        body = b"".join(args)
        data = _HEADER.pack(object_id, (_HEADER.size + len(body)) << 16 | opcode) + body
        if fds:
            rights = array.array("i", fds)
            sent = self._socket.sendmsg(
                [data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights.tobytes())]
            )
            data = data[sent:]
        self._socket.sendall(data)

    def find_global(self, interface: str) -> int | None:
        """Return the number of the first global with this interface, or None if there is none."""
        return next(iter(self.list_globals(interface)), None)

    def list_globals(self, interface: str) -> list[int]:
        """Return the numbers of all globals with this interface, such as those of the screens."""
        return [number for number, (name, _) in self._globals.items() if name == interface]

    def bind(self, interface: str, version: int, handler: Handler | None = None) -> int:
        """Bind the first global with this interface.

        Raises:
            KeyError: the compositor does not offer it.
        """
        number = self.find_global(interface)
        if number is None:
            raise KeyError(interface)
        return self.bind_global(number, version, handler)

    def bind_global(self, number: int, version: int, handler: Handler | None = None) -> int:
        """Bind a global in this version, or in the newest that the compositor has."""
        interface, offered = self._globals[number]
        object_id = self.create(handler)
        self.send(
            self._registry,
            _BIND,
            encode_int(number),
            encode_string(interface),
            encode_int(min(version, offered)),
            encode_int(object_id),
        )
        return object_id

    def dispatch(self, timeout_s: float | None = 0.0) -> bool:
        """Handle the events that have arrived, after waiting for the first one; return whether any came."""
        if not select.select([self._socket], [], [], timeout_s)[0]:
            return False
        data, fds, _, _ = socket.recv_fds(self._socket, 65536, _MAX_FDS)
        if not data:
            raise EOFError("the compositor closed the connection")
        self._fds += fds
        self._buffer += data
        self._handle_events()
        return True

    def wait_until_done(self) -> None:
        """Wait until the compositor has handled all requests and sent the events that they caused.

        Raises:
            TimeoutError: it does not answer.
        """
        done: list[int] = []
        callback = self.create(lambda _opcode, event: done.append(event.read_uint()))
        self.send(DISPLAY, _SYNC, encode_int(callback))
        while not done:
            if not self.dispatch(_ANSWER_S):
                raise TimeoutError("the compositor does not respond")
        self.forget(callback)

    def close(self) -> None:
        self._socket.close()
        while self._fds:
            os.close(self._fds.pop())

    def _handle_events(self) -> None:
        while len(self._buffer) >= _HEADER.size:
            object_id, word = _HEADER.unpack_from(self._buffer)
            size, opcode = word >> 16, word & 0xFFFF
            if size < _HEADER.size:
                raise EOFError("the compositor sent an event without a size")
            if len(self._buffer) < size:
                return
            event = EventReader(self._buffer[_HEADER.size : size], self._fds)
            self._buffer = self._buffer[size:]
            self._handlers.get(object_id, _ignore_event)(opcode, event)

    def _on_display_event(self, opcode: int, event: EventReader) -> None:
        if opcode == _ERROR:
            event.skip(2)
            raise ProtocolError(f"the compositor refused a request: {event.read_string()}")

    def _on_registry_event(self, opcode: int, event: EventReader) -> None:
        name = event.read_uint()
        if opcode == _GLOBAL:
            self._globals[name] = (event.read_string(), event.read_uint())
        elif opcode == _GLOBAL_REMOVE:
            self._globals.pop(name, None)


def _ignore_event(_opcode: int, _event: EventReader) -> None:
    pass
