"""No answer passes that does anything beside the wish: each right one is made wrong in every way, and fails."""

import asyncio

import pytest
from tests.evaluation.mutants import mutants
from tests.evaluation.scripted import Scripted, cents_a_thousand
from tests.evaluation.solved import solve

from conductor.evaluation.case import Case, Step, load_cases
from conductor.evaluation.judge import find_config_problems
from conductor.evaluation.run import run_case
from conductor.evaluation.staged import Model

CASES = load_cases()
EACH = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
EQUAL: dict[str, tuple[str, ...]] = {
    # Default and Live have a pad 36 of their own, which goes before a global one
    "copy-to-a-mode": ("other mode: ('modes', 2) 1 to ('global_mappings', None)",),
    # the user says no number: any between a tap and the hold that was played is right
    "learn-a-hold": ("'duration_ms'): 700",),
    # the user says no number of notches
    "learn-an-encoder": ("('action', 'dy'): 1",),
    # a switch that sends 0 and 127: any threshold between is right
    "cc-button": ("'value_min'): 64",),
}
"""Mutants that are as right as the solution: a part of the words of each, by case."""


BESIDE = (
    {"switch_mode": {"mode": "Live"}},
    {"send_midi": {"port": "Synth", "messages": [{"type": "note_on", "note": 60}]}},
    {"create_mode": {"name": "Unasked"}},
)


@pytest.mark.parametrize("extra", BESIDE, ids=[next(iter(one)) for one in BESIDE])
def test_a_call_beside_the_wish_fails_a_case(extra: Step) -> None:
    case = next(one for one in CASES if one.id == "change-an-action")
    turns = ((*case.solution[0], extra, "Done."),)
    model = Model(Scripted(turns), None, cents_a_thousand)

    assert not asyncio.run(run_case(case, model)).passed


@EACH
def test_every_mutant_of_a_right_answer_fails(case: Case) -> None:
    _, before, after = solve(case.id)
    equal = EQUAL.get(case.id, ())
    passed = [
        f"{one.kind}: {one.words}"
        for one in mutants(before, after)
        if one.config != after
        and not any(words in f"{one.kind}: {one.words}" for words in equal)
        and next(find_config_problems(case, before, one.config), None) is None
    ]

    assert passed == []
