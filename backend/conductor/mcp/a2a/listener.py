"""Serves other agents over A2A while the settings say so.

The A2A library is imported in a thread when the server is started for the first time.
"""

import asyncio
from typing import TYPE_CHECKING

from conductor.domain.a2a import A2aStatus
from conductor.domain.settings import LlmA2a
from conductor.mcp.a2a.deps import A2aDeps
from conductor.mcp.library import import_modules_serially
from conductor.mcp.managed_server import ManagedServer
from conductor.mcp.server.access import require_agents_enabled

if TYPE_CHECKING:
    from conductor.mcp.a2a.server import A2aServer


class A2aListener(ManagedServer[LlmA2a, "A2aServer"]):
    """Serves other agents while `llm.a2a.enabled` is true."""

    def __init__(self, deps: A2aDeps) -> None:
        super().__init__()
        self._deps = deps

    def get_status(self) -> A2aStatus:
        """Return whether and where other agents are served."""
        server = self._server
        return A2aStatus(
            enabled=self._deps.settings().a2a.enabled,
            card_address=None if server is None else server.card_address,
            problem=self.problem,
        )

    def on_plan_changed(self, plan_id: str) -> None:
        """Wake the tasks that wait for a decision on a plan. Safe to call from any thread."""

        def wake() -> None:
            if self._server is not None:
                self._server.decisions.on_plan_changed(plan_id)

        self._call_soon(wake)

    def _read_settings(self) -> LlmA2a | None:
        settings = self._deps.settings()
        if not settings.a2a.enabled:
            return None
        require_agents_enabled(settings.mcp, "agents over A2A", "llm.a2a.enabled")
        return settings.a2a

    async def _start_server(self, settings: LlmA2a) -> "A2aServer":
        await asyncio.to_thread(self._deps.load_database_library)
        await asyncio.to_thread(import_modules_serially, "conductor.mcp.a2a.server")
        from conductor.mcp.a2a.server import A2aServer

        server = A2aServer(self._deps, settings)
        await server.start()
        return server

    def _on_status_change(self) -> None:
        self._deps.report_problem(self.problem)
        self._deps.on_status_change(self.get_status())
