"""Runs the calls that a model asks for: reads side by side, everything else one after the other."""

import asyncio
from collections.abc import Sequence
from itertools import groupby

from conductor.agent.answer import Answer
from conductor.agent.desk import Desk
from conductor.agent.tools_for_model import content_of, failure_words, plan_of
from conductor.base.clock import now
from conductor.domain.chat import ToolCallPart, ToolResultPart
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams
from conductor.tools.executor import Outcome

STOPPED = "stopped by the user"
AT_ONCE = 8


class Calls:
    """The hands of one answer: each call gets exactly one result."""

    def __init__(self, desk: Desk, answer: Answer) -> None:
        self._desk = desk
        self._answer = answer

    async def run(self, calls: Sequence[ToolCallPart], by: Requester) -> None:
        reads = {tool.name for tool in self._desk.tools() if tool.tier == "read_only"}
        for together, group in groupby(calls, lambda call: call.tool in reads):
            if together:
                await self._side_by_side(list(group), by)
            else:
                for call in group:
                    await self.one(call, by)

    def answer_rest(self, reason: str = STOPPED) -> None:
        """Give every call that has no result one that says why."""
        for call in self._answer.unanswered():
            self._answer.result(_result(call, reason, ok=False))

    async def _side_by_side(self, calls: Sequence[ToolCallPart], by: Requester) -> None:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(call: ToolCallPart) -> None:
            async with room:
                await self.one(call, by)

        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(one(call))

    async def one(self, call: ToolCallPart, by: Requester) -> Outcome | None:
        """Run a call, and add its result to the answer."""
        if call.malformed is not None:
            words = (
                f"The arguments are not a JSON object, so nothing was done: {call.malformed[:200]}"
            )
            self._answer.result(_result(call, failure_words(words, InvalidParams.code), ok=False))
            return None
        began = now()
        outcome = await self._desk.call(call.tool, call.arguments, by)
        self._answer.result(
            _result(
                call,
                content_of(outcome),
                ok=outcome.error is None,
                plan_id=plan_of(outcome),
                duration_ms=round((now() - began) * 1000, 3),
            )
        )
        return outcome


def _result(
    call: ToolCallPart,
    content: str,
    *,
    ok: bool,
    plan_id: str | None = None,
    duration_ms: float = 0,
) -> ToolResultPart:
    return ToolResultPart(
        call_id=call.call_id,
        tool=call.tool,
        ok=ok,
        content=content,
        plan_id=plan_id,
        duration_ms=duration_ms,
    )
