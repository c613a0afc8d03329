"""Tasks without a server: when a call becomes one, how long it is kept, and how it ends; with a fixed clock."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from conductor.mcp.server.task import ToolCallTask
from conductor.mcp.server.tasks import (
    CLIENT_CAPABILITIES_KEY,
    MAX_TASKS_PER_OWNER,
    TASK_TIME_TO_LIVE,
    TASKS_EXTENSION,
    TaskHandlers,
    TaskParams,
)

DONE = types.CallToolResult(content=[types.TextContent(text="done")])
KNOWS = {CLIENT_CAPABILITIES_KEY: {"extensions": {TASKS_EXTENSION: {}}}}


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 23, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


def request(
    owner: str = "one", version: str = "2026-07-28", meta: Any = KNOWS, headers: Any = None
) -> Any:
    connection = (
        SimpleNamespace(owner=owner)
        if headers is None
        else SimpleNamespace(owner=owner, headers=headers)
    )
    return SimpleNamespace(protocol_version=version, params={"_meta": meta}, request=connection)


def owner_of(ctx: Any) -> str:
    return ctx.request.owner


class Stage:
    """Tasks whose calls become tasks as soon as they wait for anything."""

    def __init__(self, direct_answer_s: float = 0) -> None:
        self.clock = Clock()
        self.tasks = TaskHandlers(owner_of, clock=self.clock, direct_answer_s=direct_answer_s)
        self.go = asyncio.Event()
        self.was_cancelled = False

    async def slow(self, _task: ToolCallTask) -> types.CallToolResult:
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return DONE

    async def start(self, work: Any = None, **by: Any) -> str:
        created = await self.tasks.run_call(request(**by), work or self.slow)
        assert isinstance(created, dict)
        return created["taskId"]

    async def get(self, task_id: str, **by: Any) -> dict[str, Any]:
        return await self.tasks._handle_get(request(**by), TaskParams(task_id=task_id))  # pyright: ignore[reportPrivateUsage]

    async def cancel(self, task_id: str) -> None:
        await self.tasks._handle_cancel(request(), TaskParams(task_id=task_id))  # pyright: ignore[reportPrivateUsage]

    async def wait_ended(self, task_id: str) -> dict[str, Any]:
        await settle()
        task = await self.get(task_id)
        assert task["status"] in ("completed", "failed", "cancelled")
        return task


async def settle() -> None:
    """Run the loop until all ready tasks have run."""
    for _ in range(20):
        await asyncio.sleep(0)


def play(scene: Callable[[Stage], Awaitable[None]], direct_answer_s: float = 0) -> None:
    async def run() -> None:
        await scene(Stage(direct_answer_s))

    asyncio.run(run())


def test_a_call_that_takes_long_becomes_a_task_and_keeps_its_result():
    async def scene(stage: Stage) -> None:
        task_id = await stage.start()
        assert (await stage.get(task_id))["status"] == "working"
        stage.go.set()
        wait_ended = await stage.wait_ended(task_id)
        assert wait_ended["status"] == "completed"
        assert wait_ended["result"]["content"] == [{"type": "text", "text": "done"}]

    play(scene)


def test_a_call_that_is_quick_is_answered_at_once_and_leaves_no_task():
    async def scene(stage: Stage) -> None:
        stage.go.set()
        assert await stage.tasks.run_call(request(), stage.slow) is DONE
        for _ in range(MAX_TASKS_PER_OWNER + 1):
            await stage.tasks.run_call(request(), stage.slow)
        assert stage.tasks.may_start_task(request())

    play(scene, direct_answer_s=60)


def test_a_call_that_waits_for_the_user_becomes_a_task_at_once():
    async def scene(stage: Stage) -> None:
        async def asks_the_user(task: ToolCallTask) -> types.CallToolResult:
            task.set_waiting_message("Waiting for the user")
            return await stage.slow(task)

        task_id = await stage.start(asks_the_user)
        assert (await stage.get(task_id))["statusMessage"] == "Waiting for the user"
        stage.go.set()
        assert "statusMessage" not in await stage.wait_ended(task_id)

    play(scene, direct_answer_s=3600)


def test_a_cancelled_task_stops_its_work():
    async def scene(stage: Stage) -> None:
        task_id = await stage.start()
        await stage.cancel(task_id)
        assert (await stage.get(task_id))["status"] == "cancelled"
        await asyncio.sleep(0)
        assert stage.was_cancelled
        stage.go.set()
        assert (await stage.get(task_id))["status"] == "cancelled"

    play(scene)


def test_an_irrevocable_step_continues_after_a_cancel():
    async def scene(stage: Stage) -> None:
        async def applies(task: ToolCallTask) -> types.CallToolResult:
            task.mark_irrevocable()
            return await stage.slow(task)

        task_id = await stage.start(applies)
        await stage.cancel(task_id)
        assert (await stage.get(task_id))["status"] == "working"
        stage.go.set()
        assert (await stage.wait_ended(task_id))["status"] == "completed"

    play(scene)


@pytest.mark.parametrize(
    ("error", "code"),
    [(MCPError(types.INVALID_PARAMS, "no such thing"), types.INVALID_PARAMS), (KeyError("x"), types.INTERNAL_ERROR)],
)  # fmt: skip
def test_an_error_of_the_protocol_fails_the_task(error: Exception, code: int):
    async def scene(stage: Stage) -> None:
        async def breaks(_task: ToolCallTask) -> types.CallToolResult:
            await stage.go.wait()
            raise error

        task_id = await stage.start(breaks)
        stage.go.set()
        wait_ended = await stage.wait_ended(task_id)
        assert wait_ended["status"] == "failed"
        assert wait_ended["error"]["code"] == code
        assert "result" not in wait_ended

    play(scene)


def test_a_task_is_kept_until_it_expires():
    async def scene(stage: Stage) -> None:
        task_id = await stage.start()
        ttl_ms = (await stage.get(task_id))["ttlMs"]
        assert ttl_ms == TASK_TIME_TO_LIVE.total_seconds() * 1000
        stage.clock.time += TASK_TIME_TO_LIVE - timedelta(milliseconds=1)
        assert (await stage.get(task_id))["status"] == "working"
        stage.clock.time += timedelta(milliseconds=1)
        with pytest.raises(MCPError, match="Call the tool again"):
            await stage.get(task_id)
        await asyncio.sleep(0)
        assert stage.was_cancelled

    play(scene)


def test_the_limit_of_tasks_is_per_client():
    async def scene(stage: Stage) -> None:
        for _ in range(MAX_TASKS_PER_OWNER):
            assert stage.tasks.may_start_task(request())
            await stage.start()
        assert not stage.tasks.may_start_task(request())
        assert stage.tasks.may_start_task(request("another"))
        stage.clock.time += TASK_TIME_TO_LIVE
        assert stage.tasks.may_start_task(request())

    play(scene)


@pytest.mark.parametrize(
    ("version", "meta"),
    [
        ("2025-11-25", KNOWS),
        ("2026-07-28", None),
        ("2026-07-28", {CLIENT_CAPABILITIES_KEY: {}}),
        ("2026-07-28", {CLIENT_CAPABILITIES_KEY: {"extensions": []}}),
        (
            "2026-07-28",
            {CLIENT_CAPABILITIES_KEY: {"extensions": {"io.modelcontextprotocol/ui": {}}}},
        ),
        ("2026-07-28", {CLIENT_CAPABILITIES_KEY: "all"}),
    ],
)
def test_only_a_request_that_declares_the_extension_may_become_a_task(version: str, meta: Any):
    async def scene(stage: Stage) -> None:
        assert not stage.tasks.may_start_task(request(version=version, meta=meta))
        with pytest.raises(MCPError) as refused:
            await stage.get("x", version=version, meta=meta)
        assert refused.value.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY

    play(scene)


def test_over_http_the_header_must_name_the_task():
    async def scene(stage: Stage) -> None:
        task_id = await stage.start()
        assert (await stage.get(task_id, headers={"mcp-name": task_id}))["taskId"] == task_id
        for headers in ({}, {"mcp-name": "another"}):
            with pytest.raises(MCPError) as refused:
                await stage.get(task_id, headers=headers)
            assert refused.value.code == types.HEADER_MISMATCH

    play(scene)


def test_two_questions_have_keys_of_their_own_and_are_answered_one_by_one():
    async def scene(stage: Stage) -> None:
        form = types.ElicitRequest(
            params=types.ElicitRequestFormParams(
                message="Sure?", requested_schema={"type": "object", "properties": {}}
            )
        )

        async def asks(task: ToolCallTask) -> types.CallToolResult:
            await asyncio.gather(task.ask_user("sure", form), task.ask_user("sure", form))
            last = await task.ask_user("sure", form)
            return types.CallToolResult(content=[types.TextContent(text=last.action)])

        task_id = await stage.start(asks)
        task = stage.tasks._tasks[task_id]  # pyright: ignore[reportPrivateUsage]
        first, second = (await stage.get(task_id))["inputRequests"]
        task.submit_answers({first: {"action": "accept", "content": {}}, "made-up": 3})
        assert list((await stage.get(task_id))["inputRequests"]) == [second]
        task.submit_answers({first: {"action": "decline"}})
        task.submit_answers({second: {"action": "accept"}})
        await settle()
        (third,) = (await stage.get(task_id))["inputRequests"]
        assert third not in (first, second)
        task.submit_answers({third: {"action": "decline"}})
        assert (await stage.wait_ended(task_id))["result"]["content"][0]["text"] == "decline"

    play(scene)


def test_nothing_runs_on_when_conductor_ends():
    async def scene(stage: Stage) -> None:
        task_id = await stage.start()
        stage.tasks.stop()
        assert (await stage.get(task_id))["status"] == "cancelled"
        await asyncio.sleep(0)
        assert stage.was_cancelled

    play(scene)
