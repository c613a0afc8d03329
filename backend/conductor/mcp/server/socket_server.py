"""Serves the socket, which only its owner can use: one JSON-RPC 2.0 object on each line.

Where there are no Unix sockets, the server listens on a loopback port, to which any user can connect. The
first line of each client must then be the token.
"""

import asyncio
import gc
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.mcp.server.agents import AgentSessions
from conductor.mcp.server.connection import AnswerCallback, SocketConnection
from conductor.mcp.server.idle import IdleConnections
from conductor.mcp.server.listener import SocketListener
from conductor.mcp.server.peer import is_same_user, read_peer
from conductor.mcp.server.requesters import resolve_proxy
from conductor.mcp.server.socket_watchers import SocketWatchers

if TYPE_CHECKING:
    from conductor.mcp.server.session import McpSession

log = logging.getLogger(__name__)


def _ignore_event() -> None:
    return


class SocketServer:
    """Accepts socket connections, and serves bare JSON-RPC lines and MCP sessions on them."""

    def __init__(
        self,
        path: Path,
        answer: AnswerCallback,
        watchers: SocketWatchers,
        agents: AgentSessions | None = None,
        idle: IdleConnections | None = None,
        on_bound: Callable[[], None] = _ignore_event,
    ) -> None:
        self.path = path
        self.listener = SocketListener(path, self._serve_connection, on_bound)
        self._answer = answer
        self._watchers = watchers
        self._agents = agents
        self._idle = idle or IdleConnections()
        self._sweeping: asyncio.Task[None] | None = None
        self._connections: set[SocketConnection] = set()
        self._is_frozen = False

    async def start(self) -> None:
        """Start listening, and start importing the MCP library.

        Raises:
            AlreadyRunning: Another process answers on the socket.
            NotAvailable: The socket cannot be created.
        """
        await self.listener.start()
        self._sweeping = asyncio.create_task(self._idle.close_expired_repeatedly())
        if self._agents is not None:
            self._agents.start()

    async def stop(self) -> None:
        """Stop listening and close every connection."""
        self.listener.stop()
        if self._sweeping is None:  # the server was never started
            return
        self._sweeping.cancel()
        if self._agents is not None:
            await self._agents.stop()
        for connection in list(self._connections):
            connection.writer.close()

    async def _serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        peer = read_peer(writer.get_extra_info("socket"))
        if not (is_same_user(peer) and await self._is_authorized(reader)):
            log.warning("refused a connection from another user's process: %s", peer)
            writer.close()
            return
        connection = SocketConnection(
            reader,
            writer,
            resolve_proxy(peer),
            self._answer,
            self._watchers.add,
            self._open_session,
            self._idle,
        )
        self._connections.add(connection)
        try:
            await connection.answer_requests()
        except asyncio.CancelledError:
            # the event loop is shutting down, and asyncio would log the exception as an error
            log.debug("a connection was still open at shutdown")
        finally:
            self._connections.discard(connection)
            self._watchers.remove(connection)

    async def _is_authorized(self, reader: asyncio.StreamReader) -> bool:
        """Return whether the first line of a client is the token.

        If the listener uses no token, no line is read, and the result is True.
        """
        if self.listener.token is None:
            return True
        try:
            first = await reader.readline()
        except (ValueError, ConnectionError):
            return False
        return secrets.compare_digest(first.strip(), self.listener.token.encode())

    async def _open_session(self, connection: SocketConnection) -> "McpSession | None":
        if self._agents is None:
            return None
        session = await self._agents.open_session(connection)
        if not self._is_frozen:
            # the MCP library stays loaded, so the garbage collector need not scan its objects again
            gc.freeze()
            self._is_frozen = True
        return session
