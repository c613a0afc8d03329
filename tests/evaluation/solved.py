"""The conversations of each case, held once for all tests: its solution, and one in which nothing is done."""

import asyncio
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.evaluation.scripted import Scripted, cents_a_thousand
from tests.support.running import short_home

from conductor.domain.chat.messages import TextPart
from conductor.domain.config import Config
from conductor.evaluation.case import load_cases
from conductor.evaluation.judge import judge_case
from conductor.evaluation.run import run_turns
from conductor.evaluation.score import Result
from conductor.evaluation.staged import Model, StagedConductor, TurnResult

CASES = {case.id: case for case in load_cases()}


class Solved(NamedTuple):
    """The result of a case's solution, and the config before and after it."""

    result: Result
    before: Config
    after: Config


@cache
def solve(case_id: str) -> Solved:
    """Play the solution of a case."""
    case = CASES[case_id]

    async def play(home: Path) -> Solved:
        staged = _stage(home, case_id, Scripted(case.solution))
        try:
            result = await run_turns(case, staged, 0)
            return Solved(result, staged.before, staged.store.current_config)
        finally:
            staged.close()

    with short_home() as home:
        return asyncio.run(play(home))


def list_accepted_words(case_id: str, words: tuple[str, ...]) -> list[str]:
    """Return which words pass a case when each answer has them and the model calls no tool."""
    case = CASES[case_id]

    async def play(home: Path) -> list[str]:
        staged = _stage(home, case_id, Scripted((), words[0]))
        try:
            said = [await staged.send_turn(turn) for turn in case.turns]
            return [
                text
                for text in words
                if not judge_case(case, staged, [_with_words(one, text) for one in said])
            ]
        finally:
            staged.close()

    with short_home() as home:
        return asyncio.run(play(home))


def _with_words(turn: TurnResult, text: str) -> TurnResult:
    parts = (TextPart(text=text),) if text else ()
    return replace(turn, message=turn.message.model_copy(update={"parts": parts}))


def _stage(home: Path, case_id: str, provider: Scripted) -> StagedConductor:
    return StagedConductor(home, CASES[case_id], Model(provider, None, cents_a_thousand))
