"""The agents' side of the door, loaded in the background: the MCP library takes a second to import.

Bare lines and the engine never wait for it; the first request of an agent does.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from conductor.errors import ConductorError
from conductor.mcp.server.connection import Connection
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.requesters import SocketCaller

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from conductor.base.http_server import HttpServer
    from conductor.mcp.server.resources import ResourceUpdates
    from conductor.mcp.server.session import Session
    from conductor.mcp.server.tasks import Tasks

log = logging.getLogger(__name__)


class Agents:
    """Opens a session for each connection that turns out to be an agent's, and brings them news."""

    def __init__(self, desk: ServerDeps) -> None:
        self._desk = desk
        self._loaded = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tools: tuple[str, ...] = ()
        self._telling: set[asyncio.Task[None]] = set()
        self.server: Server[Any] | None = None
        self._news: ResourceUpdates | None = None
        self._tasks: Tasks | None = None
        self._http: HttpServer | None = None
        self._opening: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to import, beside everything else. Called in the loop."""
        self._loop = asyncio.get_running_loop()
        self._tools = self._names()
        threading.Thread(target=self._load, name="mcp-import", daemon=True).start()
        if self._desk.settings().http_enabled:
            self._opening = asyncio.create_task(self._open_http())

    async def stop(self) -> None:
        """Close HTTP, if it is open, and end the tasks."""
        if self._tasks is not None:
            self._tasks.stop()
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.gather(self._opening, return_exceptions=True)
        if self._http is not None:
            await self._http.stop()

    async def loaded(self) -> "Server[Any] | None":
        """Wait for the library; None when it could not be loaded."""
        await self._loaded.wait()
        return self.server

    async def open_session(self, connection: Connection) -> "Session | None":
        """Return what serves an agent on this connection; None when agents cannot be served."""
        server = await self.loaded()
        if server is None or self._news is None:
            return None
        from conductor.mcp.server.calling import cached_answer
        from conductor.mcp.server.protocol import options_of
        from conductor.mcp.server.session import Session

        caller, news = SocketCaller(connection.peer), self._news
        return Session(
            server,
            options_of(server),
            caller,
            connection.send,
            cached_answer(self._desk, caller),
            on_end=lambda: news.forget(caller),
            on_failure=connection.writer.transport.abort,
        )

    def resource_changed(self, uri: str) -> None:
        """Tell those who subscribed; from any thread."""

        def tell(news: "ResourceUpdates") -> Coroutine[Any, Any, None]:
            return news.resource_changed(uri)

        if self._desk.settings().enabled:
            self._from_any_thread(tell)

    def settings_changed(self) -> None:
        """Tell agents when other tools are allowed than before; from any thread."""
        tools, self._tools = self._tools, self._names()
        if tools != self._tools:
            from conductor.mcp.server.resources import ResourceUpdates

            self._from_any_thread(ResourceUpdates.tools_changed)

    async def _open_http(self) -> None:
        server = await self.loaded()
        if server is None:
            return
        from conductor.mcp.server.http import http_door, token_for

        settings = self._desk.settings()
        try:
            door = http_door(server, settings.http_port, token_for(settings, self._desk.home))
            await door.start()
        except ConductorError as error:
            self._desk.notice(str(error))
        else:
            self._http = door

    def _names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self._desk.gate.tools())

    def _from_any_thread(
        self, tell: Callable[["ResourceUpdates"], Coroutine[Any, Any, None]]
    ) -> None:
        def run() -> None:
            if self._news is not None:
                task = asyncio.ensure_future(tell(self._news))
                self._telling.add(task)
                task.add_done_callback(self._telling.discard)

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(run)

    def _load(self) -> None:
        assert self._loop is not None
        try:
            from conductor.mcp.server.protocol import make_server, new_tasks
            from conductor.mcp.server.resources import ResourceUpdates

            self._news, self._tasks = ResourceUpdates(), new_tasks()
            self.server = make_server(self._desk, self._news, self._tasks)
        except Exception:  # without agents, everything else still works
            log.exception("agents cannot be served: the MCP library did not load")
        try:
            self._loop.call_soon_threadsafe(self._loaded.set)
        except RuntimeError:
            log.info("Conductor ended before the MCP library was loaded")
