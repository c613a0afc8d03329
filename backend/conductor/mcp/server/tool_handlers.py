"""Handles `tools/list` and `tools/call`, including approvals, tasks and progress."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from conductor.base.json_types import JsonObject
from conductor.domain.plan import ConfigPlan, Requester
from conductor.errors import ConductorError
from conductor.mcp.server.approval import APPLY_PLAN_TOOL, PlanApproval
from conductor.mcp.server.deps import Outcome, ServerDeps, Tool
from conductor.mcp.server.plan_data import build_plan_data
from conductor.mcp.server.read_cache import ReadCache
from conductor.mcp.server.requesters import SocketCaller, find_requester
from conductor.mcp.server.resources import ResourceUpdates
from conductor.mcp.server.schema_outline import outline_tool_schema
from conductor.mcp.server.task import ToolCallTask
from conductor.mcp.server.tasks import TaskHandlers
from conductor.tools.next_steps import NEXT_STEP_BY_ERROR_CODE

Context = ServerRequestContext[Any]
T = TypeVar("T")
TIER_META_KEY = "conductor/riskTier"
ERROR_META_KEY = "conductor/error"
PROGRESS_INTERVAL_S = 1.0
DESTRUCTIVE_TOOL = "conductor_send_sysex"


class ToolHandlers:
    """Handles the MCP requests `tools/list` and `tools/call`."""

    def __init__(self, deps: ServerDeps, tasks: TaskHandlers, updates: ResourceUpdates) -> None:
        self._deps = deps
        self._log = updates.log
        self._tasks = tasks
        self._approval = PlanApproval(deps, updates.bus)
        self._mcp_tools: dict[str, types.Tool] = {}

    async def list_tools(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[self._convert_tool(tool) for tool in self._deps.gate.list_agent_tools()]
        )

    def _convert_tool(self, tool: Tool) -> types.Tool:
        if tool.name not in self._mcp_tools:
            self._mcp_tools[tool.name] = build_mcp_tool(tool)
        return self._mcp_tools[tool.name]

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult | JsonObject:
        by, arguments = find_requester(ctx), params.arguments or {}
        if self._tasks.may_start_task(ctx):
            return await self._run_as_task(ctx, params, by)
        call = self._deps.gate.call_tool(params.name, arguments, by)
        outcome = require_known_tool(
            await await_while_reporting_progress(ctx, call, params.name), params.name
        )
        await self._log.send_call_outcome(ctx, params.name, outcome)
        if params.name == APPLY_PLAN_TOOL and outcome.error is not None:
            return await self._ask_for_approval(ctx, params, by, outcome)
        return build_mcp_result(outcome)

    async def _run_as_task(
        self, ctx: Context, params: types.CallToolRequestParams, by: Requester
    ) -> types.CallToolResult | JsonObject:
        """Call a tool and return its result, or a task if the call takes long or waits for the user.

        Log messages can only be sent while the request is open, so a call that ends later sends none.
        """
        outcomes: list[Outcome] = []
        answer = await self._tasks.run_call(
            ctx, lambda task: self._call_in_task(ctx, task, params, by, outcomes.append)
        )
        for outcome in outcomes[:1]:
            await self._log.send_call_outcome(ctx, params.name, outcome)
        return answer

    async def _call_in_task(
        self,
        ctx: Context,
        task: ToolCallTask,
        params: types.CallToolRequestParams,
        by: Requester,
        on_outcome: Callable[[Outcome], None],
    ) -> types.CallToolResult:
        """Call a tool in a task, and wait for the user's approval if its plan is not approved yet."""
        arguments = params.arguments or {}
        outcome = require_known_tool(
            await self._deps.gate.call_tool(params.name, arguments, by), params.name
        )
        on_outcome(outcome)
        if params.name != APPLY_PLAN_TOOL or outcome.error is None:
            return build_mcp_result(outcome)
        plan = await self._approval.find_pending_plan(arguments, outcome)
        if plan is None:
            return build_mcp_result(outcome)
        try:
            answer = await self._approval.wait_for_decision(ctx, task, plan, by)
        except ConductorError as error:
            return build_error_result(str(error), error.code, error.number)
        if answer == "declined":
            return build_declined_result(plan)
        task.mark_irrevocable()  # cancelling does not undo a plan that was applied
        return build_mcp_result(await self._deps.gate.call_tool(params.name, arguments, by))

    async def _ask_for_approval(
        self, ctx: Context, params: types.CallToolRequestParams, by: Requester, outcome: Outcome
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Ask the user for approval in a form of the client.

        If no form is allowed, the result contains the plan and says that it was not applied.
        """
        plan = await self._approval.find_pending_plan(params.arguments or {}, outcome)
        if plan is None:
            return build_mcp_result(outcome)
        asking = self._approval.ask_user(ctx, params, plan, by)
        try:
            answer = await await_while_reporting_progress(ctx, asking, "the user's approval")
        except ConductorError as error:
            return build_error_result(str(error), error.code, error.number)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        if answer == "accepted":
            return build_mcp_result(
                await self._deps.gate.call_tool(params.name, params.arguments or {}, by)
            )
        if answer == "declined":
            return build_declined_result(plan)
        return build_answer_result(build_plan_data(plan), f"Not applied yet. {outcome.error}")


def build_read_cache(deps: ServerDeps, caller: SocketCaller) -> ReadCache:
    """Return the read cache of one connection, which calls tools through the tool executor."""

    async def read(name: str, arguments: JsonObject, by: Requester) -> JsonObject:
        return build_mcp_result_data(await deps.gate.call_tool(name, arguments, by))

    read_only_tools = frozenset(
        tool.name for tool in deps.gate.list_agent_tools() if tool.tier == "read_only"
    )
    return ReadCache(read_only_tools, read, lambda: caller.latest_requester)


def build_mcp_tool(tool: Tool) -> types.Tool:
    """Return the definition of a tool for `tools/list`: its name, description, schemas and annotations."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=outline_tool_schema(tool.name, tool.output_schema),
        annotations=build_tool_annotations(tool),
        _meta={TIER_META_KEY: tool.tier},
    )


def build_tool_annotations(tool: Tool) -> types.ToolAnnotations:
    """Return the MCP annotations of a tool, which follow from its tier.

    A tool that creates a plan is not destructive, because only applying the plan changes something.
    """
    return types.ToolAnnotations(
        read_only_hint=tool.tier == "read_only",
        destructive_hint=tool.tier in ("privileged", "request") or tool.name == DESTRUCTIVE_TOOL,
        idempotent_hint=tool.idempotent,
        open_world_hint=tool.tier == "hardware_io",
    )


def require_known_tool(outcome: Outcome, name: str) -> Outcome:
    """Check that the called tool exists, and return the outcome of the call.

    For MCP, an unknown tool is a protocol error instead of the result of a call.

    Raises:
        MCPError: There is no such tool.
    """
    if outcome.error is not None and outcome.error.code == "tool_not_found":
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name[:80]}")
    return outcome


def build_declined_result(plan: ConfigPlan) -> types.CallToolResult:
    """Return the result of a call whose plan the user has declined."""
    return build_error_result(
        f"The user declined plan {plan.plan_id}; do not ask for it again", "declined"
    )


def build_mcp_result(outcome: Outcome) -> types.CallToolResult:
    """Return the outcome of a call as an MCP result.

    An error becomes a result too, so that the model can read the message.
    """
    if outcome.error is not None:
        return build_error_result(str(outcome.error), outcome.error.code, outcome.error.number)
    return build_answer_result(_build_result_data(outcome))


def build_mcp_result_data(outcome: Outcome) -> JsonObject:
    """Return the outcome of a call as the JSON of an MCP result.

    The JSON is the same as that of `build_mcp_result`, but is built without the slow models of the library.
    """
    if outcome.error is not None:
        return build_mcp_result(outcome).model_dump(mode="json", by_alias=True, exclude_none=True)
    data = _build_result_data(outcome)
    content = [{"type": "text", "text": json.dumps(data, ensure_ascii=False)}]
    return {"content": content, "structuredContent": data, "isError": False}


def _build_result_data(outcome: Outcome) -> JsonObject:
    if isinstance(outcome.result, ConfigPlan):
        return build_plan_data(outcome.result)
    return outcome.to_plain()


def build_answer_result(data: JsonObject, text: str | None = None) -> types.CallToolResult:
    """Return a result with structured content, and with the same data as text for clients that need text."""
    content = (
        json.dumps(data, ensure_ascii=False) if text is None else f"{text}\n{json.dumps(data)}"
    )
    return types.CallToolResult(
        content=[types.TextContent(text=content)], structured_content=data, is_error=False
    )


def build_error_result(
    message: str, kind: str, number: int = ConductorError.number
) -> types.CallToolResult:
    """Return an error result with a suggestion for this kind of error."""
    hint = NEXT_STEP_BY_ERROR_CODE.get(kind)
    text = message if hint is None else f"{message}\nSuggestion: {hint}"
    suggestions = [] if hint is None else [hint]
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        is_error=True,
        _meta={ERROR_META_KEY: {"kind": kind, "code": number, "suggestions": suggestions}},
    )


async def await_while_reporting_progress(ctx: Context, work: Awaitable[T], name: str) -> T:
    """Await the work. If the request asked for progress, report it to the client every second."""
    if "progress_token" not in (ctx.meta or {}):
        return await work
    task = asyncio.ensure_future(work)
    seconds = 0
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=PROGRESS_INTERVAL_S)
            if done:
                return task.result()
            seconds += 1
            await ctx.session.report_progress(seconds, None, f"waiting for {name}")
    finally:
        task.cancel()  # the request was cancelled, or the report failed
