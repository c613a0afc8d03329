"""Opens listening sockets, which are reachable from this computer only unless another address is chosen."""

import ipaddress
import socket

LOOPBACK_HOST = "127.0.0.1"
LOOPBACK_HOST_NAMES = (LOOPBACK_HOST, "localhost")
"""The names under which programs reach a server that listens on `LOOPBACK_HOST`."""


def is_loopback_host(host: str | None) -> bool:
    """Return whether a host is this computer, so that no other computer can be reached by it or reach it."""
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return host is not None and host.casefold() == "localhost"


def open_listening_socket(port: int, host: str = LOOPBACK_HOST) -> socket.socket:
    """Open a listening socket at an IP address of this computer; port 0 picks a free port.

    Raises:
        OSError: the port is in use, or this computer does not have the address.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the protocol is given; without it replies are delayed by 40 ms
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening
