"""Runs the calls that a model asks for: reads side by side, everything else one after the other."""

import asyncio
from collections.abc import Collection, Sequence
from itertools import groupby

from conductor.agent.answer import Answer
from conductor.agent.deps import ChatDeps
from conductor.agent.tools_for_model import (
    content_of,
    failure_words,
    found_words,
    plan_of,
    with_partners,
)
from conductor.base.clock import now
from conductor.domain.chat.messages import ToolCallPart, ToolResultPart
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams
from conductor.tools.catalog.discover import Discovered
from conductor.tools.discovery import CORE, NOT_FOUND
from conductor.tools.executor import Outcome

STOPPED = "stopped by the user"
SAME_AT_MOST = 3
"""Times that the very same call is made in a row."""
REPEATED = (
    "This very call was made {times} times in a row, so it was not made again. "
    "Use the results above, change the arguments, or tell the user what is missing."
)
AT_ONCE = 8


class Calls:
    """The hands of one answer: each call gets exactly one result."""

    def __init__(self, desk: ChatDeps, answer: Answer) -> None:
        self._desk = desk
        self._answer = answer

    async def run(
        self, calls: Sequence[ToolCallPart], by: Requester, sent: Collection[str] = ()
    ) -> None:
        """Run the calls of a request to which these tools were sent, by their names on the wire."""
        known = {*sent, *CORE, *NOT_FOUND}
        tools = [tool for tool in self._desk.tools() if tool.tier == "read_only"]
        reads = {name for tool in tools for name in (tool.name, tool.wire_name)}
        for together, group in groupby(calls, lambda call: call.tool in reads):
            if together:
                outcomes = await self._side_by_side(list(group), by)
            else:
                outcomes = [await self.one(call, by) for call in group]
            for outcome in outcomes:
                self._find(outcome, known)

    def answer_rest(self, reason: str = STOPPED) -> None:
        """Give every call that has no result one that says why."""
        for call in self._answer.unanswered():
            self._answer.result(_result(call, reason, ok=False))

    async def _side_by_side(
        self, calls: Sequence[ToolCallPart], by: Requester
    ) -> list[Outcome | None]:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(call: ToolCallPart) -> Outcome | None:
            async with room:
                return await self.one(call, by)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in calls]
        return [task.result() for task in tasks]

    async def one(self, call: ToolCallPart, by: Requester) -> Outcome | None:
        """Run a call, and add its result to the answer."""
        if call.malformed is not None:
            words = (
                f"The arguments are not a JSON object, so nothing was done: {call.malformed[:200]}"
            )
            self._answer.result(_result(call, failure_words(words, InvalidParams.code), ok=False))
            return None
        if self._times_in_a_row(call) > SAME_AT_MOST:
            words = REPEATED.format(times=SAME_AT_MOST)
            self._answer.result(_result(call, failure_words(words, InvalidParams.code), ok=False))
            return None
        began = now()
        outcome = await self._desk.call(call.tool, call.arguments, by)
        named = call if outcome.tool is None else _really(call, outcome.tool.name)
        self._answer.result(
            _result(
                named,
                content_of(outcome),
                ok=outcome.error is None,
                plan_id=plan_of(outcome),
                duration_ms=round((now() - began) * 1000, 3),
            )
        )
        return outcome

    def _times_in_a_row(self, call: ToolCallPart) -> int:
        """Count how often this answer has the same call without another in between, up to this one."""
        times = 0
        for part in self._answer.parts:
            if isinstance(part, ToolCallPart):
                is_same = (part.tool, part.arguments) == (call.tool, call.arguments)
                times = times + 1 if is_same else 0
                if part.call_id == call.call_id:
                    break
        return times

    def _find(self, outcome: Outcome | None, known: set[str]) -> None:
        """Have the model told from now on of what it found, or called without having been told of it.

        What it knew and has lost, as the window is small, counts as new: all that was found together is noted.
        """
        if outcome is None:
            return
        if isinstance(outcome.result, Discovered):
            names = [one.name for one in outcome.result.skills]
        else:
            names = [] if outcome.tool is None else [outcome.tool.wire_name]
        tools = {tool.wire_name: tool for tool in self._desk.tools()}
        found = [
            tools[name]
            for name in with_partners(names)
            if name in tools and name not in (*CORE, *NOT_FOUND)
        ]
        new = [tool for tool in found if tool.wire_name not in known]
        if new:
            known.update(tool.wire_name for tool in new)
            self._answer.note("found", found_words(new), tools=[tool.name for tool in found])


def _really(call: ToolCallPart, name: str) -> ToolCallPart:
    """Return a call by the tool's own name, in place of the one that the model's API takes."""
    return call if call.tool == name else call.model_copy(update={"tool": name})


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
