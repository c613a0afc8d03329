"""Connects to the sockets on which the compositors Sway, Hyprland and niri describe their windows."""

import os
import select
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from conductor.errors import ActionFailed

_ANSWER_TIMEOUT_S = 2.0


def require_variable(name: str) -> str:
    """Return the value of an environment variable that a compositor sets for its programs.

    Raises:
        ActionFailed: The variable is not set, so the compositor is not running.
    """
    value = os.environ.get(name, "")
    if not value:
        raise ActionFailed(f"not running ({name} is not set)")
    return value


def connect_socket(path: str | Path) -> socket.socket:
    """Connect to a socket of a compositor.

    Raises:
        ActionFailed: The compositor does not listen on the socket.
    """
    assert sys.platform != "win32"
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(_ANSWER_TIMEOUT_S)
    try:
        client.connect(str(path))
    except OSError as problem:
        client.close()
        raise ActionFailed(f"{path} cannot be reached ({problem})") from problem
    return client


def wait_for_data(source: socket.socket, wake: socket.socket) -> bool:
    """Wait until the compositor has sent data, and return True; return False if `wake` becomes readable,
    which stops the watcher.
    """
    return wake not in select.select([source, wake], [], [])[0]


def receive_bytes(client: socket.socket, max_bytes: int) -> bytes:
    """Return the next bytes from the compositor, at most `max_bytes`.

    Raises:
        EOFError: The compositor closed the connection.
    """
    data = client.recv(max_bytes)
    if not data:
        raise EOFError("the compositor closed the connection")
    return data


def receive_lines(client: socket.socket, wake: socket.socket) -> Iterator[list[bytes]]:
    """Yield the complete lines that each read returns, until `wake` is readable.

    Raises:
        EOFError: The compositor closed the connection.
    """
    rest = b""
    while wait_for_data(client, wake):
        *lines, rest = (rest + receive_bytes(client, 65536)).split(b"\n")
        yield lines
