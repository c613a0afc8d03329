"""A minimal Wayland client with the parts of the wire protocol that virtual input and window lists need.

A message consists of the id of an object, the size of the message, an opcode, and the arguments in the byte
order of the machine (https://wayland.freedesktop.org/docs/html/ch04.html#sect-Protocol-Wire-Format). The
client chooses the ids of the objects that it creates. Ids are never reused here, so `delete_id` events can be
ignored.
"""

import array
import os
import select
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from conductor.errors import ActionFailed

EventHandler = Callable[[int, "EventReader"], None]
"""Handles the events of a Wayland object; called with the opcode and the arguments of each event."""

DISPLAY_ID = 1
_SYNC, _GET_REGISTRY = 0, 1
_ERROR = 0
_GLOBAL, _GLOBAL_REMOVE = 0, 1
_BIND = 0
_MESSAGE_HEADER = struct.Struct("=II")
_ANSWER_TIMEOUT_S = 2.0
_MAX_FDS_PER_MESSAGE = 8

CONNECTION_ERRORS = (OSError, EOFError)
"""The errors that are raised when the compositor has closed the connection or does not answer."""


class WaylandProtocolError(ActionFailed):
    """Raised when the compositor refuses a request. The compositor then closes the connection."""


def find_compositor_socket() -> Path | None:
    """Return the path of the compositor's socket, or None if this is not a Wayland session."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    name = os.environ.get("WAYLAND_DISPLAY", "")
    if not name and os.environ.get("XDG_SESSION_TYPE") == "wayland":
        name = "wayland-0"  # the default of libwayland
    if not name or (not folder and not name.startswith("/")):
        return None
    return Path(folder) / name


def is_wayland_session() -> bool:
    """Return whether this is a Wayland session."""
    return (
        bool(os.environ.get("WAYLAND_DISPLAY")) or os.environ.get("XDG_SESSION_TYPE") == "wayland"
    )


def connect_to_compositor(*interfaces: str) -> "WaylandConnection":
    """Connect to the compositor of the session.

    Raises:
        ActionFailed: There is no compositor, or it does not offer one of the interfaces.
    """
    path = find_compositor_socket()
    if path is None:
        raise ActionFailed("this is not a Wayland session (WAYLAND_DISPLAY is not set)")
    try:
        connection = WaylandConnection(path)
    except CONNECTION_ERRORS as problem:
        raise ActionFailed(
            f"the Wayland compositor at {path} cannot be reached ({problem})"
        ) from problem
    for interface in interfaces:
        if connection.find_global(interface) is None:
            connection.close()
            raise ActionFailed(f"this compositor does not offer {interface}")
    return connection


def encode_int(value: int) -> bytes:
    return struct.pack("=i", value) if value < 0 else struct.pack("=I", value)


def encode_fixed(value: float) -> bytes:
    """Encode a number in Wayland's fixed-point format with 8 fractional bits."""
    return struct.pack("=i", round(value * 256))


def encode_string(text: str) -> bytes:
    data = text.encode() + b"\0"
    return struct.pack("=I", len(data)) + data + bytes(-len(data) % 4)


class EventReader:
    """Reads the arguments of a Wayland event in the order in which the compositor has written them."""

    def __init__(self, data: bytes, fds: list[int]) -> None:
        self._data = data
        self._position = 0
        self._fds = fds

    def read_uint(self) -> int:
        return self._read_number("=I")

    def read_int(self) -> int:
        return self._read_number("=i")

    def read_fixed(self) -> float:
        return self._read_number("=i") / 256

    def read_string(self) -> str:
        return self.read_array().rstrip(b"\0").decode(errors="replace")

    def read_array(self) -> bytes:
        length = self.read_uint()
        data = self._data[self._position : self._position + length]
        self._position += length + -length % 4
        return data

    def skip_arguments(self, count: int) -> None:
        """Skip this many arguments of 4 bytes, such as numbers and object ids."""
        self._position += 4 * count

    def take_fd(self) -> int:
        """Return the next file descriptor that was sent with the event. The caller must close it."""
        return self._fds.pop(0)

    def _read_number(self, form: str) -> int:
        try:
            (value,) = struct.unpack_from(form, self._data, self._position)
        except struct.error as problem:
            raise EOFError("the compositor sent an incomplete event") from problem
        self._position += 4
        return value


def _make_socket() -> socket.socket:
    assert sys.platform != "win32"
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


class WaylandConnection:
    """A connection to a Wayland compositor. Not thread-safe: its owner must hold a lock.

    Methods raise `OSError` or `EOFError` if the compositor has closed the connection, and
    `WaylandProtocolError` if it refuses a request.
    """

    def __init__(self, path: Path) -> None:
        self._socket = _make_socket()
        self._socket.settimeout(_ANSWER_TIMEOUT_S)
        self._handlers: dict[int, EventHandler] = {DISPLAY_ID: self._on_display_event}
        self._buffer = b""
        self._fds: list[int] = []
        self._last_id = DISPLAY_ID
        self._globals: dict[int, tuple[str, int]] = {}
        try:
            self._socket.connect(str(path))
            self._registry = self.create_object(self._on_registry_event)
            self.send_request(DISPLAY_ID, _GET_REGISTRY, encode_int(self._registry))
            self.wait_until_done()
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        return self._socket.fileno()

    def create_object(self, handler: EventHandler | None = None) -> int:
        """Return the id for a new object of the client, and set the handler for the events of this object."""
        self._last_id += 1
        self._handlers[self._last_id] = handler or _ignore_event
        return self._last_id

    def set_handler(self, object_id: int, handler: EventHandler) -> None:
        """Set the handler for the events of an object that the compositor has created."""
        self._handlers[object_id] = handler

    def remove_handler(self, object_id: int) -> None:
        self._handlers.pop(object_id, None)

    def send_request(
        self, object_id: int, opcode: int, *args: bytes, fds: Sequence[int] = ()
    ) -> None:
        assert sys.platform != "win32"
        body = b"".join(args)
        data = (
            _MESSAGE_HEADER.pack(object_id, (_MESSAGE_HEADER.size + len(body)) << 16 | opcode)
            + body
        )
        if fds:
            rights = array.array("i", fds)
            sent = self._socket.sendmsg(
                [data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights.tobytes())]
            )
            data = data[sent:]
        self._socket.sendall(data)

    def find_global(self, interface: str) -> int | None:
        """Return the number of the first global object with this interface, or None if there is none."""
        return next(iter(self.list_globals(interface)), None)

    def list_globals(self, interface: str) -> list[int]:
        """Return the numbers of all global objects with this interface, for example of all screens."""
        return [number for number, (name, _) in self._globals.items() if name == interface]

    def bind_first_global(
        self, interface: str, version: int, handler: EventHandler | None = None
    ) -> int:
        """Bind the first global object with this interface, and return the id of the client's new object.

        Raises:
            KeyError: The compositor does not offer the interface.
        """
        number = self.find_global(interface)
        if number is None:
            raise KeyError(interface)
        return self.bind_global(number, version, handler)

    def bind_global(self, number: int, version: int, handler: EventHandler | None = None) -> int:
        """Bind a global object in this version, or in the compositor's if that is older;
        return the new object's id.
        """
        interface, offered = self._globals[number]
        object_id = self.create_object(handler)
        self.send_request(
            self._registry,
            _BIND,
            encode_int(number),
            encode_string(interface),
            encode_int(min(version, offered)),
            encode_int(object_id),
        )
        return object_id

    def dispatch_events(self, timeout_s: float | None = 0.0) -> bool:
        """Wait for events until the timeout, and handle all events that have arrived. Return False if none
        has.
        """
        assert sys.platform != "win32"
        if not select.select([self._socket], [], [], timeout_s)[0]:
            return False
        data, fds, _, _ = socket.recv_fds(self._socket, 65536, _MAX_FDS_PER_MESSAGE)
        if not data:
            raise EOFError("the compositor closed the connection")
        self._fds += fds
        self._buffer += data
        self._handle_events()
        return True

    def wait_until_done(self) -> None:
        """Wait until the compositor has handled all requests and sent the resulting events.

        Raises:
            TimeoutError: The compositor does not answer within 2 seconds.
        """
        done: list[int] = []
        callback = self.create_object(lambda _opcode, event: done.append(event.read_uint()))
        self.send_request(DISPLAY_ID, _SYNC, encode_int(callback))
        while not done:
            if not self.dispatch_events(_ANSWER_TIMEOUT_S):
                raise TimeoutError("the compositor does not respond")
        self.remove_handler(callback)

    def close(self) -> None:
        self._socket.close()
        while self._fds:
            os.close(self._fds.pop())

    def _handle_events(self) -> None:
        while len(self._buffer) >= _MESSAGE_HEADER.size:
            object_id, word = _MESSAGE_HEADER.unpack_from(self._buffer)
            size, opcode = word >> 16, word & 0xFFFF
            if size < _MESSAGE_HEADER.size:
                raise EOFError("the compositor sent an event without a size")
            if len(self._buffer) < size:
                return
            event = EventReader(self._buffer[_MESSAGE_HEADER.size : size], self._fds)
            self._buffer = self._buffer[size:]
            self._handlers.get(object_id, _ignore_event)(opcode, event)

    def _on_display_event(self, opcode: int, event: EventReader) -> None:
        if opcode == _ERROR:
            event.skip_arguments(2)
            raise WaylandProtocolError(f"the compositor refused a request: {event.read_string()}")

    def _on_registry_event(self, opcode: int, event: EventReader) -> None:
        name = event.read_uint()
        if opcode == _GLOBAL:
            self._globals[name] = (event.read_string(), event.read_uint())
        elif opcode == _GLOBAL_REMOVE:
            self._globals.pop(name, None)


def _ignore_event(_opcode: int, _event: EventReader) -> None:
    pass
