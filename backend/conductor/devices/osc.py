"""Receives OSC over a UDP socket and turns its messages into events."""

import math
import socket
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any, cast

from pythonosc.osc_message import OscMessage, ParseError

from conductor.base import clock
from conductor.domain.devices import DeviceStatus
from conductor.domain.events import InputEvent
from conductor.errors import NotAvailable

MAX_ADDRESS_LENGTH = 256
MAX_DATAGRAMS_PER_READ = 32
EVENTS_PER_READ = 16
"""The engine handles these before it reads other inputs, so a flood of OSC must not delay a press elsewhere."""
READ_S = 0.0005
"""After this time a read takes no further datagram."""
ALWAYS_EXAMINED = 8
BUNDLED_AT_ONCE, BUNDLED_PER_S = 256, 2_000
"""Limits on bundle messages beyond the first eight of each bundle; further ones are dropped. A bundle of 64 kB
holds 5,400 messages, and a hundred such bundles a second kept the engine from everything else."""
UNMAPPED_PER_S = 100
"""Messages a second without a mapping that still become events, for the monitor and MIDI Learn."""
MAX_NESTING = 8
RECEIVE_BUFFER_BYTES = 1 << 20
_BUNDLE = b"#bundle\x00"
_TYPES = b",ifhdsbrmtTFN[]"
_RARE_TYPES = bytes.maketrans(b"ScI", b"siN")
"""Symbols have the layout of strings, characters that of integers, and a bang that of nil."""
_BUNDLE_HEADER_BYTES = len(_BUNDLE) + 8

_UNREADABLE = (ParseError, ValueError, IndexError, OverflowError, struct.error)


class _RateLimit:
    """A token bucket that limits the burst and the rate of messages per second."""

    def __init__(self, at_once: float, per_s: float) -> None:
        self._at_once, self._per_s = at_once, per_s
        self._left, self._refilled_at = at_once, float("-inf")

    def take(self, time: float) -> bool:
        """Use one token; return False when none is left."""
        if time > self._refilled_at:
            self._left = min(self._at_once, self._left + (time - self._refilled_at) * self._per_s)
            self._refilled_at = time
        if self._left < 1:
            return False
        self._left -= 1
        return True


class OscInput:
    """An OSC input. The engine waits on `fileno` and then calls `read`."""

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 9000,
        device_id: str = "osc",
        clock: Callable[[], float] = clock.now,
    ) -> None:
        """Bind the socket; port 0 selects any free port.

        Raises:
            NotAvailable: the port is taken or the host is not an address of this machine.
        """
        self.device_id = device_id
        self.ignored = 0
        """The number of messages and datagrams that could not be parsed."""
        self._clock = clock
        self._mapped: frozenset[bytes] | None = None
        self._unmapped = _RateLimit(UNMAPPED_PER_S, UNMAPPED_PER_S)
        self._bundled = _RateLimit(BUNDLED_AT_ONCE, BUNDLED_PER_S)
        self._dropped, self._dropped_address = 0, b""
        self._socket = _bind_socket(host, port)
        self.host, self.port = self._socket.getsockname()[:2]

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._socket.fileno()

    def listen_for(self, addresses: Iterable[str]) -> None:
        """Set the addresses used by mappings. Messages to other addresses become events at a low rate only."""
        self._mapped = frozenset(address.encode() for address in addresses)

    def collect_dropped_messages(self) -> tuple[int, str]:
        """Return how many messages were dropped since the last call, and the address of one of them."""
        dropped = (
            self._dropped,
            self._dropped_address[:MAX_ADDRESS_LENGTH].decode(errors="replace"),
        )
        self._dropped, self._dropped_address = 0, b""
        return dropped

    def read(self) -> list[InputEvent]:
        """Return the events that have arrived, oldest first, without blocking; unreadable data is counted.

        Of a flood only a part is read; the rest stays in the socket for the next call.

        Raises:
            EOFError: the socket was closed.
        """
        events: list[InputEvent] = []
        until = perf_counter() + READ_S
        for _ in range(MAX_DATAGRAMS_PER_READ):
            try:
                datagram = self._socket.recv(65_536)
            except BlockingIOError:
                break
            except ConnectionResetError:  # Windows reports an earlier ICMP "unreachable" here
                continue
            except OSError as error:
                raise EOFError("the OSC socket is closed") from error
            events += self._read_events(datagram)
            if len(events) >= EVENTS_PER_READ or perf_counter() > until:
                break
        return events

    def close(self) -> None:
        """Close the socket. A later `read` raises EOFError."""
        self._socket.close()

    def status(self) -> list[DeviceStatus]:
        """Return the input as an entry of the device list."""
        name = f"OSC {self.host}:{self.port}"
        return [DeviceStatus(device_id=self.device_id, port_name=name, kind="osc")]

    def _read_events(self, datagram: bytes) -> list[InputEvent]:
        """Return the events of a datagram; none if any part of it is unreadable."""
        time = self._clock()
        events: list[InputEvent] = []
        try:
            for element in self._admit_messages(datagram, time):
                if self._is_wanted(_read_address(element), time):
                    event = self._build_event(element, time)
                    if event is not None:
                        events.append(event)
        except _UNREADABLE:
            self.ignored += 1
            return []
        return events

    def _admit_messages(self, datagram: bytes, time: float) -> list[bytes]:
        """Return the messages within the budget; the rest is dropped, its count estimated from its size."""
        elements: list[bytes] = []
        taken = _BUNDLE_HEADER_BYTES
        for element in _iterate_messages(datagram, MAX_NESTING):
            if len(elements) >= ALWAYS_EXAMINED and not self._bundled.take(time):
                self._count_dropped(
                    (len(datagram) - taken) // (len(element) + 4), _read_address(element)
                )
                break
            elements.append(element)
            taken += len(element) + 4
        return elements

    def _is_wanted(self, address: bytes, time: float) -> bool:
        """Return whether a message becomes an event. Checked before parsing, which takes 20 times as long."""
        if self._mapped is None or address in self._mapped or self._unmapped.take(time):
            return True
        self._count_dropped(1, address)
        return False

    def _count_dropped(self, count: int, address: bytes) -> None:
        self._dropped += count
        self._dropped_address = address

    def _build_event(self, element: bytes, time: float) -> InputEvent | None:
        address, args = _parse_element(element)
        value = find_first_number(args)
        if len(address) > MAX_ADDRESS_LENGTH or not math.isfinite(value):
            self.ignored += 1
            return None
        data = tuple(to_json_value(arg) for arg in args)
        return InputEvent("osc", self.device_id, 0, address, value, time, data)


def _read_address(element: bytes) -> bytes:
    return element[: element.find(b"\0")]


def find_first_number(args: tuple[Any, ...]) -> float:
    """Return the first number among the arguments, true and false as 1 and 0; 1.0 without any."""
    return next((float(arg) for arg in args if isinstance(arg, bool | int | float)), 1.0)


def to_json_value(arg: Any) -> Any:
    """Return an argument as a JSON value: blobs as hex, time tags and other types as text."""
    match arg:
        case None | bool() | int() | str():
            return arg
        case float() if math.isfinite(arg):
            return arg
        case bytes():
            return arg.hex(" ").upper()
        case list():
            return [to_json_value(item) for item in cast("list[Any]", arg)]
        case _:
            return str(arg)


def _parse_element(element: bytes) -> tuple[str, tuple[Any, ...]]:
    message = OscMessage(_keep_known_types(element))
    args = tuple(message)
    _check_nesting(args, MAX_NESTING)
    return message.address, args


def _iterate_messages(datagram: bytes, levels: int) -> Iterator[bytes]:
    """Yield the unparsed messages of a datagram; the time tags of bundles are ignored."""
    if datagram.startswith(b"/"):
        yield datagram
    elif datagram.startswith(_BUNDLE) and levels > 0:
        for element in _split_bundle(datagram):
            yield from _iterate_messages(element, levels - 1)
    else:
        raise ValueError("neither an OSC message nor a bundle, or bundles nested too deep")


def _keep_known_types(message: bytes) -> bytes:
    """Return the message with type tags that python-osc knows; it logs a warning for each unknown one."""
    start = message.find(b",", message.find(b"\0"))
    tags = message[max(start, 0) :].partition(b"\0")[0].translate(_RARE_TYPES)
    if start < 0 or not tags.startswith(b","):
        return message
    if tags.strip(_TYPES):
        raise ValueError("arguments of unknown types")
    return message[:start] + tags + message[start + len(tags) :]


def _split_bundle(bundle: bytes) -> Iterator[bytes]:
    """Yield the elements of a bundle. python-osc's own parser loops forever on a negative size."""
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


def _bind_socket(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_DGRAM, flags=socket.AI_PASSIVE
        )[0]
        receiver = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _build_bind_error(host, port, error) from error
    try:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        receiver.settimeout(0)
        receiver.bind(address)
    except OSError as error:
        receiver.close()
        raise _build_bind_error(host, port, error) from error
    return receiver


def _build_bind_error(host: str, port: int, error: OSError) -> NotAvailable:
    reason = error.strerror or str(error)
    return NotAvailable(
        f"OSC cannot listen on {host} port {port} ({reason}). "
        "Close the program that uses the port, or change osc_port and osc_host in [settings.engine]."
    )
