"""The place that programs connect to: a Unix socket, or where there is none a loopback port named in a file.

Both are a file of the owner only. It can be deleted or replaced while Conductor runs, alone or with its
whole folder; that is noticed within `LOOK_EVERY_S`, and the place is made again.
"""

import asyncio
import json
import logging
import os
import secrets
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from conductor.errors import AlreadyRunning, ConductorError, NotAvailable
from conductor.mcp.server.connection import LONGEST_LINE

log = logging.getLogger(__name__)

LONGEST_PATH = 107
LOOK_EVERY_S = 1.0
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Listener:
    """Listens at a path. `on_bound` is called each time the place was made."""

    def __init__(self, path: Path, serve: Serve, on_bound: Callable[[], None]) -> None:
        self.path = path
        self.token: str | None = None
        """What a client says first, where anybody could connect."""
        self._serve = serve
        self._on_bound = on_bound
        self._server: asyncio.Server | None = None
        self._made: tuple[int, int] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._last_problem = ""

    async def start(self) -> None:
        """Listen.

        Raises:
            AlreadyRunning: somebody answers at the path.
            NotAvailable: nothing can be made there.
        """
        await self._bind()
        self._looking = asyncio.create_task(self._look_for_ever())

    def stop(self) -> None:
        """Listen no longer; open connections stay."""
        if self._looking is not None:
            self._looking.cancel()
        if self._server is not None:
            self._server.close()
            if self._is_ours():
                self.path.unlink(missing_ok=True)

    async def look(self) -> None:
        """Make the place again when it is gone; one where somebody else answers is left alone."""
        try:
            if self._is_ours() or not self.path.parent.is_dir():
                return
            await self._bind()
        except (ConductorError, OSError) as error:
            if str(error) != self._last_problem:
                log.warning("%s is gone and cannot be made again: %s", self.path, error)
            self._last_problem = str(error)
        else:
            self._last_problem = ""
            log.warning("%s was gone; it was made again", self.path)

    async def _look_for_ever(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            await self.look()

    def _is_ours(self) -> bool:
        return self._made is not None and _identity(self.path) == self._made

    async def _bind(self) -> None:
        before = self._server
        self._server = await (self._bind_unix() if HAS_UNIX_SOCKETS else self._bind_tcp())
        if before is not None:
            before.close()
        self._made = _identity(self.path)
        self._on_bound()

    async def _bind_unix(self) -> asyncio.Server:
        if len(os.fsencode(self.path)) > LONGEST_PATH:
            raise NotAvailable(
                f"the socket path {self.path} is over {LONGEST_PATH} bytes;"
                " set CONDUCTOR_HOME or llm.mcp.socket_path to a shorter one"
            )
        await self._remove_stale()
        before = os.umask(0o177)
        try:
            return await asyncio.start_unix_server(self._serve, self.path, limit=LONGEST_LINE)
        finally:
            os.umask(before)

    async def _remove_stale(self) -> None:
        if not self.path.exists():
            return
        if not self.path.is_socket():
            raise NotAvailable(
                f"{self.path} is there and is no socket; set llm.mcp.socket_path to another"
            )
        try:
            _, writer = await asyncio.open_unix_connection(self.path)
        except OSError:
            self.path.unlink(missing_ok=True)
        else:
            writer.close()
            raise AlreadyRunning(f"another Conductor answers on {self.path}")

    async def _bind_tcp(self) -> asyncio.Server:
        self.token = secrets.token_hex(16)
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LONGEST_LINE)
        port = server.sockets[0].getsockname()[1]
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, json.dumps({"port": port, "token": self.token}).encode())
        os.close(file)
        return server


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino
