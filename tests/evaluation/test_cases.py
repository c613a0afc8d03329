"""Every case of the benchmark can be solved, and is not passed by doing nothing."""

import asyncio
from collections import Counter
from typing import get_args

import pytest
from tests.evaluation.scripted import Scripted, cents_a_thousand

from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.evaluation.case import Case, Family, Step, choose_cases, load_cases, load_stages
from conductor.evaluation.run import run_case
from conductor.evaluation.score import Result
from conductor.evaluation.staged import Model

CASES = load_cases()
EACH = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
Transcript = tuple[tuple[Step, ...], ...]


async def played(case: Case, turns: Transcript, last_words: str = "") -> Result:
    provider = Scripted(turns, last_words)
    return await run_case(case, Model(provider, None, cents_a_thousand))


def run(case: Case, turns: Transcript, last_words: str = "") -> Result:
    return asyncio.run(played(case, turns, last_words))


@EACH
def test_a_good_transcript_passes(case: Case) -> None:
    result = run(case, case.solution, "Here is the plan.")

    assert result.reasons == ()
    assert result.passed
    assert result.valid_first_try in (True, None)


@EACH
def test_saying_nothing_passes_no_case(case: Case) -> None:
    assert not run(case, ()).passed


@EACH
def test_words_alone_pass_only_where_nothing_is_to_be_done(case: Case) -> None:
    result = run(case, (), "All done! Anything else?")

    assert not result.passed or (case.no_change and not case.says)


@EACH
def test_asking_and_then_doing_nothing_passes_no_case_that_wants_more(case: Case) -> None:
    questions = tuple(("Which one do you mean?",) for _ in case.turns)

    assert not run(case, questions).passed or (case.no_change and not case.says)


def test_there_are_enough_cases_of_every_family() -> None:
    families = Counter(case.family for case in CASES)

    assert set(families) == set(get_args(Family))
    assert min(families.values()) >= 10
    assert len(choose_cases("core")) >= 60
    assert {case.family for case in choose_cases("quick")} == set(get_args(Family))
    assert {case.stage for case in CASES} <= set(load_stages())


def test_every_trigger_and_action_kind_is_asked_for() -> None:
    solutions = str([case.solution for case in CASES])

    assert [kind for kind in TRIGGER_KINDS if f"'{kind}'" not in solutions] == []
    assert [kind for kind in ACTION_KINDS if f"'{kind}'" not in solutions] == []
