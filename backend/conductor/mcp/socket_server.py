"""The owner-only Unix socket: one JSON-RPC 2.0 object a line, answered by named methods (seed S3).

On systems without Unix sockets the same server listens on loopback TCP, with its port and a random token
in a file of the same mode; the token is then the first line a client sends.
"""

import asyncio
import json
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from conductor.errors import AlreadyRunning, ConductorError, NotAvailable

log = logging.getLogger(__name__)

Method = Callable[[dict[str, Any]], Awaitable[Any]]
LONGEST_PATH = 107
LONGEST_LINE = 1_000_000
UNSENT_AT_MOST = 4_000_000
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = (
    -32700,
    -32600,
    -32601,
    -32602,
    -32603,
)
CODES = {"config_not_found": -32000, "mode_not_found": -32001, "device_not_found": -32002}


class SocketServer:
    """Answers bare JSON-RPC lines, and pushes notifications to those who asked for the monitor."""

    def __init__(
        self, path: Path, methods: dict[str, Method], on_watch: Callable[[bool], None]
    ) -> None:
        self.path = path
        self._methods = methods
        self._on_watch = on_watch
        self._server: asyncio.Server | None = None
        self._watchers: set[asyncio.StreamWriter] = set()
        self._token: str | None = None

    async def start(self) -> None:
        """Listen.

        Raises:
            AlreadyRunning: somebody answers on the socket.
            NotAvailable: the path is too long for a socket.
        """
        if not HAS_UNIX_SOCKETS:
            await self._start_tcp()
            return
        if len(os.fsencode(self.path)) > LONGEST_PATH:
            raise NotAvailable(
                f"the socket path {self.path} is over {LONGEST_PATH} bytes;"
                " set CONDUCTOR_HOME or llm.mcp.socket_path to a shorter one"
            )
        await self._remove_stale()
        before = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(
                self._serve, self.path, limit=LONGEST_LINE
            )
        finally:
            os.umask(before)

    async def _remove_stale(self) -> None:
        if not self.path.exists():
            return
        try:
            _, writer = await asyncio.open_unix_connection(self.path)
        except OSError:
            self.path.unlink(missing_ok=True)
        else:
            writer.close()
            raise AlreadyRunning(f"another Conductor answers on {self.path}")

    async def _start_tcp(self) -> None:
        self._token = secrets.token_hex(16)
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LONGEST_LINE)
        port = self._server.sockets[0].getsockname()[1]
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, json.dumps({"port": port, "token": self._token}).encode())
        os.close(file)

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            for writer in list(self._watchers):
                writer.close()
            self.path.unlink(missing_ok=True)

    def notify(self, method: str, params: Any) -> None:
        """Push a notification to every watcher; one that does not read is cut off."""
        if not self._watchers:
            return
        line = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\n"
        for writer in list(self._watchers):
            if writer.is_closing() or writer.transport.get_write_buffer_size() > UNSENT_AT_MOST:
                self._unwatch(writer)
                writer.transport.abort()
            else:
                writer.write(line)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if (
                self._token is not None
                and (await reader.readline()).strip().decode() != self._token
            ):
                return
            while line := await reader.readline():
                if line.strip():
                    answer = await self._answer(line, writer)
                    if answer is not None:
                        writer.write(json.dumps(answer).encode() + b"\n")
                        await writer.drain()
        except ValueError:
            over = _error(None, INVALID_REQUEST, f"a line is longer than {LONGEST_LINE} bytes")
            writer.write(json.dumps(over).encode() + b"\n")
        except (ConnectionError, TimeoutError):
            pass
        finally:
            self._unwatch(writer)
            writer.close()

    def _unwatch(self, writer: asyncio.StreamWriter) -> None:
        if writer in self._watchers:
            self._watchers.discard(writer)
            if not self._watchers:
                self._on_watch(False)

    async def _answer(self, line: bytes, writer: asyncio.StreamWriter) -> dict[str, Any] | None:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return _error(None, PARSE_ERROR, "Parse error: a line must be one JSON object")
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            return _error(None, INVALID_REQUEST, "Invalid request: `method` must be a text")
        number, name, params = request.get("id"), request["method"], request.get("params", {})
        if not isinstance(params, dict):
            return _error(number, INVALID_PARAMS, "Invalid params: `params` must be an object")
        if name == "conductor_monitor":
            self._watchers.add(writer)
            self._on_watch(True)
            return _result(number, {"status": "watching"})
        method = self._methods.get(name)
        if method is None:
            return _error(number, METHOD_NOT_FOUND, f"Method not found: {name}")
        answer = await self._call(method, params, number)
        return None if "id" not in request else answer

    async def _call(self, method: Method, params: dict[str, Any], number: Any) -> dict[str, Any]:
        try:
            return _result(number, await method(params))
        except ConductorError as error:
            code = CODES.get(error.code, INVALID_REQUEST)
            return _error(number, code, str(error), kind=error.code)
        except (KeyError, TypeError, ValueError) as error:
            return _error(number, INVALID_PARAMS, f"Invalid params: {error}")
        except Exception:  # one bad call must not end the server
            log.exception("a call failed")
            return _error(number, INTERNAL_ERROR, "Internal error: see the log")


def _result(number: Any, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "result": result, "id": number}


def _error(number: Any, code: int, message: str, kind: str | None = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    if kind is not None:
        error["data"] = {"kind": kind}
    return {"jsonrpc": "2.0", "error": error, "id": number}
