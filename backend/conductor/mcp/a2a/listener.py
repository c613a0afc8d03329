"""Opens and closes the port for other agents as the settings say, without a restart.

The A2A library is imported in a thread when the port is opened for the first time.
"""

import asyncio
import logging
from typing import TYPE_CHECKING

from conductor.domain.settings import LlmA2a
from conductor.errors import ConductorError
from conductor.mcp.a2a.deps import A2aDeps
from conductor.mcp.library import import_modules_serially

if TYPE_CHECKING:
    from conductor.mcp.a2a.server import A2aServer

log = logging.getLogger(__name__)


class A2aListener:
    """Serves other agents while `llm.a2a.enabled` is true."""

    def __init__(self, deps: A2aDeps) -> None:
        self._deps = deps
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: A2aServer | None = None
        self._served: LlmA2a | None = None
        """The settings of the running server, or of the last attempt to start it."""
        self._lock = asyncio.Lock()
        self._applying: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Open the port if it is enabled. Call this on the event loop."""
        self._loop = asyncio.get_running_loop()
        self._schedule_apply()

    async def stop(self) -> None:
        """Close the port, and cancel the tasks of other agents."""
        self._loop = None
        for task in self._applying:
            task.cancel()
        await asyncio.gather(*self._applying, return_exceptions=True)
        await self._close()

    def on_settings_changed(self) -> None:
        """Open or close the port if its settings have changed. Safe to call from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._schedule_apply)

    def on_plan_changed(self, plan_id: str) -> None:
        """Wake the tasks that wait for a decision on a plan. Safe to call from any thread."""

        def wake() -> None:
            if self._server is not None:
                self._server.decisions.on_plan_changed(plan_id)

        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(wake)

    def _schedule_apply(self) -> None:
        if self._loop is not None:
            task = asyncio.ensure_future(self._apply_settings())
            self._applying.add(task)
            task.add_done_callback(self._applying.discard)

    async def _apply_settings(self) -> None:
        async with self._lock:
            wanted = self._deps.settings().a2a
            if wanted == self._served or not (wanted.enabled or self._server):
                return
            await self._close()
            self._served = wanted
            if not wanted.enabled:
                return
            try:
                self._server = await self._open()
            except ConductorError as error:
                self._served = None  # the same settings may work the next time
                self._deps.show_notice(str(error))
            except Exception:  # Conductor works without other agents
                self._served = None
                log.exception("A2A was not started")

    async def _open(self) -> "A2aServer":
        await asyncio.to_thread(self._deps.load_database_library)
        await asyncio.to_thread(import_modules_serially, "conductor.mcp.a2a.server")
        from conductor.mcp.a2a.server import A2aServer
        from conductor.mcp.server.http import load_http_token

        settings = self._deps.settings().mcp
        server = A2aServer(self._deps, load_http_token(settings, self._deps.home))
        await server.start()
        return server

    async def _close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            await server.stop()
