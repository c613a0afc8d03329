"""Serves agents over the Model Context Protocol (MCP).

The MCP library is imported in a thread, because the import takes a second. The first request of an agent
waits for it, but bare JSON-RPC lines and the engine do not.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from conductor.mcp.library import import_modules_serially
from conductor.mcp.server.connection import SocketConnection
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.http_listener import HttpListener
from conductor.mcp.server.requesters import SocketCaller

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from conductor.mcp.server.resources import ResourceUpdates
    from conductor.mcp.server.session import McpSession
    from conductor.mcp.server.tasks import TaskHandlers

log = logging.getLogger(__name__)


class AgentSessions:
    """Opens the sessions of agents, and notifies agents when resources or tools change."""

    def __init__(self, deps: ServerDeps) -> None:
        self._deps = deps
        self._loaded = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tools: tuple[str, ...] = ()
        self._notifications: set[asyncio.Task[None]] = set()
        self.server: Server[Any] | None = None
        self._updates: ResourceUpdates | None = None
        self._tasks: TaskHandlers | None = None
        self.http = HttpListener(
            deps.settings, deps.home, self.wait_until_loaded, deps.report_http_problem
        )

    def start(self) -> None:
        """Start importing the MCP library in a thread, and serve agents over HTTP if that is switched on.

        Call this on the event loop.
        """
        self._loop = asyncio.get_running_loop()
        self._tools = self._list_tool_names()
        threading.Thread(target=self._load_server, name="mcp-import", daemon=True).start()
        self.http.start()

    async def stop(self) -> None:
        """Stop serving agents over HTTP, and cancel the tasks of clients."""
        if self._tasks is not None:
            self._tasks.stop()
        await self.http.stop()

    async def wait_until_loaded(self) -> "Server[Any] | None":
        """Wait until the MCP library is imported, and return the server, or None if the import failed."""
        await self._loaded.wait()
        return self.server

    async def open_session(self, connection: SocketConnection) -> "McpSession | None":
        """Open an MCP session on a connection. Return None if the MCP library could not be loaded."""
        server = await self.wait_until_loaded()
        if server is None or self._updates is None:
            return None
        from conductor.mcp.server.protocol import build_initialization_options
        from conductor.mcp.server.session import McpSession
        from conductor.mcp.server.tool_handlers import build_read_cache

        caller, updates = SocketCaller(connection.peer), self._updates
        return McpSession(
            server,
            build_initialization_options(server),
            caller,
            connection.send_line,
            build_read_cache(self._deps, caller),
            on_end=lambda: updates.forget_connection(caller),
            on_failure=connection.writer.transport.abort,
        )

    def notify_resource_changed(self, uri: str) -> None:
        """Notify the agents that have subscribed to a resource that it has changed.

        Safe to call from any thread.
        """

        def notify(updates: "ResourceUpdates") -> Coroutine[Any, Any, None]:
            return updates.notify_resource_changed(uri)

        if self._deps.settings().enabled:
            self._schedule_notification(notify)

    def on_settings_changed(self) -> None:
        """Apply changed settings, and notify agents if these have changed the tools that they may call.

        Safe to call from any thread.
        """
        self.http.on_settings_changed()
        tools, self._tools = self._tools, self._list_tool_names()
        if tools != self._tools:
            from conductor.mcp.server.resources import ResourceUpdates

            self._schedule_notification(ResourceUpdates.notify_tools_changed)

    def _list_tool_names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self._deps.gate.list_agent_tools())

    def _schedule_notification(
        self, notify: Callable[["ResourceUpdates"], Coroutine[Any, Any, None]]
    ) -> None:
        def run() -> None:
            if self._updates is not None:
                task = asyncio.ensure_future(notify(self._updates))
                self._notifications.add(task)
                task.add_done_callback(self._notifications.discard)

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(run)

    def _load_server(self) -> None:
        assert self._loop is not None
        try:
            import_modules_serially(
                "conductor.mcp.server.protocol", "conductor.mcp.server.resources"
            )
            from conductor.mcp.server.protocol import build_mcp_server, build_tasks
            from conductor.mcp.server.resources import ResourceUpdates

            self._updates, self._tasks = ResourceUpdates(), build_tasks()
            self.server = build_mcp_server(self._deps, self._updates, self._tasks)
        except Exception:  # Conductor works without agents
            log.exception("agents cannot connect: the MCP library failed to load")
        try:
            # also after a failure, because requests of agents wait for this event
            self._loop.call_soon_threadsafe(self._loaded.set)
        except RuntimeError:  # the loop is closed because Conductor has ended
            log.info("Conductor was stopped before the MCP library was loaded")
