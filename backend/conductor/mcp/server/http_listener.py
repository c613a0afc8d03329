"""Serves agents over HTTP on this computer while the settings say so.

The module with the server imports the MCP library, so it is imported when the server is started.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conductor.domain.settings import LlmMcp
from conductor.errors import NotAvailable
from conductor.mcp.managed_server import ManagedServer

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from conductor.mcp.server.http import AgentHttpServer


class HttpListener(ManagedServer[int, "AgentHttpServer"]):
    """Serves agents over HTTP while `llm.mcp.http_enabled` is true."""

    def __init__(
        self,
        settings: Callable[[], LlmMcp],
        home: Path,
        load_server: Callable[[], Awaitable["Server[Any] | None"]],
        report_problem: Callable[[str | None], None],
    ) -> None:
        super().__init__()
        self._settings = settings
        self._home = home
        self._load_server = load_server
        self._report_problem = report_problem

    def _read_settings(self) -> int | None:
        settings = self._settings()
        return settings.http_port if settings.http_enabled else None

    async def _start_server(self, settings: int) -> "AgentHttpServer":
        mcp_server = await self._load_server()
        if mcp_server is None:
            raise NotAvailable(
                "agents over HTTP are not served, because the MCP library could not be loaded: run"
                " `conductor doctor`, and see the log"
            )
        from conductor.mcp.server.http import AgentHttpServer, HttpToken

        server = AgentHttpServer(mcp_server, settings, HttpToken(self._settings, self._home))
        await asyncio.to_thread(server.reload_files)
        await server.start()
        return server

    def _on_status_change(self) -> None:
        self._report_problem(self.problem)
