"""Runs the tool calls that a model requests.

Read-only calls run in parallel. All others run one at a time, because their order may matter.
"""

import asyncio
from collections.abc import Collection, Sequence
from itertools import groupby

from conductor.agent.answer import Answer
from conductor.agent.deps import ChatDeps
from conductor.agent.tools_for_model import (
    add_partner_tools,
    describe_discovered_tools,
    describe_failure,
    find_pending_plan_id,
    render_outcome,
)
from conductor.base.clock import now
from conductor.domain.chat.messages import ToolCallPart, ToolResultPart
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams
from conductor.tools.catalog.discover import DiscoveryResult
from conductor.tools.discovery import CORE_TOOLS, UNSEARCHABLE_TOOLS
from conductor.tools.executor import ToolOutcome

STOPPED_BY_USER_REASON = "stopped by the user"
MAX_REPEATED_CALLS = 3
"""How many identical tool calls in a row are run. Models sometimes repeat one call endlessly."""
REPEATED_CALL_MESSAGE = (
    "This same call was made {times} times in a row, so it was not run again. "
    "Use the results above, change the arguments, or tell the user what is missing."
)
MAX_PARALLEL_CALLS = 8


class ToolCallRunner:
    """Runs the tool calls of one answer and adds exactly one result for each call, as providers require."""

    def __init__(self, deps: ChatDeps, answer: Answer) -> None:
        self._deps = deps
        self._answer = answer

    async def run_calls(
        self, calls: Sequence[ToolCallPart], by: Requester, sent: Collection[str] = ()
    ) -> None:
        """Run the tool calls of one model request and add their results to the answer.

        `sent` contains the names of the tools that the request offered. Any other tool that the model finds
        or calls is offered from now on.
        """
        known = {*sent, *CORE_TOOLS, *UNSEARCHABLE_TOOLS}
        tools = [tool for tool in self._deps.tools() if tool.tier == "read_only"]
        reads = {name for tool in tools for name in (tool.name, tool.wire_name)}
        for is_read, group in groupby(calls, lambda call: call.tool in reads):
            if is_read:
                outcomes = await self._run_parallel(list(group), by)
            else:
                outcomes = [await self.run_call(call, by) for call in group]
            for outcome in outcomes:
                self._note_discovered_tools(outcome, known)

    def fail_unanswered_calls(self, reason: str = STOPPED_BY_USER_REASON) -> None:
        """Add a failed result with this reason to each tool call that has no result, so that the answer can
        end.
        """
        for call in self._answer.list_unanswered_calls():
            self._answer.add_result(_build_result(call, reason, ok=False))

    async def _run_parallel(
        self, calls: Sequence[ToolCallPart], by: Requester
    ) -> list[ToolOutcome | None]:
        slots = asyncio.Semaphore(MAX_PARALLEL_CALLS)

        async def run_limited(call: ToolCallPart) -> ToolOutcome | None:
            async with slots:
                return await self.run_call(call, by)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run_limited(call)) for call in calls]
        return [task.result() for task in tasks]

    async def run_call(self, call: ToolCallPart, by: Requester) -> ToolOutcome | None:
        """Run one tool call, add its result to the answer and return the outcome.

        A call with malformed arguments, or one repeated too often, gets a failed result without being run;
        None is returned.
        """
        if call.malformed is not None:
            words = (
                f"The arguments are not a JSON object, so nothing was done: {call.malformed[:200]}"
            )
            self._answer.add_result(
                _build_result(call, describe_failure(words, InvalidParams.code), ok=False)
            )
            return None
        if self._count_repeats(call) > MAX_REPEATED_CALLS:
            words = REPEATED_CALL_MESSAGE.format(times=MAX_REPEATED_CALLS)
            self._answer.add_result(
                _build_result(call, describe_failure(words, InvalidParams.code), ok=False)
            )
            return None
        started = now()
        outcome = await self._deps.call(call.tool, call.arguments, by)
        named = call if outcome.tool is None else _copy_call_with_name(call, outcome.tool.name)
        self._answer.add_result(
            _build_result(
                named,
                render_outcome(outcome),
                ok=outcome.error is None,
                plan_id=find_pending_plan_id(outcome),
                code=None if outcome.error is None else outcome.error.code,
                duration_ms=round((now() - started) * 1000, 3),
            )
        )
        return outcome

    def _count_repeats(self, call: ToolCallPart) -> int:
        """Return how many times in a row this answer contains the same call, including this one."""
        times = 0
        for part in self._answer.written_parts:
            if isinstance(part, ToolCallPart):
                is_same = (part.tool, part.arguments) == (call.tool, call.arguments)
                times = times + 1 if is_same else 0
                if part.call_id == call.call_id:
                    break
        return times

    def _note_discovered_tools(self, outcome: ToolOutcome | None, known: set[str]) -> None:
        """Record the tools that a call discovered or used in a note, so that later requests offer these tools.

        A tool that was left out because the context window is small counts as newly discovered.
        """
        if outcome is None:
            return
        if isinstance(outcome.result, DiscoveryResult):
            names = [skill.name for skill in outcome.result.skills]
        else:
            names = [] if outcome.tool is None else [outcome.tool.wire_name]
        tools = {tool.wire_name: tool for tool in self._deps.tools()}
        found = [
            tools[name]
            for name in add_partner_tools(names)
            if name in tools and name not in (*CORE_TOOLS, *UNSEARCHABLE_TOOLS)
        ]
        new = [tool for tool in found if tool.wire_name not in known]
        if new:
            known.update(tool.wire_name for tool in new)
            self._answer.add_note(
                "found", describe_discovered_tools(new), tools=[tool.name for tool in found]
            )


def _copy_call_with_name(call: ToolCallPart, name: str) -> ToolCallPart:
    """Return the tool call with the registered name of the tool.

    The model used the name on the wire, which may differ.
    """
    return call if call.tool == name else call.model_copy(update={"tool": name})


def _build_result(
    call: ToolCallPart,
    content: str,
    *,
    ok: bool,
    plan_id: str | None = None,
    code: str | None = None,
    duration_ms: float = 0,
) -> ToolResultPart:
    return ToolResultPart(
        call_id=call.call_id,
        tool=call.tool,
        ok=ok,
        content=content,
        plan_id=plan_id,
        code=code,
        duration_ms=duration_ms,
    )
