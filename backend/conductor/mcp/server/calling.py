"""Tools as an agent sees them: the list, the call, and errors that say what to do next."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from conductor.domain.plan import ConfigPlan, Requester
from conductor.errors import ConductorError
from conductor.mcp.server.approval import APPLY, Approval
from conductor.mcp.server.deps import Outcome, ServerDeps, Tool
from conductor.mcp.server.read_cache import ReadCache
from conductor.mcp.server.requesters import SocketCaller, requester
from conductor.mcp.server.resources import ResourceUpdates
from conductor.mcp.server.schema_outline import listed_outline
from conductor.mcp.server.task import Task
from conductor.mcp.server.tasks import Tasks
from conductor.tools.next_steps import NEXT_STEPS

Context = ServerRequestContext[Any]
T = TypeVar("T")
TIER_KEY = "conductor/riskTier"
ERROR_KEY = "conductor/error"
PROGRESS_EVERY_S = 1.0
DANGEROUS = "conductor_send_sysex"


class Calling:
    """Handles `tools/list` and `tools/call`."""

    def __init__(self, desk: ServerDeps, tasks: Tasks, news: ResourceUpdates) -> None:
        self._desk = desk
        self._log = news.log
        self._tasks = tasks
        self._approval = Approval(desk, news.bus)
        self._listed: dict[str, types.Tool] = {}

    async def list_tools(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[self._shown(tool) for tool in self._desk.gate.tools()])

    def _shown(self, tool: Tool) -> types.Tool:
        if tool.name not in self._listed:
            self._listed[tool.name] = list_tools(tool)
        return self._listed[tool.name]

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult | dict[str, Any]:
        by, arguments = requester(ctx), params.arguments or {}
        if self._tasks.may_start(ctx):
            return await self._run_as_task(ctx, params, by)
        call = self._desk.gate.call(params.name, arguments, by)
        outcome = known(await with_progress(ctx, call, params.name), params.name)
        await self._log.send(ctx, params.name, outcome)
        if params.name == APPLY and outcome.error is not None:
            return await self._ask(ctx, params, by, outcome)
        return call_tool(outcome)

    async def _run_as_task(
        self, ctx: Context, params: types.CallToolRequestParams, by: Requester
    ) -> types.CallToolResult | dict[str, Any]:
        """Answer with the result or a task; log messages can only be sent while the request is open."""
        ended: list[Outcome] = []
        answer = await self._tasks.run(
            ctx, lambda task: self._in_task(ctx, task, params, by, ended.append)
        )
        for outcome in ended[:1]:
            await self._log.send(ctx, params.name, outcome)
        return answer

    async def _in_task(
        self,
        ctx: Context,
        task: Task,
        params: types.CallToolRequestParams,
        by: Requester,
        on_end: Callable[[Outcome], None],
    ) -> types.CallToolResult:
        """Call a tool for a client that knows tasks: a plan that nobody has approved is waited for."""
        arguments = params.arguments or {}
        outcome = known(await self._desk.gate.call(params.name, arguments, by), params.name)
        on_end(outcome)
        if params.name != APPLY or outcome.error is None:
            return call_tool(outcome)
        plan = await self._approval.waiting(arguments, outcome)
        if plan is None:
            return call_tool(outcome)
        try:
            answer = await self._approval.wait(ctx, task, plan, by)
        except ConductorError as error:
            return error_result(str(error), error.code, error.number)
        if answer == "declined":
            return declined_result(plan)
        task.commit()
        return call_tool(await self._desk.gate.call(params.name, arguments, by))

    async def _ask(
        self, ctx: Context, params: types.CallToolRequestParams, by: Requester, outcome: Outcome
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Ask the user by the client's form, when that is allowed; else say what the plan waits for."""
        plan = await self._approval.waiting(params.arguments or {}, outcome)
        if plan is None:
            return call_tool(outcome)
        asking = self._approval.ask(ctx, params, plan, by)
        try:
            answer = await with_progress(ctx, asking, "the user's approval")
        except ConductorError as error:
            return error_result(str(error), error.code, error.number)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        if answer == "accepted":
            again = self._desk.gate.call(params.name, params.arguments or {}, by)
            return call_tool(await again)
        if answer == "declined":
            return declined_result(plan)
        return answer_result(_plan_data(plan), f"Not applied yet. {outcome.error}")


def cached_answer(desk: ServerDeps, caller: SocketCaller) -> ReadCache:
    """Make what answers repeated reads on one connection."""

    async def read(name: str, arguments: dict[str, Any], by: Requester) -> dict[str, Any]:
        return as_result(await desk.gate.call(name, arguments, by))

    reads = frozenset(tool.name for tool in desk.gate.tools() if tool.tier == "read_only")
    return ReadCache(reads, read, lambda: caller.latest)


def list_tools(tool: Tool) -> types.Tool:
    """Return a tool as `tools/list` shows it."""
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=listed_outline(tool.name, tool.output_schema),
        annotations=annotations(tool),
        _meta={TIER_KEY: tool.tier},
    )


def annotations(tool: Tool) -> types.ToolAnnotations:
    """Return the hints that follow from a tool's tier. A plan changes nothing; applying one does."""
    return types.ToolAnnotations(
        read_only_hint=tool.tier == "read_only",
        destructive_hint=tool.tier in ("privileged", "request") or tool.name == DANGEROUS,
        idempotent_hint=tool.idempotent,
        open_world_hint=tool.tier == "hardware_io",
    )


def known(outcome: Outcome, name: str) -> Outcome:
    """Return how a call ended.

    Raises:
        MCPError: there is no such tool.
    """
    if outcome.error is not None and outcome.error.code == "tool_not_found":
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name[:80]}")
    return outcome


def declined_result(plan: ConfigPlan) -> types.CallToolResult:
    """Build the result of a plan that the user has declined."""
    return error_result(
        f"The user declined plan {plan.plan_id}; do not ask for it again", "declined"
    )


def call_tool(outcome: Outcome) -> types.CallToolResult:
    """Return the end of a call as its result; an error is a result too, which the model can read."""
    if outcome.error is not None:
        return error_result(str(outcome.error), outcome.error.code, outcome.error.number)
    return answer_result(_data_of(outcome))


def as_result(outcome: Outcome) -> dict[str, Any]:
    """Return the end of a call as `call_tool` does, but as JSON-ready data."""
    if outcome.error is not None:
        return call_tool(outcome).model_dump(mode="json", by_alias=True, exclude_none=True)
    data = _data_of(outcome)
    content = [{"type": "text", "text": json.dumps(data, ensure_ascii=False)}]
    return {"content": content, "structuredContent": data, "isError": False}


def _data_of(outcome: Outcome) -> dict[str, Any]:
    if isinstance(outcome.result, ConfigPlan):
        return _plan_data(outcome.result)
    return outcome.plain()


def _plan_data(plan: ConfigPlan) -> dict[str, Any]:
    """Return a plan with the overlaps that it brings; an agent pays for each one that was there before."""
    new = tuple(one for one in plan.overlaps if one.is_new)
    data = plan.model_copy(update={"overlaps": new}).model_dump(mode="json")
    return {name: _without_empty(item) for name, item in data.items()}


def _without_empty(item: Any) -> Any:
    """Drop what says nothing inside a plan: a third of its tokens were nulls and empty lists."""
    if isinstance(item, dict):
        return {
            name: _without_empty(each)
            for name, each in item.items()
            if each is not None and each not in ("", [], {})
        }
    return [_without_empty(each) for each in item] if isinstance(item, list) else item


def answer_result(data: dict[str, Any], text: str | None = None) -> types.CallToolResult:
    """Return data as structured content, and as text for clients that show only text."""
    words = json.dumps(data, ensure_ascii=False) if text is None else f"{text}\n{json.dumps(data)}"
    return types.CallToolResult(
        content=[types.TextContent(text=words)], structured_content=data, is_error=False
    )


def error_result(
    message: str, kind: str, number: int = ConductorError.number
) -> types.CallToolResult:
    """Return an error with what to do next."""
    hint = NEXT_STEPS.get(kind)
    text = message if hint is None else f"{message}\nSuggestion: {hint}"
    suggestions = [] if hint is None else [hint]
    return types.CallToolResult(
        content=[types.TextContent(text=text)],
        is_error=True,
        _meta={ERROR_KEY: {"kind": kind, "code": number, "suggestions": suggestions}},
    )


async def with_progress(ctx: Context, work: Awaitable[T], what: str) -> T:
    """Await, and tell a client that wants to know each second that it still runs."""
    if "progress_token" not in (ctx.meta or {}):
        return await work
    task = asyncio.ensure_future(work)
    seconds = 0
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=PROGRESS_EVERY_S)
            if done:
                return task.result()
            seconds += 1
            await ctx.session.report_progress(seconds, None, f"waiting for {what}")
    finally:
        task.cancel()
