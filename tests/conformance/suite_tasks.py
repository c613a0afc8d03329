"""The suite's tools that become tasks, served by Conductor's own tasks on the suite's server.

The names and texts are those that the suite expects (`tasks-*` of @modelcontextprotocol/conformance).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from tests.conformance.suite_inputs import NAME_SCHEMA
from tests.conformance.suite_server import mcp

from conductor.mcp.server.task import ToolCallTask
from conductor.mcp.server.tasks import (
    TaskHandlers,
    declares_tasks_extension,
    require_tasks_extension,
)

Context = ServerRequestContext[Any]
Handler = Callable[[ToolCallTask, dict[str, Any]], Awaitable[types.CallToolResult]]


def text(words: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=words)], is_error=is_error)


def question(message: str) -> types.ElicitRequest:
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=NAME_SCHEMA)
    )


@mcp.tool()
async def greet(name: str) -> str:
    """Greets at once"""
    return f"Hello, {name}!"


@mcp.tool()
async def slow_compute(seconds: float, label: str = "") -> str:
    """Sleeps, then returns a result"""
    await asyncio.sleep(seconds)
    return f"{label} took {seconds} s"


@mcp.tool()
async def failing_job() -> str:
    """Fails after it has become a task"""
    return "never called"


@mcp.tool()
async def protocol_error_job() -> str:
    """Ends with an error of the protocol"""
    return "never called"


@mcp.tool()
async def confirm_delete(filename: str) -> str:
    """Asks before it deletes"""
    return f"{filename} is kept"


@mcp.tool()
async def multi_input() -> str:
    """Asks two questions at once"""
    return "nothing was asked"


@mcp.tool()
async def test_tool_with_task() -> str:
    """Asks first, then becomes a task"""
    return "never called"


async def _slow_compute(task: ToolCallTask, given: dict[str, Any]) -> types.CallToolResult:
    if given["seconds"]:
        task.set_waiting_message("computing")
    return text(await slow_compute(**given))


async def _failing_job(task: ToolCallTask, _given: dict[str, Any]) -> types.CallToolResult:
    task.set_waiting_message("about to fail")
    await asyncio.sleep(0.1)
    return text("This job fails", is_error=True)


async def _protocol_error_job(task: ToolCallTask, _given: dict[str, Any]) -> types.CallToolResult:
    task.set_waiting_message("about to fail")
    await asyncio.sleep(0.1)
    raise MCPError(types.INTERNAL_ERROR, "This job breaks")


async def _confirm_delete(task: ToolCallTask, given: dict[str, Any]) -> types.CallToolResult:
    answer = await task.ask_user("confirm", question(f"Delete {given['filename']}?"))
    return text(f"{answer.action}: {given['filename']}")


async def _multi_input(task: ToolCallTask, _given: dict[str, Any]) -> types.CallToolResult:
    both = [task.ask_user("name", question(f"Name {number}?")) for number in (1, 2)]
    first, second = await asyncio.gather(*both)
    return text(f"{first.action} and {second.action}")


async def _named(task: ToolCallTask, name: str) -> types.CallToolResult:
    task.set_waiting_message("greeting")
    await asyncio.sleep(0.1)
    return text(f"Hello, {name}!")


WORK: dict[str, Handler] = {
    "slow_compute": _slow_compute,
    "failing_job": _failing_job,
    "protocol_error_job": _protocol_error_job,
    "confirm_delete": _confirm_delete,
    "multi_input": _multi_input,
}
ALWAYS_TASKS = ("failing_job", "test_tool_with_task")
tasks = TaskHandlers(owner=lambda _ctx: "the suite")
server = mcp._lowlevel_server  # pyright: ignore[reportPrivateUsage]
others = server.get_request_handler("tools/call")
assert others is not None
call_others = others.handler


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
    name, given = params.name, params.arguments or {}
    if name in ALWAYS_TASKS:
        require_tasks_extension(ctx)
    if name == "test_tool_with_task":
        answer = (params.input_responses or {}).get("user_name")
        if not isinstance(answer, types.ElicitResult):
            return types.InputRequiredResult(
                input_requests={"user_name": question("What is your name?")}
            )
        user = str((answer.content or {}).get("name"))
        return await tasks.run_call(ctx, lambda task: _named(task, user))
    if name not in WORK or not declares_tasks_extension(ctx):
        return await call_others(ctx, params)
    return await tasks.run_call(ctx, lambda task: WORK[name](task, given))


tasks.register_handlers(server)
server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
