"""What the benchmark makes of its results, and what it may spend."""

import asyncio
from collections.abc import Sequence
from itertools import chain

import pytest
from tests.evaluation.scripted import Scripted, cents_a_thousand

from conductor.config.parse import load_config
from conductor.domain.chat.messages import ChatRequest, Usage
from conductor.errors import InvalidParams
from conductor.evaluation.behaviour import find_gesture_problem, play_check
from conductor.evaluation.case import Case, Check, Turn, choose_cases, load_cases, load_stages
from conductor.evaluation.differences import find_lost_items
from conductor.evaluation.estimate import estimate_tokens
from conductor.evaluation.run import run_case, run_suite
from conductor.evaluation.score import Result, compute_wilson_interval, summarize_results
from conductor.evaluation.staged import Model

FIRST = load_cases()[:3]


def model(cases: Sequence[Case], cost_usd: float = 0.01) -> Model:
    turns = list(chain.from_iterable(case.solution for case in cases))
    return Model(Scripted(turns, cost_usd=cost_usd), None, cents_a_thousand)


def collected(cases: Sequence[Case], of: Model, runs: int, max_cost_usd: float) -> list[Result]:
    async def run() -> list[Result]:
        return [one async for one in run_suite(cases, of, runs, max_cost_usd)]

    return asyncio.run(run())


def result(case: str, *, passed: bool, run: int = 0, valid: bool | None = True) -> Result:
    used = Usage(requests=2, input_tokens=1_000, output_tokens=100, cost_usd=0.01)
    return Result(
        case=case, family="triggers", run=run, passed=passed, valid_first_try=valid, usage=used
    )


def test_a_case_that_every_run_passes_counts_more_than_a_lucky_one() -> None:
    runs = [
        result("a", passed=True),
        result("a", passed=True, run=1),
        result("b", passed=True, valid=False),
        result("b", passed=False, run=1, valid=None),
    ]

    found = summarize_results(runs)

    assert (found.cases, found.runs, found.passed) == (2, 4, 3)
    assert found.pass_rate == 0.75
    assert found.pass_all_runs == 0.5
    assert found.valid_first_try == pytest.approx(0.6667)
    assert found.families == {"triggers": 0.75}
    assert found.usage.cost_usd == pytest.approx(0.04)
    assert found.requests_per_case == 2


def test_the_interval_is_wilsons() -> None:
    interval = compute_wilson_interval(8, 10)

    assert (interval.low, interval.high) == (0.4902, 0.9433)
    assert compute_wilson_interval(0, 0).high == 1.0
    assert compute_wilson_interval(10, 10).high == 1.0


def test_no_result_is_no_reason_to_fail() -> None:
    assert summarize_results([]).pass_rate == 0.0


def test_a_suite_ends_before_its_limit_is_passed() -> None:
    one = cents_a_thousand("custom", "", estimate_tokens(FIRST[:1]))

    nothing = collected(FIRST, model(FIRST), 1, one * 0.9)
    some = collected(FIRST, model([FIRST[0]] * 3, cost_usd=one), 3, one * 4.5)

    assert nothing == []
    assert 0 < len(some) < 9
    assert sum(result.usage.cost_usd or 0.0 for result in some) <= one * 4.5


def test_a_single_answer_stops_at_the_limit_too() -> None:
    again = ({"get_status": {}},)
    case = FIRST[0].model_copy(update={"solution": ((*again * 11,),)})
    of = Model(Scripted(case.solution, cost_usd=0.5), None, cents_a_thousand)

    found = asyncio.run(run_case(case, of, 0, budget_usd=1.0))

    assert not found.passed
    assert found.usage.requests <= 3
    assert "llm.budget" in found.reasons[0]


def test_the_estimate_grows_with_runs_and_is_not_far_from_a_real_request() -> None:
    once, twice = estimate_tokens(FIRST), estimate_tokens(FIRST, 2)
    provider = Scripted(FIRST[0].solution)
    asyncio.run(run_case(FIRST[0], Model(provider, None, cents_a_thousand)))
    sent = sum(_count_characters(request) for request in provider.requests)

    assert twice.input_tokens == 2 * once.input_tokens
    assert estimate_tokens(FIRST[:1]).input_tokens == pytest.approx(sent / 4, rel=0.25)


def _count_characters(request: ChatRequest) -> int:
    parts = [*request.tools, *request.messages]
    return len(request.system) + sum(len(part.model_dump_json()) for part in parts)


def test_the_model_is_not_told_of_the_benchmarks_limit() -> None:
    provider = Scripted((({"get_config": {}, "get_settings": {}},),))
    asyncio.run(run_case(FIRST[0], Model(provider, None, cents_a_thousand), budget_usd=0.4242))

    assert "0.4242" not in "".join(one.model_dump_json() for one in provider.requests)


def test_suites_and_cases_are_chosen_by_name() -> None:
    assert len(choose_cases("all")) == len(load_cases())
    assert [case.id for case in choose_cases("core", ("chord",))] == ["chord"]
    with pytest.raises(InvalidParams, match="there is no suite `nix`; there is"):
        choose_cases("nix")
    with pytest.raises(InvalidParams, match="no case is called nix"):
        choose_cases("core", ("nix",))


def test_equal_behaviour_passes_however_it_is_written() -> None:
    check = Check(play="tap 36", does=("keys cmd+c",))
    written = (
        "[[modes]]\nname = 'A'\n[[modes.mappings]]\ntrigger = {type = 'Note', note = 36}\naction = "
    )
    plain = load_config(written + "{type = 'Keystroke', keys = 'cmd+c'}", "a.toml")[0]
    nested = load_config(
        written + "{type = 'Sequence', actions = [{type = 'Keystroke', keys = 'cmd+c'}]}", "b.toml"
    )[0]
    other = load_config(written + "{type = 'Text', text = 'c'}", "c.toml")[0]

    assert find_gesture_problem(plain, check) is find_gesture_problem(nested, check) is None
    assert find_gesture_problem(other, check) == "`tap 36` should do keys cmd+c, but did text c"
    assert find_gesture_problem(plain, Check(play="tap 36", does=("text * or keys *",))) is None
    assert "'Nix' does not exist" in str(
        find_gesture_problem(plain, Check(play="tap 36", mode="Nix"))
    )


def test_a_time_that_is_wrong_is_no_equal_behaviour() -> None:
    written = (
        "[[global_mappings]]\ntrigger = {type = 'LongPress', note = 36, duration_ms = 700}\n"
        "action = {type = 'Keystroke', keys = 'a'}"
    )
    config = load_config(written, "a.toml")[0]
    gesture = "down 36; wait 900; up 36"

    assert find_gesture_problem(config, Check(play=gesture, does=("keys a @700",))) is None
    assert find_gesture_problem(config, Check(play=gesture, does=("keys a @500",))) is not None
    assert play_check(config, Check(play=gesture)).actions[0].at_ms == 700


def test_what_was_there_and_is_not_is_collateral() -> None:
    before = load_config(load_stages()["studio"].config, "studio.toml")[0]
    gone = before.model_copy(update={"global_mappings": (), "devices": ()})

    assert find_lost_items(before, before, ()) == []
    assert find_lost_items(before, gone, ()) == ["everywhere: Note 51", "device pads"]
    assert find_lost_items(before, gone, ("everywhere: *", "device *")) == []


def test_a_failing_model_is_told_with_its_reason() -> None:
    case = Case(
        id="one",
        family="triggers",
        turns=(Turn(say="x"),),
        solution=((),),
        check=(Check(play="tap 36", does=("keys a",)),),
        stage="empty",
    )
    wrong = (
        {"create_mapping": {"mode": "Nix", "trigger": {"type": "Note"}, "action": {}}},
        "Done.",
    )
    found = asyncio.run(run_case(case, Model(Scripted((wrong,)), None, cents_a_thousand)))

    assert not found.passed
    assert found.valid_first_try is False
    assert found.tools == ("create_mapping",)
    assert found.reasons == ("`tap 36` should do keys a, but did nothing",)
    assert found.answer == "Done."
