"""Calls tools of MCP servers in the app for actions of the engine, and sends the results back."""

import asyncio
import logging
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple, Protocol

from conductor.base.json_types import JsonObject
from conductor.domain.engine_protocol import PluginAnswered, PluginCall, PluginWithdrawn
from conductor.domain.performed_once import parse_performer_number
from conductor.errors import ConductorError, UnknownTool

if TYPE_CHECKING:
    from conductor.domain.plan import Requester

log = logging.getLogger(__name__)

REFUSED_WHILE_STARTING_MESSAGE = (
    "Conductor is still starting: MCP servers are not connected yet; try again in a moment"
)
REFUSED_WHILE_CLOSING_MESSAGE = "Conductor is shutting down"
MAX_CLIENT_NAME_LENGTH = 100
MAX_EXPECTED_OUTCOMES = 64


class CallOutcome(NamedTuple):
    """The outcome of a tool call: `reason` says why the call failed, and is None if it succeeded."""

    reason: str | None
    is_known: bool = True
    """False for a call that timed out or was interrupted and may still have had its effect."""


class Outcome(Protocol):
    """The outcome of a tool call. Implemented by `tools.executor.ToolOutcome`."""

    @property
    def error(self) -> ConductorError | None: ...


class ToolCaller(Protocol):
    """Calls tools through the executor. Implemented by `tools.executor.ToolExecutor`."""

    async def call_tool(
        self, name: str, arguments: JsonObject, requester: "Requester"
    ) -> Outcome: ...


class Servers(Protocol):
    """Explains why a tool is missing that a mapping calls."""

    def explain_missing_tool(self, server: str, tool: str) -> str:
        """Return why a server does not offer a tool now, and what the user can do about it."""
        ...


class MessageSender(Protocol):
    """Sends messages to the engine, such as the answers to tool calls. Implemented by `EngineSupervisor`."""

    def send(self, message: PluginAnswered) -> None: ...


class PluginCalls:
    """Runs each tool call as a task of the event loop.

    The link's thread calls `on_message` and `cancel_all`.
    """

    def __init__(self, engine: MessageSender) -> None:
        self._engine = engine
        self._loop: asyncio.AbstractEventLoop | None = None
        self._active: dict[int, asyncio.Task[None]] = {}
        self._expected: dict[int, Future[CallOutcome]] = {}
        self._closed = False

    def start_accepting(self, gate: ToolCaller, servers: Servers) -> None:
        """Start to accept tool calls on the running event loop; calls before this are
        refused with the reason.
        """
        # Not in the constructor: the engine sends calls before the gate can be imported, and parts of the
        # gate use this object, to wait for the calls of actions that are performed once.
        self._gate, self._servers = gate, servers
        self._loop = asyncio.get_running_loop()

    def on_message(self, message: PluginCall | PluginWithdrawn) -> None:
        """Handle a message of the engine that starts or cancels a tool call."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._on_message, message)
        elif isinstance(message, PluginCall):
            reason = (
                REFUSED_WHILE_CLOSING_MESSAGE if self._closed else REFUSED_WHILE_STARTING_MESSAGE
            )
            self._send_answer(message.call, reason)

    def expect_outcome(self, number: int) -> "Future[CallOutcome]":
        """Return a future for the outcome of the tool call that an action makes;
        `number` identifies the action.
        """
        outcome: Future[CallOutcome] = Future()
        self._expected[number] = outcome
        while len(self._expected) > MAX_EXPECTED_OUTCOMES:
            del self._expected[next(iter(self._expected))]
        return outcome

    def cancel_all(self) -> None:
        """Cancel all tool calls, because the engine that made them has ended. May be called in any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._cancel_tasks)

    async def close(self) -> None:
        """Cancel active tool calls and refuse new ones."""
        self._closed, self._loop = True, None
        tasks = list(self._active.values())
        self._cancel_tasks()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _on_message(self, message: PluginCall | PluginWithdrawn) -> None:
        number = message.call
        if isinstance(message, PluginWithdrawn):
            task = self._active.get(number)
            if task is not None:
                task.cancel()
            return
        if self._closed:
            self._send_answer(number, REFUSED_WHILE_CLOSING_MESSAGE)
            return
        task = asyncio.ensure_future(self._run_call(message))
        self._active[number] = task
        task.add_done_callback(lambda done: self._on_task_end(number, done))

    def _on_task_end(self, number: int, task: asyncio.Task[None]) -> None:
        """Remove a finished task, unless a restarted engine has already used its number for another call."""
        if self._active.get(number) is task:
            del self._active[number]

    def _cancel_tasks(self) -> None:
        for task in self._active.values():
            task.cancel()

    async def _run_call(self, message: PluginCall) -> None:
        try:
            outcome = await self._call_tool(message)
        except Exception as error:  # the engine waits for an answer in any case
            log.exception(
                "unexpected error in the call of the MCP tool %s:%s", message.server, message.tool
            )
            outcome = CallOutcome(f"failed unexpectedly: {error}", is_known=False)
        number = parse_performer_number(message.by)
        expected = None if number is None else self._expected.pop(number, None)
        if expected is not None:
            expected.set_result(outcome)
        self._send_answer(message.call, outcome.reason)

    async def _call_tool(self, message: PluginCall) -> CallOutcome:
        server, tool, limit_s = message.server, message.tool, message.timeout_s
        # Imports pydantic, so it is loaded only after the engine has started.
        from conductor.domain.plan import Requester

        by = Requester(caller="pad", client=message.by[:MAX_CLIENT_NAME_LENGTH])
        try:
            async with asyncio.timeout(limit_s):
                outcome = await self._gate.call_tool(f"mcp:{server}:{tool}", message.args, by)
        except TimeoutError:
            reason = f"the MCP server `{server}` did not answer `{tool}` within {limit_s:g} s"
            return CallOutcome(reason, is_known=False)
        if isinstance(outcome.error, UnknownTool):
            return CallOutcome(self._servers.explain_missing_tool(server, tool))
        return CallOutcome(None if outcome.error is None else str(outcome.error))

    def _send_answer(self, number: int, reason: str | None) -> None:
        self._engine.send(PluginAnswered(number, reason))
