"""Listens on a Unix socket, or on a loopback port where there are no Unix sockets.

The number of the port is written to a file at the path of the socket. Only the owner can use the socket or
read this file. If the socket, the file or their folder is deleted or replaced while Conductor runs, this is
noticed within `SOCKET_CHECK_INTERVAL_S`, and the socket is created again.
"""

import asyncio
import json
import logging
import os
import secrets
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from conductor.errors import AlreadyRunning, ConductorError, NotAvailable
from conductor.mcp.server.connection import MAX_MESSAGE_LINE_BYTES

log = logging.getLogger(__name__)

MAX_SOCKET_PATH_BYTES = 107
"""The maximum length of `sun_path` on Linux, without the null byte at its end."""
SOCKET_CHECK_INTERVAL_S = 1.0
HAS_UNIX_SOCKETS = sys.platform != "win32"

ServeConnection = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class SocketListener:
    """Listens for connections at a path. `on_bound` is called each time the socket has been created."""

    def __init__(self, path: Path, serve: ServeConnection, on_bound: Callable[[], None]) -> None:
        self.path = path
        self.token: str | None = None
        """The token that every client sends first on a loopback port. None on a Unix socket."""
        self._serve = serve
        self._on_bound = on_bound
        self._server: asyncio.Server | None = None
        self._bound_inode: tuple[int, int] | None = None
        """The device and the inode of the file that this listener created."""
        self._checking: asyncio.Task[None] | None = None
        self._last_problem = ""

    async def start(self) -> None:
        """Start listening, and check regularly that the socket file still exists.

        Raises:
            AlreadyRunning: Another process listens at the path.
            NotAvailable: The socket cannot be created.
        """
        await self._bind_address()
        self._checking = asyncio.create_task(self._check_repeatedly())

    def stop(self) -> None:
        """Stop listening. Open connections are not closed."""
        if self._checking is not None:
            self._checking.cancel()
        if self._server is not None:
            self._server.close()
            if self._owns_socket_file():  # another Conductor may have taken the path
                self.path.unlink(missing_ok=True)

    async def restore_deleted_socket(self) -> None:
        """Create the socket again if its file was deleted, unless another process listens at the path."""
        try:
            if self._owns_socket_file() or not self.path.parent.is_dir():
                return
            await self._bind_address()
        except (ConductorError, OSError) as error:
            if str(error) != self._last_problem:  # logged once, not at each check
                log.warning("%s is missing and cannot be recreated: %s", self.path, error)
            self._last_problem = str(error)
        else:
            self._last_problem = ""
            log.warning("%s was missing and has been recreated", self.path)

    async def _check_repeatedly(self) -> None:
        while True:
            await asyncio.sleep(SOCKET_CHECK_INTERVAL_S)
            await self.restore_deleted_socket()

    def _owns_socket_file(self) -> bool:
        return (
            self._bound_inode is not None and _read_device_and_inode(self.path) == self._bound_inode
        )

    async def _bind_address(self) -> None:
        # the old server is closed last, so that its connections are accepted until the new one
        # listens
        before = self._server
        self._server = await (
            self._bind_unix_socket() if HAS_UNIX_SOCKETS else self._bind_tcp_port()
        )
        if before is not None:
            before.close()
        self._bound_inode = _read_device_and_inode(self.path)
        self._on_bound()

    async def _bind_unix_socket(self) -> asyncio.Server:
        assert sys.platform != "win32"
        if len(os.fsencode(self.path)) > MAX_SOCKET_PATH_BYTES:
            raise NotAvailable(
                f"the socket path {self.path} is over {MAX_SOCKET_PATH_BYTES} bytes;"
                " set CONDUCTOR_HOME or llm.mcp.socket_path to a shorter one"
            )
        await self._remove_stale_socket()
        # the umask instead of chmod, because other users could connect between bind and chmod
        before = os.umask(0o177)
        try:
            return await asyncio.start_unix_server(
                self._serve, self.path, limit=MAX_MESSAGE_LINE_BYTES
            )
        finally:
            os.umask(before)

    async def _remove_stale_socket(self) -> None:
        """Remove the socket file that a crashed Conductor left behind.

        Raises:
            AlreadyRunning: Another Conductor answers on the socket.
            NotAvailable: The file is not a socket.
        """
        assert sys.platform != "win32"
        if not self.path.exists():
            return
        if not self.path.is_socket():
            raise NotAvailable(
                f"{self.path} exists and is not a socket; set llm.mcp.socket_path to another path"
            )
        try:
            _, writer = await asyncio.open_unix_connection(self.path)
        except OSError:
            self.path.unlink(missing_ok=True)
        else:
            writer.close()
            raise AlreadyRunning(f"another Conductor answers on {self.path}")

    async def _bind_tcp_port(self) -> asyncio.Server:
        self.token = secrets.token_hex(16)
        server = await asyncio.start_server(
            self._serve, "127.0.0.1", 0, limit=MAX_MESSAGE_LINE_BYTES
        )
        port = server.sockets[0].getsockname()[1]
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, json.dumps({"port": port, "token": self.token}).encode())
        os.close(file)
        return server


def _read_device_and_inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
