"""The connections that watch the monitor or the chat over the socket."""

from collections.abc import Callable
from typing import Any

from conductor.mcp.server import rpc
from conductor.mcp.server.connection import SocketConnection
from conductor.mcp.server.peer import Peer

MAX_UNSENT_BYTES = 4_000_000
"""A watcher with more unsent bytes of notifications is disconnected."""


class SocketWatchers:
    """Sends notifications to the connections that watch the monitor or the chat.

    `on_watch` is called with True when a connection starts to watch the monitor, and with False when the
    last one has stopped. Only `is_watched` may be called outside the event loop.
    """

    def __init__(self, on_watch: Callable[[bool], None]) -> None:
        self._on_watch = on_watch
        self._watchers: dict[str, set[SocketConnection]] = {"monitor": set(), "chat": set()}

    def is_watched(self, topic: str) -> bool:
        """Return whether any connection watches the topic, which is `monitor` or `chat`."""
        return bool(self._watchers[topic])

    def notify(self, method: str, params: Any) -> None:
        """Send a `monitor.*` or `chat` notification to its watchers.

        A watcher that does not read is disconnected.
        """
        watchers = self._watchers[method.partition(".")[0]]
        if not watchers:
            return
        line = rpc.encode_message({"jsonrpc": "2.0", "method": method, "params": params})
        for connection in list(watchers):
            if not connection.push_line(line, MAX_UNSENT_BYTES):
                self.remove(connection)

    def add(self, connection: SocketConnection, topic: str) -> None:
        self._watchers[topic].add(connection)
        if topic == "monitor":
            self._on_watch(True)

    def remove(self, connection: SocketConnection) -> None:
        self._watchers["chat"].discard(connection)
        monitors = self._watchers["monitor"]
        if connection in monitors:
            monitors.discard(connection)
            if not monitors:
                self._on_watch(False)

    def disconnect_monitors(self, may_watch: Callable[[Peer | None], bool]) -> None:
        """Disconnect the clients that may no longer watch the monitor."""
        for connection in list(self._watchers["monitor"]):
            if not may_watch(connection.peer):
                connection.writer.close()
