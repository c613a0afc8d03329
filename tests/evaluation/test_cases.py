"""Every case of the benchmark can be solved, and is not passed by doing nothing."""

from collections import Counter
from typing import get_args

import pytest
from tests.evaluation.solved import list_accepted_words, passes_with_words, solve

from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.evaluation.case import Case, Family, choose_cases, load_cases, load_stages

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


WHOLE_CONVERSATIONS = ("what-changed", "which-knob", "learn-a-knob")
"""A case that asks for no change, one that asks for a question, and one that plays something first."""


@pytest.mark.parametrize("text", [*NOTHING_DONE, ""])
@pytest.mark.parametrize("case_id", WHOLE_CONVERSATIONS)
def test_words_are_judged_alike_in_a_whole_conversation(case_id: str, text: str) -> None:
    assert passes_with_words(case_id, text) == (text in list_accepted_words(case_id, (text,)))


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
