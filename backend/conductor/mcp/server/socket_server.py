"""The owner-only socket: one JSON-RPC 2.0 object a line, answered by named methods.

Where anybody on the computer could connect, as to a loopback port, a token is the first line a client sends.
"""

import asyncio
import gc
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor.mcp.server import rpc
from conductor.mcp.server.agents import Agents
from conductor.mcp.server.connection import Answer, Connection
from conductor.mcp.server.idle import Idle
from conductor.mcp.server.listening import Listener
from conductor.mcp.server.peer import Peer, is_ours, peer_of
from conductor.mcp.server.requesters import behind_proxy

if TYPE_CHECKING:
    from conductor.mcp.server.session import Session

log = logging.getLogger(__name__)

UNSENT_AT_MOST = 4_000_000


def _ignore() -> None:
    return


class SocketServer:
    """Answers bare lines and agents, and pushes news to those who asked for the monitor or the chat."""

    def __init__(
        self,
        path: Path,
        answer: Answer,
        on_watch: Callable[[bool], None],
        agents: Agents | None = None,
        idle: Idle | None = None,
        on_bound: Callable[[], None] = _ignore,
    ) -> None:
        self.path = path
        self.listener = Listener(path, self._serve, on_bound)
        self._answer = answer
        self._on_watch = on_watch
        self._agents = agents
        self._idle = idle or Idle()
        self._sweeping: asyncio.Task[None] | None = None
        self._connections: set[Connection] = set()
        self._watchers: dict[str, set[Connection]] = {"monitor": set(), "chat": set()}
        self._frozen = False

    async def start(self) -> None:
        """Listen.

        Raises:
            AlreadyRunning: somebody answers on the socket.
            NotAvailable: nothing can be made there.
        """
        await self.listener.start()
        self._sweeping = asyncio.create_task(self._idle.sweep_for_ever())
        if self._agents is not None:
            self._agents.start()

    async def stop(self) -> None:
        """Stop listening, and close every connection."""
        self.listener.stop()
        if self._sweeping is None:
            return
        self._sweeping.cancel()
        if self._agents is not None:
            await self._agents.stop()
        for connection in list(self._connections):
            connection.writer.close()

    def notify(self, method: str, params: Any) -> None:
        """Push `monitor.*` or `chat` to all who watch it; one that does not read is cut off."""
        watchers = self._watchers[method.partition(".")[0]]
        if not watchers:
            return
        line = rpc.encode({"jsonrpc": "2.0", "method": method, "params": params})
        for connection in list(watchers):
            if not connection.push(line, UNSENT_AT_MOST):
                self._unwatch(connection)

    def is_watched(self, topic: str) -> bool:
        """Return whether anybody is told of it."""
        return bool(self._watchers[topic])

    def end_watches(self, may_go_on: Callable[[Peer | None], bool]) -> None:
        """Cut off the watchers of the monitor that may watch no longer."""
        for connection in list(self._watchers["monitor"]):
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
        """Return whether the first line is the token, where one is needed."""
        if self.listener.token is None:
            return True
        try:
            first = await reader.readline()
        except (ValueError, ConnectionError):
            return False
        return secrets.compare_digest(first.strip(), self.listener.token.encode())

    async def _open_session(self, connection: Connection) -> "Session | None":
        if self._agents is None:
            return None
        session = await self._agents.open_session(connection)
        if not self._frozen:  # the library is loaded, and stays: the collector need not look at it
            gc.freeze()
            self._frozen = True
        return session

    def _watch(self, connection: Connection, topic: str) -> None:
        self._watchers[topic].add(connection)
        if topic == "monitor":
            self._on_watch(True)

    def _unwatch(self, connection: Connection) -> None:
        self._watchers["chat"].discard(connection)
        monitors = self._watchers["monitor"]
        if connection in monitors:
            monitors.discard(connection)
            if not monitors:
                self._on_watch(False)
