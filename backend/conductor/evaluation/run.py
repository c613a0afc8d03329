"""Runs the cases of a benchmark with a model, one after another, until a cost limit is reached."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from conductor.agent.tools_for_model import CHANGING_TIERS
from conductor.base.clock import now
from conductor.errors import ConductorError
from conductor.evaluation.case import Case
from conductor.evaluation.estimate import estimate_tokens
from conductor.evaluation.judge import OWN_TOOL_PREFIX, judge_case
from conductor.evaluation.score import Result
from conductor.evaluation.staged import Model, StagedConductor, TurnResult
from conductor.tools.catalog import REGISTRY


async def run_case(
    case: Case, model: Model, run: int = 0, budget_usd: float | None = None
) -> Result:
    """Run the conversation of a case once, and judge it.

    Errors of the model are part of the result and never raised.
    """
    with tempfile.TemporaryDirectory(prefix="conductor-eval-") as folder:
        staged = await asyncio.to_thread(StagedConductor, Path(folder), case, model, budget_usd)
        try:
            return await run_turns(case, staged, run)
        finally:
            await asyncio.to_thread(staged.close)


async def run_turns(case: Case, staged: StagedConductor, run: int) -> Result:
    """Send each message of a case to the staged Conductor, and return the judgement of the conversation."""
    turns: list[TurnResult] = []
    started = now()
    try:
        for case_turn in case.turns:
            turns.append(await staged.send_turn(case_turn))  # noqa: PERF401 - what came before a failure counts
        reasons = await asyncio.to_thread(judge_case, case, staged, turns)
    except TimeoutError:
        reasons = ["the answer took too long"]
    except ConductorError as error:
        reasons = [str(error)]
    usage = await asyncio.to_thread(staged.read_usage)
    entries = staged.calls.entries
    return Result(
        case=case.id,
        family=case.family,
        run=run,
        passed=not reasons,
        reasons=tuple(reasons),
        valid_first_try=_is_valid_first_try(staged),
        tools=tuple(entry.tool.removeprefix(OWN_TOOL_PREFIX) for entry in entries),
        usage=usage,
        latency_s=round(now() - started, 3),
        answer=turns[-1].get_answer_text()[:2_000] if turns else "",
        failure=next((one.message.failure for one in turns if one.message.failure), None),
    )


def _is_valid_first_try(staged: StagedConductor) -> bool | None:
    for entry in staged.calls.entries:
        tool = REGISTRY.find_tool(entry.tool)
        if tool is not None and tool.tier in CHANGING_TIERS:
            return entry.outcome != "params_invalid"
    return None


async def run_suite(
    cases: Sequence[Case], model: Model, runs: int, max_cost_usd: float
) -> AsyncIterator[Result]:
    """Run cases and yield their results; every case is run once before any is repeated.

    The run ends before the cost limit would be exceeded.
    """
    spent = 0.0
    for run in range(runs):
        for case in cases:
            expected = estimate_tokens([case])
            price = model.cost(model.provider.kind, model.name(), expected) or 0.0
            if spent + price > max_cost_usd:
                return
            result = await run_case(case, model, run, max_cost_usd - spent)
            spent += result.usage.cost_usd or 0.0
            yield result
