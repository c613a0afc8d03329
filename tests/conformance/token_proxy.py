"""A proxy that puts the token into each request, since the official suite cannot send one."""

import re
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

REQUEST_LINE = re.compile(rb"\A(?:GET|POST|DELETE|OPTIONS) \S+ HTTP/1\.1\r\n")
CHUNK = 65_536


@contextmanager
def token_proxy(port: int, token: str) -> Generator[int]:
    """Listen on a free port, and forward each connection to `port`. Return the free port."""
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_accept, args=(listening, port, token), daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.close()


def _accept(listening: socket.socket, port: int, token: str) -> None:
    header = f"Authorization: Bearer {token}\r\n".encode()
    with suppress(OSError):  # closed
        while True:
            client, _ = listening.accept()
            server = socket.create_connection(("127.0.0.1", port))
            for source, target, added in ((client, server, header), (server, client, b"")):
                threading.Thread(target=_copy, args=(source, target, added), daemon=True).start()


def _copy(source: socket.socket, target: socket.socket, added: bytes) -> None:
    """Copy until either end closes, and add a header after each request line.

    A request of the suite starts a chunk of its own: it sends the next one after the answer.
    """
    with suppress(OSError), source, target:
        while chunk := source.recv(CHUNK):
            if added:
                chunk = REQUEST_LINE.sub(lambda line: line[0] + added, chunk)
            target.sendall(chunk)
        target.shutdown(socket.SHUT_WR)
