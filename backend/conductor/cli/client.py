"""Calls methods of the running Conductor over its socket."""

import itertools
import json
import os
import select
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.base.paths import SOCKET_PATH_FILE, get_home_folder
from conductor.errors import ConductorError, InvalidParams, NotRunning

MAX_READ_WAIT_S = 0.5
"""The longest duration of a `select` call.

It is short, because a Ctrl+C just before the call is handled only after it.
"""
NOT_RUNNING_MESSAGE = "Conductor is not running; start it with `conductor run`"


class SocketClient:
    """A connection to the socket of the running Conductor.

    Raises:
        NotRunning: Conductor is not running.
    """

    def __init__(self, path: Path | None = None, timeout_s: float | None = 10.0) -> None:
        self._socket = _connect_socket(path or find_socket_path())
        self.set_timeout(timeout_s)
        self._buffer = b""
        self._ids = itertools.count(1)

    def call_method(self, method: str, /, **params: Any) -> JsonObject:
        """Call a method of the running Conductor and return its result.

        Raises:
            ConductorError: The method failed.
            NotRunning: Conductor has exited, or does not answer in time.
        """
        return self.call_with_notifications(method, lambda _kind, _data: None, **params)

    def call_with_notifications(
        self, method: str, on_notification: Callable[[str, JsonObject], None], /, **params: Any
    ) -> JsonObject:
        """Call a method, and pass each notification that arrives before its result to `on_notification`.

        Raises:
            ConductorError: The method failed.
            NotRunning: Conductor has exited, or does not answer in time.
        """
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": next(self._ids)}
        line = _encode_line(request)
        try:
            self._socket.sendall(line)
            while True:
                line = self._read_line()
                if not line:
                    raise NotRunning(
                        "Conductor exited before it answered; start it with `conductor run`"
                    )
                answer = json.loads(line)
                if answer.get("id") == request["id"]:
                    break
                if "method" in answer:
                    on_notification(answer["method"].removeprefix("monitor."), answer["params"])
        except OSError as error:
            raise NotRunning(
                f"Conductor does not answer ({error}); try again, or restart Conductor"
            ) from None
        if "error" in answer:
            raise _build_error(answer["error"])
        return answer["result"]

    def send_notification(self, method: str, /, **params: Any) -> None:
        """Call a method without waiting for a result."""
        self._socket.sendall(_encode_line({"jsonrpc": "2.0", "method": method, "params": params}))

    def receive_notifications(self) -> Iterator[tuple[str, JsonObject]]:
        """Yield notifications as pairs of kind and data until the connection is closed or silent for too
        long.
        """
        try:
            while line := self._read_line():
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

    def _read_line(self) -> bytes:
        """Return the next line from the socket, or empty bytes if the connection is closed."""
        deadline = None if self._timeout_s is None else now() + self._timeout_s
        while b"\n" not in self._buffer:
            if not select.select([self._socket], [], [], MAX_READ_WAIT_S)[0]:
                if deadline is not None and now() > deadline:
                    raise TimeoutError("timed out")
                continue
            received = self._socket.recv(65_536)
            if not received:
                return b""
            self._buffer += received
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line + b"\n"


def encode_text(text: str) -> bytes:
    """Encode a text from the command line as UTF-8.

    Python decodes arguments that are not UTF-8 with lone surrogates, which cannot be sent.

    Raises:
        InvalidParams: The text contains such a character.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidParams("the arguments are not UTF-8 text; enter them in UTF-8") from None


def _encode_line(message: JsonObject) -> bytes:
    return encode_text(json.dumps(message, ensure_ascii=False)) + b"\n"


def _build_error(response: JsonObject) -> ConductorError:
    """Return the exception for an error response of the socket."""
    # errors of the MCP library have a text as `data`, or none
    message, data = response["message"], response.get("data")
    if isinstance(data, str):
        return ConductorError(f"{message}: {data}")
    is_invalid_params = isinstance(data, dict) and data.get("kind") == InvalidParams.code
    return (InvalidParams if is_invalid_params else ConductorError)(message)


def find_socket_path() -> Path:
    """Return the path of the socket of the Conductor that uses, or last used, the home folder."""
    folder = get_home_folder()
    try:
        return Path((folder / SOCKET_PATH_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return folder / "mcp.sock"


def _connect_socket(path: Path) -> socket.socket:
    try:
        if sys.platform != "win32":
            return _connect_unix(path)
        address = json.loads(path.read_text(encoding="utf-8"))
        connection = socket.create_connection(("127.0.0.1", address["port"]))
        connection.sendall(address["token"].encode() + b"\n")
    except (OSError, ValueError, KeyError):
        raise NotRunning(NOT_RUNNING_MESSAGE) from None
    return connection


def _connect_unix(path: Path) -> socket.socket:
    assert sys.platform != "win32"
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(os.fspath(path))
    except OSError:
        connection.close()
        raise
    return connection
