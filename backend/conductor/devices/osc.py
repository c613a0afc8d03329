"""OSC input: one UDP socket whose messages become events."""

import math
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from pythonosc.osc_message import OscMessage, ParseError

from conductor.base import clock
from conductor.domain.devices import DeviceStatus
from conductor.domain.events import InputEvent
from conductor.errors import NotAvailable

MAX_ADDRESS_LENGTH = 256
MAX_DATAGRAMS_PER_READ = 256
MAX_NESTING = 8
RECEIVE_BUFFER_BYTES = 1 << 20
_BUNDLE = b"#bundle\x00"
_TYPES = b",ifhdsbrmtTFN[]"
_RARE_TYPES = bytes.maketrans(b"ScI", b"siN")
"""Symbols are laid out as texts, characters as integers, and a bang is nothing."""
_BUNDLE_HEADER_BYTES = len(_BUNDLE) + 8

_UNREADABLE = (ParseError, ValueError, IndexError, OverflowError, struct.error)


class OscInput:
    """Receives OSC for the engine, which waits on `fileno` and then calls `read`."""

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 9000,
        device_id: str = "osc",
        clock: Callable[[], float] = clock.now,
    ) -> None:
        """Bind the socket; port 0 takes any free one.

        Raises:
            NotAvailable: the port is taken or the host is not an address of this machine.
        """
        self.device_id = device_id
        self.ignored = 0
        """How many messages and datagrams could not be used."""
        self._clock = clock
        self._socket = _bind(host, port)
        self.host, self.port = self._socket.getsockname()[:2]

    def fileno(self) -> int:
        """Give the descriptor to wait on."""
        return self._socket.fileno()

    def read(self) -> list[InputEvent]:
        """Give what has arrived, oldest first, without blocking; unreadable data is counted.

        Raises:
            EOFError: the socket was closed.
        """
        events: list[InputEvent] = []
        for _ in range(MAX_DATAGRAMS_PER_READ):
            try:
                datagram = self._socket.recv(65_536)
            except BlockingIOError:
                break
            except ConnectionResetError:  # Windows reports an earlier ICMP "unreachable" here
                continue
            except OSError as error:
                raise EOFError("the OSC socket is closed") from error
            events.extend(self._events(datagram))
        return events

    def close(self) -> None:
        """Free the port. A later `read` raises EOFError."""
        self._socket.close()

    def status(self) -> list[DeviceStatus]:
        """Give the input as one line of the device list."""
        name = f"OSC {self.host}:{self.port}"
        return [DeviceStatus(device_id=self.device_id, port_name=name, kind="osc")]

    def _events(self, datagram: bytes) -> Iterator[InputEvent]:
        time = self._clock()
        try:
            messages = parse(datagram)
        except _UNREADABLE:
            self.ignored += 1
            return
        for address, args in messages:
            value = first_number(args)
            if len(address) > MAX_ADDRESS_LENGTH or not math.isfinite(value):
                self.ignored += 1
                continue
            data = tuple(plain(arg) for arg in args)
            yield InputEvent("osc", self.device_id, 0, address, value, time, data)


def parse(datagram: bytes) -> list[tuple[str, tuple[Any, ...]]]:
    """Give the messages of a datagram as (address, arguments); time tags are not waited for.

    Raises:
        ValueError, ParseError: it is not OSC.
    """
    return list(_messages(datagram, MAX_NESTING))


def first_number(args: tuple[Any, ...]) -> float:
    """Give the first number among the arguments, true and false as 1 and 0; 1.0 without any."""
    return next((float(arg) for arg in args if isinstance(arg, bool | int | float)), 1.0)


def plain(arg: Any) -> Any:
    """Give an argument as something JSON has: blobs as hex, time tags and their like as text."""
    match arg:
        case None | bool() | int() | str():
            return arg
        case float() if math.isfinite(arg):
            return arg
        case bytes():
            return arg.hex(" ").upper()
        case list():
            return [plain(item) for item in cast("list[Any]", arg)]
        case _:
            return str(arg)


def _messages(datagram: bytes, levels: int) -> Iterator[tuple[str, tuple[Any, ...]]]:
    if datagram.startswith(b"/"):
        message = OscMessage(_known_types(datagram))
        args = tuple(message)
        _check_nesting(args, MAX_NESTING)
        yield message.address, args
    elif datagram.startswith(_BUNDLE) and levels > 0:
        for element in _elements(datagram):
            yield from _messages(element, levels - 1)
    else:
        raise ValueError("neither an OSC message nor a bundle, or bundles nested too deep")


def _known_types(message: bytes) -> bytes:
    """Give a message whose types python-osc knows: for any other it logs a warning, a flood of them."""
    start = message.find(b",", message.find(b"\0"))
    tags = message[max(start, 0) :].partition(b"\0")[0].translate(_RARE_TYPES)
    if start < 0 or not tags.startswith(b","):
        return message
    if tags.strip(_TYPES):
        raise ValueError("arguments of unknown types")
    return message[:start] + tags + message[start + len(tags) :]


def _elements(bundle: bytes) -> Iterator[bytes]:
    """Give what a bundle holds. python-osc's own walk never ends on a negative size."""
    index = _BUNDLE_HEADER_BYTES
    if len(bundle) < index:
        raise ValueError("a bundle without a time tag")
    while index < len(bundle):
        (size,) = struct.unpack_from(">i", bundle, index)
        index += 4
        if not 0 < size <= len(bundle) - index:
            raise ValueError("a bundle's element does not fit into it")
        yield bundle[index : index + size]
        index += size


def _check_nesting(args: Sequence[Any], levels: int) -> None:
    if levels == 0:
        raise ValueError("arrays nested too deep")
    for arg in args:
        if isinstance(arg, list):
            _check_nesting(cast("list[Any]", arg), levels - 1)


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_DGRAM, flags=socket.AI_PASSIVE
        )[0]
        receiver = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _not_available(host, port, error) from error
    try:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        receiver.settimeout(0)
        receiver.bind(address)
    except OSError as error:
        receiver.close()
        raise _not_available(host, port, error) from error
    return receiver


def _not_available(host: str, port: int, error: OSError) -> NotAvailable:
    reason = error.strerror or str(error)
    return NotAvailable(
        f"OSC cannot listen on {host} port {port} ({reason}). "
        "Close what uses the port, or change osc_port and osc_host in [settings.engine]."
    )
