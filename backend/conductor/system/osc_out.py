"""Sends OSC messages as UDP datagrams; host names are resolved on separate threads."""

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

_RESOLVED_FOR_S = 60.0
_WAITING = 64
"""The most datagrams that are queued while a host is resolved for the first time."""

LookUp = Callable[[str], str]
"""Returns a host's IP address; raises `OSError` or `UnicodeError` when there is none."""
_log = logging.getLogger(__name__)


def look_up(host: str) -> str:
    """Resolve a host with the system's resolver, which may take many seconds."""
    return str(socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)[0][4][0])


@dataclass
class _HostLookup:
    """The state of a host name: its address, if known, and the datagrams waiting for it."""

    address: str | None = None
    looked_up_at: float = float("-inf")
    looking: bool = False
    waiting: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])


class UdpOscOut:
    """An OSC sender with one socket per address family; `send` never waits for a lookup.

    Messages to a host that is being resolved for the first time are sent when it is found.
    A known host is resolved again after a minute; its old address is used until then.
    """

    def __init__(self, look_up: LookUp = look_up) -> None:
        self._look_up = look_up
        self._lock = threading.Lock()
        self._sockets: dict[socket.AddressFamily, socket.socket] = {}
        self._names: dict[str, _HostLookup] = {}

    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None:
        """Send one message, without knowing whether it arrives.

        Raises:
            ActionFailed: the host, the port, the address or an argument is invalid.
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
            self._names.clear()
            for opened in self._sockets.values():
                opened.close()
            self._sockets.clear()

    def _get_known_address(self, host: str, port: int, datagram: bytes) -> str | None:
        """Return the address of a host. If it is not known yet, queue the datagram and return None."""
        name = self._names.setdefault(host, _HostLookup())
        found_nothing = name.address is None and name.looked_up_at > float("-inf")
        if found_nothing or now() - name.looked_up_at > _RESOLVED_FOR_S:
            self._start_lookup(host, name)
        if found_nothing:
            raise ActionFailed(f"no host `{host}`: check the spelling, or use its IP address")
        if name.address is None:
            if len(name.waiting) >= _WAITING:
                raise ActionFailed(f"the host `{host}` is still being looked up: try again")
            name.waiting.append((port, datagram))
        return name.address

    def _start_lookup(self, host: str, name: _HostLookup) -> None:
        if not name.looking:
            name.looking = True
            threading.Thread(
                target=self._look_up_host, args=(host, name), name="osc lookup", daemon=True
            ).start()

    def _look_up_host(self, host: str, name: _HostLookup) -> None:
        leave_real_time()
        try:
            found = self._look_up(host)
        except (OSError, UnicodeError) as problem:
            _log.warning("OSC: no host `%s` (%s): check the spelling, or use its IP", host, problem)
            found = name.address
        with self._lock:
            waiting, name.waiting = name.waiting, []
            name.address, name.looked_up_at, name.looking = found, now(), False
            if found is None or self._names.get(host) is not name:  # closed in the meantime
                return
            for port, datagram in waiting:
                try:
                    self._send_datagram(found, host, port, datagram)
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
    """Return the address of a host that needs no lookup; None for other hosts."""
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
