"""Answers of tools to actions performed once: never one for another, and no more than is known."""

import asyncio
from concurrent.futures import Future
from typing import Any

from conductor.domain.engine_protocol import PluginAnswered, PluginCall
from conductor.errors import ActionFailed, ConductorError
from conductor.runtime.plugin_calls import CallOutcome, PluginCalls
from conductor.tools.executor import ToolOutcome


class Told:
    """Replaces the engine, the gate and the servers of a Conductor that shuts down; records the messages."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.calls: list[str] = []

    def send(self, message: PluginAnswered) -> None:
        self.answers.append(message)

    async def call_tool(self, name: str, arguments: dict[str, Any], requester: Any) -> Any:
        self.calls.append(name)

    def explain_missing_tool(self, server: str, tool: str) -> str:
        return ""


def test_a_call_that_comes_while_conductor_ends_is_refused_and_not_made():
    told = Told()

    async def work() -> None:
        calls = PluginCalls(told)
        calls.start_accepting(told, told)
        message = PluginCall(1, "lamp", "fade", {}, timeout_s=1.0, by="x")
        calls.on_message(message)  # it is queued in the loop
        await calls.close()
        await asyncio.sleep(0)
        calls.on_message(message)

    asyncio.run(work())
    assert told.calls == []
    assert told.answers == [PluginAnswered(1, "Conductor is shutting down")] * 2


class Slow:
    """Replaces the engine, the gate and the servers; each tool answers when the test says so."""

    def __init__(self) -> None:
        self.answers: dict[str, asyncio.Future[ConductorError | None]] = {}

    def send(self, message: PluginAnswered) -> None:
        return

    async def call_tool(self, name: str, arguments: dict[str, Any], requester: Any) -> ToolOutcome:
        self.answers[name] = asyncio.get_running_loop().create_future()
        return ToolOutcome(None, error=await self.answers[name])

    def explain_missing_tool(self, server: str, tool: str) -> str:
        return ""


def perform(calls: PluginCalls, number: int, timeout_s: float = 10.0) -> "Future[CallOutcome]":
    """Do what the engine does when it performs an action once."""
    ending = calls.expect_outcome(number)
    place = f"preview #0, preview {number}"
    calls.on_message(PluginCall(number, "s", f"t{number}", {}, timeout_s, place))
    return ending


async def asked(slow: Slow, tool: str) -> "asyncio.Future[ConductorError | None]":
    async with asyncio.timeout(5):
        while tool not in slow.answers:  # noqa: ASYNC110 - the loop has only to turn
            await asyncio.sleep(0)
    return slow.answers[tool]


def test_a_late_answer_is_never_taken_for_that_of_another_action():
    async def work() -> None:
        slow = Slow()
        calls = PluginCalls(slow)
        calls.start_accepting(slow, slow)
        late, next_one = perform(calls, 1), perform(calls, 2)
        first, second = await asked(slow, "mcp:s:t1"), await asked(slow, "mcp:s:t2")
        first.set_result(ActionFailed("A is broken"))
        assert await asyncio.wrap_future(late) == CallOutcome("A is broken", is_known=True)
        assert not next_one.done()
        second.set_result(None)
        assert await asyncio.wrap_future(next_one) == CallOutcome(None, is_known=True)
        await calls.close()

    asyncio.run(work())


def test_a_tool_that_does_not_answer_in_its_time_may_have_done_it():
    async def work() -> None:
        slow = Slow()
        calls = PluginCalls(slow)
        calls.start_accepting(slow, slow)
        ending = await asyncio.wrap_future(perform(calls, 1, timeout_s=0.01))
        assert not ending.is_known
        assert "did not answer" in str(ending.reason)
        await calls.close()

    asyncio.run(work())
