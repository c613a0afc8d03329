"""A socket that only this computer can reach."""

import socket

HOST = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """Listen on loopback; port 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """
    # the protocol is named because asyncio sets TCP_NODELAY only then; replies wait 40 ms without
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening
