"""The owner-only Unix socket: one JSON-RPC 2.0 object a line, answered by named methods.

On systems without Unix sockets the same server listens on loopback TCP, with its port and a random token
in a file of the same mode; the token is then the first line a client sends.
"""

import asyncio
import gc
import json
import logging
import os
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor.errors import AlreadyRunning, NotAvailable
from conductor.mcp import rpc
from conductor.mcp.agents import Agents
from conductor.mcp.callers import behind_proxy
from conductor.mcp.connection import LONGEST_LINE, Answer, Connection
from conductor.mcp.idle import Idle
from conductor.mcp.peer import Peer, is_ours, peer_of

if TYPE_CHECKING:
    from conductor.mcp.session import Session

log = logging.getLogger(__name__)

LONGEST_PATH = 107
UNSENT_AT_MOST = 4_000_000
HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")


class SocketServer:
    """Answers bare lines and agents, and pushes notifications to those who asked for the monitor."""

    def __init__(
        self,
        path: Path,
        answer: Answer,
        on_watch: Callable[[bool], None],
        agents: Agents | None = None,
        idle: Idle | None = None,
    ) -> None:
        self.path = path
        self._answer = answer
        self._on_watch = on_watch
        self._agents = agents
        self._idle = idle or Idle()
        self._sweeping: asyncio.Task[None] | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()
        self._watchers: set[Connection] = set()
        self._token: str | None = None
        self._frozen = False

    async def start(self) -> None:
        """Listen.

        Raises:
            AlreadyRunning: somebody answers on the socket.
            NotAvailable: the path is too long for a socket.
        """
        await (self._start_unix() if HAS_UNIX_SOCKETS else self._start_tcp())
        self._sweeping = asyncio.create_task(self._idle.sweep_for_ever())
        if self._agents is not None:
            self._agents.start()

    async def _start_unix(self) -> None:
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

    async def _start_tcp(self) -> None:
        self._token = secrets.token_hex(16)
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LONGEST_LINE)
        port = self._server.sockets[0].getsockname()[1]
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, json.dumps({"port": port, "token": self._token}).encode())
        os.close(file)

    async def stop(self) -> None:
        """Stop listening, and close every connection."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        if self._server is not None:
            self._server.close()
            if self._agents is not None:
                await self._agents.stop()
            for connection in list(self._connections):
                connection.writer.close()
            self.path.unlink(missing_ok=True)

    def notify(self, method: str, params: Any) -> None:
        """Push a notification to every watcher; one that does not read is cut off."""
        if not self._watchers:
            return
        line = rpc.encode({"jsonrpc": "2.0", "method": method, "params": params})
        for connection in list(self._watchers):
            if not connection.push(line, UNSENT_AT_MOST):
                self._unwatch(connection)

    def end_watches(self, may_go_on: Callable[[Peer | None], bool]) -> None:
        """Cut off the watchers that may watch no longer."""
        for connection in list(self._watchers):
            if not may_go_on(connection.peer):
                connection.writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = peer_of(writer.get_extra_info("socket"))
        if not (is_ours(peer) and await self._has_token(reader)):
            log.warning("a process of another user was turned away: %s", peer)
            writer.close()
            return
        connection = Connection(
            reader,
            writer,
            behind_proxy(peer),
            self._answer,
            self._watch,
            self._open_session,
            self._idle,
        )
        self._connections.add(connection)
        try:
            await connection.serve()
        except asyncio.CancelledError:
            # the end of the loop; asyncio would report a cancelled connection as an error
            log.debug("a connection was still open at the end")
        finally:
            self._connections.discard(connection)
            self._unwatch(connection)

    async def _has_token(self, reader: asyncio.StreamReader) -> bool:
        """Say whether the first line is the token, where one is needed."""
        if self._token is None:
            return True
        try:
            first = await reader.readline()
        except (ValueError, ConnectionError):
            return False
        return secrets.compare_digest(first.strip(), self._token.encode())

    async def _open_session(self, connection: Connection) -> "Session | None":
        if self._agents is None:
            return None
        session = await self._agents.open_session(connection)
        if not self._frozen:  # the library is loaded, and stays: the collector need not look at it
            gc.freeze()
            self._frozen = True
        return session

    def _watch(self, connection: Connection) -> None:
        self._watchers.add(connection)
        self._on_watch(True)

    def _unwatch(self, connection: Connection) -> None:
        if connection in self._watchers:
            self._watchers.discard(connection)
            if not self._watchers:
                self._on_watch(False)
