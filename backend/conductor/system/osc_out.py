"""Sends OSC messages as UDP datagrams."""

import socket
import threading
from collections.abc import Sequence

from pythonosc.osc_message_builder import BuildError, OscMessageBuilder

from conductor.base.clock import now
from conductor.errors import ActionFailed

_RESOLVED_FOR_S = 60.0
_Address = tuple[socket.AddressFamily, tuple[object, ...]]


class UdpOscOut:
    """Keeps one socket per address family, and looked-up hosts for a minute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: dict[socket.AddressFamily, socket.socket] = {}
        self._resolved: dict[tuple[str, int], tuple[float, _Address]] = {}

    def send(self, host: str, port: int, address: str, args: Sequence[object]) -> None:
        """Send one message; arrival is not known.

        Raises:
            ActionFailed: the host, the port, the address or an argument will not do.
        """
        datagram = _encode(address, args)
        with self._lock:
            family, target = self._resolve(host, port)
            try:
                self._socket(family).sendto(datagram, target)
            except OSError as problem:
                self._resolved.pop((host, port), None)
                raise ActionFailed(
                    f"OSC cannot reach {host}:{port} ({problem.strerror or problem}): "
                    "check the host and the network"
                ) from problem

    def close(self) -> None:
        with self._lock:
            for opened in self._sockets.values():
                opened.close()
            self._sockets.clear()

    def _resolve(self, host: str, port: int) -> _Address:
        if not 1 <= port <= 65_535:
            raise ActionFailed(f"OSC port {port} is outside 1-65535")
        known = self._resolved.get((host, port))
        if known is not None and now() - known[0] < _RESOLVED_FOR_S:
            return known[1]
        try:
            family, _, _, _, target = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        except (OSError, UnicodeError) as problem:
            raise ActionFailed(
                f"no host `{host}`: check the spelling, or use its IP address"
            ) from problem
        self._resolved[host, port] = now(), (family, target)
        return family, target

    def _socket(self, family: socket.AddressFamily) -> socket.socket:
        opened = self._sockets.get(family)
        if opened is None:
            opened = socket.socket(family, socket.SOCK_DGRAM)
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            opened.setblocking(False)
            self._sockets[family] = opened
        return opened


def _encode(address: str, args: Sequence[object]) -> bytes:
    if not address.startswith("/"):
        raise ActionFailed(f"the OSC address `{address}` does not begin with `/`")
    builder = OscMessageBuilder(address)
    try:
        for arg in args:
            builder.add_arg(arg)  # type: ignore[arg-type]
        return builder.build().dgram
    except (BuildError, ValueError) as problem:
        raise ActionFailed(f"OSC cannot carry these arguments: {problem}") from problem
