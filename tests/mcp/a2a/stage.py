"""The A2A server on a real port inside the test's own loop, over real plans, the real gate and a scripted model."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from a2a.client import Client
from tests.agent.stage import WINDOW, Scripted, Stage
from tests.mcp.a2a.clients import WITHIN_S, a2a_config, connected
from tests.mcp.test_http import free_port

from conductor.app.program_requests import answer_program_with_model
from conductor.domain.plan import Requester
from conductor.domain.settings import LlmSettings
from conductor.mcp.a2a.deps import A2aDeps, ModelAnswer
from conductor.mcp.a2a.server import A2aServer

TOKEN = "token-of-the-tests-0123456789"


class OfferedTools:
    """The gate of the stage, as other programs see it."""

    def __init__(self, stage: "A2aStage") -> None:
        self._stage = stage

    def list_agent_tools(self) -> Any:
        return self._stage.executor.list_offered_tools()

    async def call_tool(self, name: str, arguments: dict[str, Any], requester: Requester) -> Any:
        if self._stage.intercept is not None:
            await self._stage.intercept(name)
        return await self._stage.executor.call_tool(name, arguments, requester)


class A2aStage(Stage):
    """A stage whose plans and tools are served over A2A."""

    def __init__(self, home: Path, *providers: Scripted, more: str = "") -> None:
        self.port = free_port()
        super().__init__(home, *providers, config=a2a_config(self.port, more))
        self.server: A2aServer | None = None
        self.intercept: Callable[[str], Awaitable[object]] | None = None
        """Called with the name of each tool before it is called."""

    def deps(self) -> A2aDeps:
        return A2aDeps(
            OfferedTools(self),
            self.plans,
            self.settings,
            self,
            self._answer,
            lambda: None,
            "1.2.3",
            self.home,
            lambda _problem: None,
            lambda _status: None,
        )

    def settings(self) -> LlmSettings:
        return self.store.current_config.llm

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[A2aServer]:
        (self.home / "mcp-token").write_text(TOKEN)
        self.server = A2aServer(self.deps(), self.settings().a2a)
        await self.server.start()
        try:
            yield self.server
        finally:
            await self.server.stop()

    def decide(self, plan_id: str, *, apply: bool) -> None:
        """Do what the buttons of the window do."""
        if apply:
            self.plans.approve_plan(plan_id, WINDOW)
            self.plans.apply_plan(plan_id, WINDOW)
        else:
            self.plans.reject_plan(plan_id, WINDOW)
        assert self.server is not None
        self.server.decisions.on_plan_changed(plan_id)

    def run(self, work: Callable[[Client], Awaitable[None]], **options: Any) -> None:
        """Serve, and do the work of a client."""

        async def serve() -> None:
            async with (
                asyncio.timeout(WITHIN_S),
                self.serving(),
                connected(self.port, TOKEN, **options) as client,
            ):
                await work(client)

        asyncio.run(serve())

    def run_http(self, work: Callable[[httpx.AsyncClient], Awaitable[None]]) -> None:
        """Serve, and send plain requests."""

        async def serve() -> None:
            headers = {"Authorization": f"Bearer {TOKEN}", "A2A-Version": "1.0"}
            base = f"http://127.0.0.1:{self.port}"
            async with (
                asyncio.timeout(WITHIN_S),
                self.serving(),
                httpx.AsyncClient(headers=headers, base_url=base) as web,
            ):
                await work(web)

        asyncio.run(serve())

    async def _answer(self, text: str, by: Requester) -> ModelAnswer:
        tools = self.executor.list_offered_tools()
        return await answer_program_with_model(self.desk(), tools, text, by)
