"""Tasks: calls that go on after their answer, by the protocol's extension of 2026-07-28 (SEP-2663).

A client that declares `io.modelcontextprotocol/tasks` with a request may get a handle instead of a result: it
asks with `tasks/get` how the call stands, answers questions with `tasks/update`, ends it with `tasks/cancel`.
A client that does not declare it never meets any of this. The text of the extension is at
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

from conductor.mcp.server.forms import MODERN
from conductor.mcp.server.task import Result, Task

Context = ServerRequestContext[Any]
Work = Callable[[Task], Awaitable[Result]]
EXTENSION = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
ANSWERS_AT_ONCE_S = 1.0
"""A call that ends sooner is answered as for any client: one message is cheaper than three."""
TTL = timedelta(hours=1)
KEPT_FOR_ONE, KEPT_AT_MOST = 64, 512


class TaskParams(types.RequestParams):
    """Names a task."""

    task_id: str


class UpdateParams(TaskParams):
    """Answers questions of a task."""

    input_responses: dict[str, Any]


class Tasks:
    """Handles `tasks/*`, and keeps each task for its time."""

    def __init__(
        self,
        owner: Callable[[Context], Hashable],
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        at_once_s: float = ANSWERS_AT_ONCE_S,
    ) -> None:
        self._owner = owner
        self._clock = clock
        self._at_once_s = at_once_s
        self._kept: dict[str, Task] = {}

    def join(self, server: Server[Any]) -> None:
        """Announce the extension, and answer its requests."""
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self._get)
        server.add_request_handler("tasks/update", UpdateParams, self._update)
        server.add_request_handler("tasks/cancel", TaskParams, self._cancel)

    def stop(self) -> None:
        """Cancel what still runs."""
        for task in self._kept.values():
            task.cancel("Conductor has ended")

    def may_start(self, ctx: Context) -> bool:
        """Check whether a task may be the answer: the client knows tasks, and does not have too many."""
        if not declares(ctx):
            return False
        self._forget_old()
        owner = self._owner(ctx)
        own = sum(1 for task in self._kept.values() if task.owner == owner)
        return own < KEPT_FOR_ONE and len(self._kept) < KEPT_AT_MOST

    async def run(self, ctx: Context, work: Work) -> Result | dict[str, Any]:
        """Do the work and return its result, or a task when it takes long or waits for somebody."""
        task = Task(self._owner(ctx), self._clock, TTL)
        job = asyncio.ensure_future(work(task))
        task.attach(job)
        waits = asyncio.ensure_future(task.waits_for_somebody.wait())
        try:
            await asyncio.wait(
                {job, waits}, timeout=self._at_once_s, return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:
            job.cancel()
            raise
        finally:
            waits.cancel()
        if job.done():
            return job.result()
        self._kept[task.task_id] = task
        return {"resultType": "task", **task.plain()}

    async def _get(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        return self._found(ctx, params).detailed()

    async def _update(self, ctx: Context, params: UpdateParams) -> dict[str, Any]:
        self._found(ctx, params).answer(params.input_responses)
        return {}

    async def _cancel(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        self._found(ctx, params).cancel("The client cancelled it")
        return {}

    def _found(self, ctx: Context, params: TaskParams) -> Task:
        """Return the task that a request names; one of another client does not exist for this one."""
        require_declared(ctx)
        _require_header(ctx, params.task_id)
        self._forget_old()
        task = self._kept.get(params.task_id)
        if task is None or task.owner != self._owner(ctx):
            words = "Task not found: it never was, belongs to another client, or has expired"
            raise MCPError(types.INVALID_PARAMS, f"{words}. Call the tool again")
        return task

    def _forget_old(self) -> None:
        now = self._clock()
        for task_id in [one.task_id for one in self._kept.values() if one.expires_at <= now]:
            self._kept.pop(task_id).cancel("It has expired")


def declares(ctx: Context) -> bool:
    """Check whether a request says that its client knows tasks: it counts for this request only."""
    if ctx.protocol_version < MODERN:
        return False
    meta = (ctx.params or {}).get("_meta")
    able = meta.get(CAPABILITIES) if isinstance(meta, Mapping) else None
    known = able.get("extensions") if isinstance(able, Mapping) else None
    return isinstance(known, Mapping) and EXTENSION in known


def require_declared(ctx: Context) -> None:
    """Refuse a request of a client that does not say that it knows tasks.

    Raises:
        MCPError: with what is missing.
    """
    if not declares(ctx):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"Missing required client capability: declare the extension {EXTENSION}",
            {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
        )


def guard_listening(listen: Callable[[Context, Any], Awaitable[Any]]) -> Any:
    """Wrap `subscriptions/listen`: changes of tasks are not sent, and only clients that know tasks may ask.

    The acknowledgement names no task, which says that the client has to poll.
    """

    async def guarded(ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        if (params.notifications.model_extra or {}).get("taskIds"):
            require_declared(ctx)
        return await listen(ctx, params)

    return guarded


def _require_header(ctx: Context, task_id: str) -> None:
    """Check what routes a request over HTTP; for its own methods, the library does this."""
    headers = getattr(ctx.request, "headers", None)
    if headers is not None and decode_header_value(headers.get(MCP_NAME_HEADER)) != task_id:
        raise MCPError(
            types.HEADER_MISMATCH,
            f"the {MCP_NAME_HEADER} header must be the `taskId` of the request",
        )
