"""Receives Open Sound Control (OSC) messages over a UDP socket and turns them into input events."""

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
MAX_EVENTS_PER_READ = 16
"""The number of events after which a read stops. The engine handles these events before it reads other inputs,
so a larger number would let a flood of OSC delay other devices."""
READ_TIMEOUT_S = 0.0005
"""Seconds after which `read_events` stops receiving further datagrams."""
MIN_BUNDLED_MESSAGES = 8
MAX_BUNDLED_MESSAGE_BURST, MAX_BUNDLED_MESSAGES_PER_S = 256, 2_000
"""The burst and the rate that messages in bundles may have, not counting the first eight of each bundle.
Messages beyond the limits are dropped, because a flood of 100 bundles of 64 kB per second blocked the
engine."""
MAX_UNMAPPED_MESSAGES_PER_S = 100
"""The number of unmapped messages per second that become events, for the monitor and MIDI Learn."""
MAX_BUNDLE_NESTING = 8
RECEIVE_BUFFER_BYTES = 1 << 20
_BUNDLE_TAG = b"#bundle\x00"
_KNOWN_TYPE_TAGS = b",ifhdsbrmtTFN[]"
_TYPE_TAG_REPLACEMENTS = bytes.maketrans(b"ScI", b"siN")
"""Replaces rare type tags by common tags with the same layout: symbol by string, character by integer, and
impulse by nil."""
_BUNDLE_HEADER_BYTES = len(_BUNDLE_TAG) + 8

_PARSE_ERRORS = (ParseError, ValueError, IndexError, OverflowError, struct.error)


class _RateLimit:
    """A token bucket that limits how many messages are accepted at once and per second."""

    def __init__(self, burst: float, per_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._tokens, self._refilled_at = burst, float("-inf")

    def take_token(self, time: float) -> bool:
        """Use up one token and return True, or return False if none is left at this time."""
        if time > self._refilled_at:
            self._tokens = min(self._burst, self._tokens + (time - self._refilled_at) * self._per_s)
            self._refilled_at = time
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class OscInput:
    """Receives OSC messages on a UDP socket. The engine calls `read_events` whenever `fileno` is readable."""

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
        """The number of messages and datagrams that were ignored because they could not be parsed."""
        self._clock = clock
        self._mapped: frozenset[bytes] | None = None
        self._unmapped = _RateLimit(MAX_UNMAPPED_MESSAGES_PER_S, MAX_UNMAPPED_MESSAGES_PER_S)
        self._bundled = _RateLimit(MAX_BUNDLED_MESSAGE_BURST, MAX_BUNDLED_MESSAGES_PER_S)
        self._dropped, self._dropped_address = 0, b""
        self._socket = _bind_socket(host, port)
        self.host, self.port = self._socket.getsockname()[:2]

    def fileno(self) -> int:
        """Return the file descriptor of the socket, on which the engine thread waits for messages."""
        return self._socket.fileno()

    def set_mapped_addresses(self, addresses: Iterable[str]) -> None:
        """Set the OSC addresses that mappings use.

        Messages to other addresses become events only at a low rate.
        """
        self._mapped = frozenset(address.encode() for address in addresses)

    def collect_dropped_messages(self) -> tuple[int, str]:
        """Return the number of messages dropped since the last call, and the address of one such message."""
        dropped = (
            self._dropped,
            self._dropped_address[:MAX_ADDRESS_LENGTH].decode(errors="replace"),
        )
        self._dropped, self._dropped_address = 0, b""
        return dropped

    def read_events(self) -> list[InputEvent]:
        """Return the events received since the last call, oldest first, without blocking.

        Data that cannot be parsed is counted in `ignored`. During a flood, only some datagrams are read; the
        others stay in the socket for the next call.

        Raises:
            EOFError: the socket was closed.
        """
        events: list[InputEvent] = []
        until = perf_counter() + READ_TIMEOUT_S
        for _ in range(MAX_DATAGRAMS_PER_READ):
            try:
                datagram = self._socket.recv(65_536)
            except BlockingIOError:
                break
            except ConnectionResetError:  # Windows reports an earlier ICMP "unreachable" here
                continue
            except OSError as error:
                raise EOFError("the OSC socket is closed") from error
            events += self._parse_datagram(datagram)
            if len(events) >= MAX_EVENTS_PER_READ or perf_counter() > until:
                break
        return events

    def close(self) -> None:
        """Close the socket. A later `read_events` raises EOFError."""
        self._socket.close()

    def status(self) -> list[DeviceStatus]:
        """Return the OSC input as an entry of the list of devices."""
        name = f"OSC {self.host}:{self.port}"
        return [DeviceStatus(device_id=self.device_id, port_name=name, kind="osc")]

    def _parse_datagram(self, datagram: bytes) -> list[InputEvent]:
        """Parse a datagram into events, or return an empty list if any part of the datagram is invalid."""
        time = self._clock()
        events: list[InputEvent] = []
        try:
            for element in self._limit_messages(datagram, time):
                if self._becomes_event(_parse_address(element), time):
                    event = self._build_event(element, time)
                    if event is not None:
                        events.append(event)
        except _PARSE_ERRORS:
            self.ignored += 1
            return []
        return events

    def _limit_messages(self, datagram: bytes, time: float) -> list[bytes]:
        """Return the messages of a datagram that are within the rate limit; count the others as dropped."""
        elements: list[bytes] = []
        taken = _BUNDLE_HEADER_BYTES
        for element in _split_datagram(datagram, MAX_BUNDLE_NESTING):
            if len(elements) >= MIN_BUNDLED_MESSAGES and not self._bundled.take_token(time):
                self._count_dropped(
                    (len(datagram) - taken) // (len(element) + 4), _parse_address(element)
                )
                break
            elements.append(element)
            taken += len(element) + 4
        return elements

    def _becomes_event(self, address: bytes, time: float) -> bool:
        """Return whether a message to this OSC address becomes an event, or is dropped by the rate limit.

        The check runs before the message is parsed, because parsing takes 20 times as long.
        """
        if self._mapped is None or address in self._mapped or self._unmapped.take_token(time):
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


def _parse_address(element: bytes) -> bytes:
    return element[: element.find(b"\0")]


def find_first_number(args: tuple[Any, ...]) -> float:
    """Return the first numeric or boolean argument as a float, or 1.0 if there is none."""
    return next((float(arg) for arg in args if isinstance(arg, bool | int | float)), 1.0)


def to_json_value(arg: Any) -> Any:
    """Convert an OSC argument to a JSON value: blobs become hex, time tags and other types become text."""
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
    message = OscMessage(_replace_rare_types(element))
    args = tuple(message)
    _check_argument_nesting(args, MAX_BUNDLE_NESTING)
    return message.address, args


def _split_datagram(datagram: bytes, levels: int) -> Iterator[bytes]:
    """Yield the unparsed messages of a datagram. The time tags of bundles are ignored."""
    if datagram.startswith(b"/"):
        yield datagram
    elif datagram.startswith(_BUNDLE_TAG) and levels > 0:
        for element in _split_bundle(datagram):
            yield from _split_datagram(element, levels - 1)
    else:
        raise ValueError("neither an OSC message nor a bundle, or bundles nested too deep")


def _replace_rare_types(message: bytes) -> bytes:
    """Replace type tags that python-osc does not know, because it logs a warning for each unknown tag."""
    start = message.find(b",", message.find(b"\0"))
    tags = message[max(start, 0) :].partition(b"\0")[0].translate(_TYPE_TAG_REPLACEMENTS)
    if start < 0 or not tags.startswith(b","):
        return message
    if tags.strip(_KNOWN_TYPE_TAGS):
        raise ValueError("arguments of unknown types")
    return message[:start] + tags + message[start + len(tags) :]


def _split_bundle(bundle: bytes) -> Iterator[bytes]:
    """Yield the elements of a bundle.

    A negative size, on which the parser of python-osc loops forever, is an error.
    """
    index = _BUNDLE_HEADER_BYTES
    if len(bundle) < index:
        raise ValueError("a bundle without a time tag")
    while index < len(bundle):
        (size,) = struct.unpack_from(">i", bundle, index)
        index += 4
        if not 0 < size <= len(bundle) - index:
            raise ValueError("an element is larger than its bundle")
        yield bundle[index : index + size]
        index += size


def _check_argument_nesting(args: Sequence[Any], levels: int) -> None:
    if levels == 0:
        raise ValueError("arrays nested too deep")
    for arg in args:
        if isinstance(arg, list):
            _check_argument_nesting(cast("list[Any]", arg), levels - 1)


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
