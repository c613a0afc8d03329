"""Opens sockets that are reachable from this computer only."""

import socket

LOOPBACK_HOST = "127.0.0.1"


def open_listening_socket(port: int) -> socket.socket:
    """Open a listening socket on loopback; port 0 picks a free port.

    Raises:
        OSError: the port is in use.
    """
    # asyncio sets TCP_NODELAY only if the protocol is given; without it replies are delayed by 40 ms
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK_HOST, port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening
