"""Implements MCP tasks: calls that may take longer than their request (SEP-2663, 2026-07-28).

A client that declares `io.modelcontextprotocol/tasks` with a request may get a handle instead of a result.
The client polls with `tasks/get`, answers questions with `tasks/update` and cancels with `tasks/cancel`. Other
clients always get a result. The specification is at
modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value

from conductor.base.json_types import JsonObject
from conductor.mcp.server.forms import MODERN_PROTOCOL_VERSION
from conductor.mcp.server.task import ToolCallTask, ToolResult

Context = ServerRequestContext[Any]
TaskWork = Callable[[ToolCallTask], Awaitable[ToolResult]]
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
MAX_DIRECT_ANSWER_S = 1.0
"""A call that ends within this time is answered directly, with one message instead of three."""
TASK_TIME_TO_LIVE = timedelta(hours=1)
MAX_TASKS_PER_OWNER, MAX_TASKS = 64, 512


class TaskParams(types.RequestParams):
    """The parameters of a request about one task, which contain the id of the task."""

    task_id: str


class TaskUpdateParams(TaskParams):
    """The parameters of `tasks/update`: the id of the task, and the client's answers to its questions."""

    input_responses: JsonObject


class TaskHandlers:
    """Handles the MCP requests `tasks/*`, and stores each task until it expires."""

    def __init__(
        self,
        owner: Callable[[Context], Hashable],
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        direct_answer_s: float = MAX_DIRECT_ANSWER_S,
    ) -> None:
        self._owner = owner
        self._clock = clock
        self._direct_answer_s = direct_answer_s
        self._tasks: dict[str, ToolCallTask] = {}

    def register_handlers(self, server: Server[Any]) -> None:
        """Announce the tasks extension, and register its request handlers."""
        server.extensions[TASKS_EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self._handle_get)
        server.add_request_handler("tasks/update", TaskUpdateParams, self._handle_update)
        server.add_request_handler("tasks/cancel", TaskParams, self._handle_cancel)

    def stop(self) -> None:
        """Cancel all running tasks, because Conductor is shutting down."""
        for task in self._tasks.values():
            task.cancel("Conductor was stopped")

    def may_start_task(self, ctx: Context) -> bool:
        """Return whether a call may become a task.

        The client must declare the extension, and must not have too many tasks.
        """
        if not declares_tasks_extension(ctx):
            return False
        self._drop_expired_tasks()
        owner = self._owner(ctx)
        own = sum(1 for task in self._tasks.values() if task.owner == owner)
        return own < MAX_TASKS_PER_OWNER and len(self._tasks) < MAX_TASKS

    async def run_call(self, ctx: Context, work: TaskWork) -> ToolResult | JsonObject:
        """Run the call and return its result, or a task if the call takes long or waits for the user."""
        task = ToolCallTask(self._owner(ctx), self._clock, TASK_TIME_TO_LIVE)
        job = asyncio.ensure_future(work(task))
        task.attach_job(job)
        open_ended = asyncio.ensure_future(task.is_open_ended.wait())
        try:
            await asyncio.wait(
                {job, open_ended},
                timeout=self._direct_answer_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
        except asyncio.CancelledError:  # the client cancelled its request before it had a handle
            job.cancel()
            raise
        finally:
            open_ended.cancel()
        if job.done():
            return job.result()
        self._tasks[task.task_id] = task
        return {"resultType": "task", **task.build_summary()}

    async def _handle_get(self, ctx: Context, params: TaskParams) -> JsonObject:
        return {**self._find_task(ctx, params).build_details()}

    async def _handle_update(self, ctx: Context, params: TaskUpdateParams) -> JsonObject:
        self._find_task(ctx, params).submit_answers(params.input_responses)
        return {}

    async def _handle_cancel(self, ctx: Context, params: TaskParams) -> JsonObject:
        self._find_task(ctx, params).cancel("The client cancelled the task")
        return {}

    def _find_task(self, ctx: Context, params: TaskParams) -> ToolCallTask:
        """Return the task that a request names.

        A task of another client counts as unknown.
        """
        require_tasks_extension(ctx)
        _require_routing_header(ctx, params.task_id)
        self._drop_expired_tasks()
        task = self._tasks.get(params.task_id)
        if task is None or task.owner != self._owner(ctx):
            problem = "Task not found: it never existed, belongs to another client, or has expired"
            raise MCPError(types.INVALID_PARAMS, f"{problem}. Call the tool again")
        return task

    def _drop_expired_tasks(self) -> None:
        now = self._clock()
        for task_id in [task.task_id for task in self._tasks.values() if task.expires_at <= now]:
            self._tasks.pop(task_id).cancel("The task has expired")


def declares_tasks_extension(ctx: Context) -> bool:
    """Return whether the client declares the tasks extension in this request."""
    if ctx.protocol_version < MODERN_PROTOCOL_VERSION:
        return False
    meta = (ctx.params or {}).get("_meta")
    capabilities = meta.get(CLIENT_CAPABILITIES_KEY) if isinstance(meta, Mapping) else None
    extensions = capabilities.get("extensions") if isinstance(capabilities, Mapping) else None
    return isinstance(extensions, Mapping) and TASKS_EXTENSION in extensions


def require_tasks_extension(ctx: Context) -> None:
    """Check that the client declares the tasks extension in this request.

    Raises:
        MCPError: The client does not. The error names the missing capability.
    """
    if not declares_tasks_extension(ctx):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"Missing required client capability: declare the extension {TASKS_EXTENSION}",
            {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}},
        )


def guard_subscriptions(listen: Callable[[Context, Any], Awaitable[Any]]) -> Any:
    """Wrap `subscriptions/listen` so that only clients that declare tasks may subscribe to tasks.

    Changes of tasks are never pushed, so a client must poll, and the acknowledgement lists no task.
    """

    async def guarded_listen(ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        if (params.notifications.model_extra or {}).get("taskIds"):
            require_tasks_extension(ctx)
        return await listen(ctx, params)

    return guarded_listen


def _require_routing_header(ctx: Context, task_id: str) -> None:
    """Check the routing header of a tasks request over HTTP.

    The library checks the header only for its own methods.
    """
    headers = getattr(ctx.request, "headers", None)
    if headers is not None and decode_header_value(headers.get(MCP_NAME_HEADER)) != task_id:
        raise MCPError(
            types.HEADER_MISMATCH,
            f"the {MCP_NAME_HEADER} header must be the `taskId` of the request",
        )
