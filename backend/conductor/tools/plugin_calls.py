"""Calls the tools of MCP servers that mappings ask for, through the gate, and tells the engine how it went."""

import asyncio
import logging
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from conductor.domain.engine_protocol import PluginAnswered, PluginCall, PluginWithdrawn
from conductor.domain.performed_once import performed_number
from conductor.errors import UnknownTool

if TYPE_CHECKING:
    from conductor.domain.plan import Requester
    from conductor.tools.executor import Outcome

log = logging.getLogger(__name__)

STARTING = "Conductor is still starting: MCP servers are not connected yet; try again in a moment"
ENDING = "Conductor is ending"
BY_AT_MOST = 100
EXPECTED_AT_MOST = 64


class CallOutcome(NamedTuple):
    """How a call ended: why it failed, and whether that is known. A tool that is late may have done it."""

    reason: str | None
    is_known: bool = True


class Door(Protocol):
    """The gate."""

    async def call(
        self, name: str, arguments: dict[str, Any], requester: "Requester"
    ) -> "Outcome": ...


class Servers(Protocol):
    """Who knows why a tool is not there."""

    def why_missing(self, server: str, tool: str) -> str:
        """Return why a server has no such tool now, and what to do next."""
        ...


class Engine(Protocol):
    def send(self, message: PluginAnswered) -> None: ...


class PluginCalls:
    """One task for each call under way. `on_message` and `forget` are called by the link's thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loop: asyncio.AbstractEventLoop | None = None
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self._expected: dict[int, Future[CallOutcome]] = {}
        self._closed = False

    def open(self, gate: Door, servers: Servers) -> None:
        """Make calls from now on, in the running loop."""
        self._gate, self._servers = gate, servers
        self._loop = asyncio.get_running_loop()

    def on_message(self, message: PluginCall | PluginWithdrawn) -> None:
        """Start a call of the engine, or cancel it."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._take, message)
        elif isinstance(message, PluginCall):
            self._answer(message.call, ENDING if self._closed else STARTING)

    def expect(self, number: int) -> "Future[CallOutcome]":
        """Return what is told how the call ends that the action with this number makes."""
        ending: Future[CallOutcome] = Future()
        self._expected[number] = ending
        while len(self._expected) > EXPECTED_AT_MOST:
            del self._expected[next(iter(self._expected))]
        return ending

    def forget(self) -> None:
        """Cancel what an engine asked for that is gone."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._cancel_all)

    async def close(self) -> None:
        """Cancel what is under way, and make no more calls."""
        self._closed, self._loop = True, None
        tasks = list(self._under_way.values())
        self._cancel_all()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _take(self, message: PluginCall | PluginWithdrawn) -> None:
        number = message.call
        if isinstance(message, PluginWithdrawn):
            task = self._under_way.get(number)
            if task is not None:
                task.cancel()
            return
        if self._closed:
            self._answer(number, ENDING)
            return
        task = asyncio.ensure_future(self._make(message))
        self._under_way[number] = task
        task.add_done_callback(lambda done: self._ended(number, done))

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        """Forget a task, but not the one of a newer engine that has its number."""
        if self._under_way.get(number) is task:
            del self._under_way[number]

    def _cancel_all(self) -> None:
        for task in self._under_way.values():
            task.cancel()

    async def _make(self, message: PluginCall) -> None:
        try:
            ending = await self._call(message)
        except Exception as error:  # the engine must be told, whatever happened
            log.exception("plugin %s:%s failed", message.server, message.tool)
            ending = CallOutcome(f"failed unexpectedly: {error}", is_known=False)
        number = performed_number(message.by)
        expected = None if number is None else self._expected.pop(number, None)
        if expected is not None:
            expected.set_result(ending)
        self._answer(message.call, ending.reason)

    async def _call(self, message: PluginCall) -> CallOutcome:
        server, tool, limit_s = message.server, message.tool, message.timeout_s
        from conductor.domain.plan import Requester  # pydantic, after the engine has been started

        by = Requester(caller="pad", client=message.by[:BY_AT_MOST])
        try:
            async with asyncio.timeout(limit_s):
                outcome = await self._gate.call(f"mcp:{server}:{tool}", message.args, by)
        except TimeoutError:
            late = f"the MCP server `{server}` did not answer `{tool}` within {limit_s:g} s"
            return CallOutcome(late, is_known=False)
        if isinstance(outcome.error, UnknownTool):
            return CallOutcome(self._servers.why_missing(server, tool))
        return CallOutcome(None if outcome.error is None else str(outcome.error))

    def _answer(self, number: int, reason: str | None) -> None:
        self._engine.send(PluginAnswered(number, reason))
