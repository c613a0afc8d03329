"""The solution of each case, played once for all tests, and the judgement of answers that do nothing."""

import asyncio
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.evaluation.scripted import Scripted, cents_a_thousand
from tests.support.running import short_home

from conductor.domain.chat.messages import ChatMessage, TextPart
from conductor.domain.config import Config
from conductor.evaluation.case import load_cases
from conductor.evaluation.judge import judge_case
from conductor.evaluation.run import run_case, run_turns
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
    """Return which words pass a case when each answer has them and the model calls no tool.

    The answers are judged without the conversation, which takes four times as long.
    """
    case = CASES[case_id]
    with short_home() as home, closing(_stage(home, case_id, Scripted(()))) as staged:
        for turn in case.turns:
            staged.prepare_turn(turn)
        return [
            text
            for text in words
            if not judge_case(case, staged, [_answer_with(text)] * len(case.turns))
        ]


def passes_with_words(case_id: str, text: str) -> bool:
    """Return whether a case passes in a whole conversation whose answers are this text."""
    model = Model(Scripted((), text), None, cents_a_thousand)
    return asyncio.run(run_case(CASES[case_id], model)).passed


def _answer_with(text: str) -> TurnResult:
    message = ChatMessage(
        message_id="answer",
        conversation_id="words alone",
        role="assistant",
        created_at=datetime.now(UTC),
        parts=(TextPart(text=text),) if text else (),
    )
    return TurnResult(message, ())


def _stage(home: Path, case_id: str, provider: Scripted) -> StagedConductor:
    return StagedConductor(home, CASES[case_id], Model(provider, None, cents_a_thousand))
