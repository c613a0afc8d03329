"""Every case of the benchmark can be solved, and is not passed by doing nothing."""

import asyncio
from collections import Counter
from typing import get_args

import pytest
from tests.evaluation.scripted import Scripted, cents_a_thousand
from tests.evaluation.solved import list_accepted_words, solve

from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.evaluation.case import Case, Family, choose_cases, load_cases, load_stages
from conductor.evaluation.run import run_case
from conductor.evaluation.staged import Model

CASES = load_cases()
EACH = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])


NOTHING_DONE = ("All done! Anything else?", "Which one do you mean?")


@EACH
def test_a_good_transcript_passes(case: Case) -> None:
    result = solve(case.id).result

    assert result.reasons == ()
    assert result.passed
    assert result.valid_first_try in (True, None)


@EACH
def test_words_alone_pass_only_where_nothing_is_to_be_done(case: Case) -> None:
    """Silence passes no case, and neither a claim nor a question passes one that wants more."""
    accepted = list_accepted_words(case.id, (*NOTHING_DONE, ""))

    assert "" not in accepted
    assert not accepted or (case.no_change and not case.says)


def test_a_model_that_says_nothing_passes_no_case() -> None:
    case = next(one for one in CASES if one.no_change and not one.says)
    model = Model(Scripted((), ""), None, cents_a_thousand)

    assert not asyncio.run(run_case(case, model)).passed


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
