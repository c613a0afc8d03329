"""The command line's end of the socket."""

import itertools
import json
import os
import select
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from conductor.base.clock import now
from conductor.base.paths import SOCKET_FILE, home
from conductor.errors import ConductorError, InvalidParams, NotRunning

LOOK_EVERY_S = 0.5
"""A Ctrl+C in the moment before a wait begins is noticed after it; so no wait is longer."""
NOT_THERE = "no Conductor is running here; start it with `conductor run`"


class Client:
    """A connection to the running Conductor.

    Raises:
        NotRunning: nobody answers.
    """

    def __init__(self, path: Path | None = None, timeout_s: float | None = 10.0) -> None:
        self._socket = _connect(path or socket_path())
        self.set_timeout(timeout_s)
        self._unread = b""
        self._ids = itertools.count(1)

    def call(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Call a method and give its result.

        Raises:
            ConductorError: it answered with an error.
        """
        return self.watch(method, lambda _kind, _data: None, **params)

    def watch(
        self, method: str, show: Callable[[str, dict[str, Any]], None], /, **params: Any
    ) -> dict[str, Any]:
        """Call a method, and show what is pushed until it answers.

        Raises:
            ConductorError: it answered with an error.
        """
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": next(self._ids)}
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            while True:
                line = self._line()
                if not line:
                    raise NotRunning("Conductor ended before it answered")
                answer = json.loads(line)
                if answer.get("id") == request["id"]:
                    break
                if "method" in answer:
                    show(answer["method"].removeprefix("monitor."), answer["params"])
        except OSError as error:
            raise NotRunning(f"Conductor does not answer: {error}") from None
        if "error" in answer:
            raise _error(answer["error"])
        return answer["result"]

    def tell(self, method: str, /, **params: Any) -> None:
        """Call a method without waiting for what comes of it."""
        line = json.dumps({"jsonrpc": "2.0", "method": method, "params": params})
        self._socket.sendall(line.encode() + b"\n")

    def notifications(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Return what is pushed, until the connection ends or its timeout passes."""
        try:
            while line := self._line():
                message = json.loads(line)
                if "method" in message:
                    yield message["method"].removeprefix("monitor."), message["params"]
        except (OSError, ValueError):
            return

    def set_timeout(self, timeout_s: float | None) -> None:
        self._timeout_s = timeout_s
        self._socket.settimeout(timeout_s)

    def close(self) -> None:
        self._socket.close()

    def _line(self) -> bytes:
        """Wait for the next line; empty at the end of the connection."""
        until = None if self._timeout_s is None else now() + self._timeout_s
        while b"\n" not in self._unread:
            if not select.select([self._socket], [], [], LOOK_EVERY_S)[0]:
                if until is not None and now() > until:
                    raise TimeoutError("timed out")
                continue
            piece = self._socket.recv(65_536)
            if not piece:
                return b""
            self._unread += piece
        line, _, self._unread = self._unread.partition(b"\n")
        return line + b"\n"


def _error(told: dict[str, Any]) -> ConductorError:
    """Return the error that an answer tells; the MCP library's own have a text or nothing as `data`."""
    message, data = told["message"], told.get("data")
    if isinstance(data, str):
        return ConductorError(f"{message}: {data}")
    is_wrong = isinstance(data, dict) and data.get("kind") == InvalidParams.code
    return (InvalidParams if is_wrong else ConductorError)(message)


def socket_path() -> Path:
    """Return the socket of the Conductor that runs, or last ran, in this home folder."""
    folder = home()
    try:
        return Path((folder / SOCKET_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return folder / "mcp.sock"


def _connect(path: Path) -> socket.socket:
    try:
        if hasattr(socket, "AF_UNIX"):
            return _connect_unix(path)
        place = json.loads(path.read_text(encoding="utf-8"))
        connection = socket.create_connection(("127.0.0.1", place["port"]))
        connection.sendall(place["token"].encode() + b"\n")
    except (OSError, ValueError, KeyError):
        raise NotRunning(NOT_THERE) from None
    return connection


def _connect_unix(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(os.fspath(path))
    except OSError:
        connection.close()
        raise
    return connection
