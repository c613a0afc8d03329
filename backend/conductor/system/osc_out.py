"""Sends OSC messages as UDP datagrams, and resolves host names in separate threads."""

import logging
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address

from pythonosc.osc_message_builder import BuildError, OscMessageBuilder

from conductor.base.clock import now
from conductor.base.realtime import leave_real_time
from conductor.errors import ActionFailed

_ADDRESS_LIFETIME_S = 60.0
_MAX_QUEUED_DATAGRAMS = 64
"""The maximum number of datagrams that wait while the name of their host is resolved for the first time."""

HostResolver = Callable[[str], str]
"""A function that returns the IP address of a host, and raises `OSError` or `UnicodeError` if there is none."""
_log = logging.getLogger(__name__)


def resolve_host(host: str) -> str:
    """Return the IP address of a host from the system's resolver, which may take many seconds."""
    return str(socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)[0][4][0])


@dataclass
class _HostLookup:
    """The IP address of a host name, and the datagrams that wait until the address is known."""

    address: str | None = None
    resolved_at: float = float("-inf")
    is_resolving: bool = False
    queued: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])


class UdpOscOut:
    """An OSC sender with one socket per address family. `send` never waits for a host to be resolved.

    Messages to a host that is resolved for the first time are queued until its address is known. The address
    of a host is resolved again after a minute; until then its known address is used.
    """

    def __init__(self, resolve_host: HostResolver = resolve_host) -> None:
        self._resolve_host = resolve_host
        self._lock = threading.Lock()
        self._sockets: dict[socket.AddressFamily, socket.socket] = {}
        self._lookups: dict[str, _HostLookup] = {}

    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None:
        """Send an OSC message as a UDP datagram. UDP does not report whether the message arrives.

        Raises:
            ActionFailed: The host, the port, the address or an argument is invalid.
        """
        if not 1 <= port <= 65_535:
            raise ActionFailed(f"OSC port {port} is outside 1-65535")
        datagram = _encode_message(address, args)
        numeric = _parse_numeric_host(host)
        with self._lock:
            target = numeric or self._get_known_address(host, port, datagram)
            if target is not None:
                self._send_datagram(target, host, port, datagram)

    def close(self) -> None:
        with self._lock:
            self._lookups.clear()
            for opened in self._sockets.values():
                opened.close()
            self._sockets.clear()

    def _get_known_address(self, host: str, port: int, datagram: bytes) -> str | None:
        """Return the known address of a host, or queue the datagram and return None if it is not known yet."""
        lookup = self._lookups.setdefault(host, _HostLookup())
        has_failed = lookup.address is None and lookup.resolved_at > float("-inf")
        if has_failed or now() - lookup.resolved_at > _ADDRESS_LIFETIME_S:
            self._start_lookup(host, lookup)
        if has_failed:
            raise ActionFailed(f"no host `{host}`: check the spelling, or use its IP address")
        if lookup.address is None:
            if len(lookup.queued) >= _MAX_QUEUED_DATAGRAMS:
                raise ActionFailed(f"the host `{host}` is still being looked up: try again")
            lookup.queued.append((port, datagram))
        return lookup.address

    def _start_lookup(self, host: str, lookup: _HostLookup) -> None:
        if not lookup.is_resolving:
            lookup.is_resolving = True
            threading.Thread(
                target=self._run_lookup, args=(host, lookup), name="osc lookup", daemon=True
            ).start()

    def _run_lookup(self, host: str, lookup: _HostLookup) -> None:
        leave_real_time()
        try:
            address = self._resolve_host(host)
        except (OSError, UnicodeError) as problem:
            _log.warning("OSC: no host `%s` (%s): check the spelling, or use its IP", host, problem)
            address = lookup.address
        with self._lock:
            queued, lookup.queued = lookup.queued, []
            lookup.address, lookup.resolved_at, lookup.is_resolving = address, now(), False
            # the sender was closed in the meantime
            if address is None or self._lookups.get(host) is not lookup:
                return
            for port, datagram in queued:
                try:
                    self._send_datagram(address, host, port, datagram)
                except ActionFailed as problem:
                    _log.warning("%s", problem)

    def _send_datagram(self, target: str, host: str, port: int, datagram: bytes) -> None:
        family = socket.AF_INET6 if ":" in target else socket.AF_INET
        try:
            self._get_socket(family).sendto(datagram, (target, port))
        except OSError as problem:
            raise ActionFailed(
                f"OSC cannot reach {host}:{port} ({problem.strerror or problem}): "
                "check the host and the network"
            ) from problem

    def _get_socket(self, family: socket.AddressFamily) -> socket.socket:
        opened = self._sockets.get(family)
        if opened is None:
            opened = socket.socket(family, socket.SOCK_DGRAM)
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            opened.setblocking(False)
            self._sockets[family] = opened
        return opened


def _parse_numeric_host(host: str) -> str | None:
    """Return the IP address of a host that is an IP address or `localhost`, or None for other hosts."""
    if host.casefold() == "localhost":
        return "127.0.0.1"
    try:
        return str(ip_address(host))
    except ValueError:
        return None


def _encode_message(address: str, args: Sequence[object]) -> bytes:
    if not address.startswith("/"):
        raise ActionFailed(f"the OSC address `{address}` does not start with `/`")
    builder = OscMessageBuilder(address)
    try:
        for arg in args:
            builder.add_arg(arg)  # type: ignore[arg-type]
        return builder.build().dgram
    except (BuildError, ValueError, OverflowError) as problem:
        raise ActionFailed(f"OSC cannot carry these arguments: {problem}") from problem
