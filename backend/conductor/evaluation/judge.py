"""Judges whether a conversation led to the expected result of its case, and changed nothing else."""

import fnmatch
from collections.abc import Iterator, Sequence
from typing import Any, cast

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config
from conductor.evaluation.behaviour import find_gesture_problem
from conductor.evaluation.case import Case
from conductor.evaluation.differences import find_lost_items, list_items
from conductor.evaluation.staged import StagedConductor, TurnResult
from conductor.evaluation.unrequested import find_unrequested_changes

OWN_TOOL_PREFIX = "conductor_"
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
"""The question marks of different scripts, including the full-width and the Arabic one."""
START_LEARN_TOOL = "start_midi_learn"


def judge_case(case: Case, staged: StagedConductor, turns: Sequence[TurnResult]) -> list[str]:
    """Return the reasons why the case failed, or an empty list if it passed."""
    after = staged.store.current_config
    reasons = [
        *_check_completion(turns),
        *_check_questions(case, turns),
        *_check_no_change(case, staged, turns),
        *_check_tool_calls(case, staged),
        *_check_answers(case, turns),
        *find_config_problems(case, staged.before, after),
        *_check_mode(case, staged),
    ]
    if staged.sent_messages != list(case.sends):
        reasons.append(f"should send {list(case.sends)}, but sent {staged.sent_messages}")
    # A second plan for the same request fails as well, because applying the first makes it stale.
    return reasons + [f"a plan could not be applied: {words}" for words in staged.apply_errors]


def find_config_problems(case: Case, before: Config, after: Config) -> Iterator[str]:
    """Yield a sentence for each difference between the resulting config and the expected result.

    Cheap checks come first.
    """
    yield from _check_config(case, before, after)
    for check in case.check:
        problem = find_gesture_problem(after, check)
        if problem is not None:
            yield problem
    yield from find_unrequested_changes(case, before, after)


def _check_mode(case: Case, staged: StagedConductor) -> Iterator[str]:
    """Yield a sentence if the active mode is not the mode that the case expects."""
    active, initial = staged.benchmark_engine.active_mode, staged.initial_mode
    wanted = case.active or initial
    if active != wanted and staged.store.current_config.find_mode(wanted) is not None:
        yield f"mode {wanted} should be active, but {active} is"


def _check_completion(turns: Sequence[TurnResult]) -> Iterator[str]:
    for number, turn in enumerate(turns):
        if turn.message.state != "complete":
            failure = turn.message.failure
            why = f": {failure.message}" if failure else ""
            yield f"answer {number} is {turn.message.state}{why}"


def _check_questions(case: Case, turns: Sequence[TurnResult]) -> Iterator[str]:
    for number in case.asks:
        turn = turns[number]
        listens = any(
            part.type == "tool_call" and part.tool == OWN_TOOL_PREFIX + START_LEARN_TOOL
            for part in turn.message.parts
        )
        if turn.plans:
            yield f"answer {number} should ask, but planned: {turn.plans[0].description}"
        elif not listens and not any(mark in turn.get_answer_text() for mark in QUESTION_MARKS):
            yield f"answer {number} should ask, but asks nothing"


def _check_no_change(
    case: Case, staged: StagedConductor, turns: Sequence[TurnResult]
) -> Iterator[str]:
    if not case.no_change:
        return
    for turn in turns:
        if turn.plans:
            yield f"should change nothing, but planned: {turn.plans[0].description}"
    if staged.sent_messages:
        yield f"should change nothing, but sent {staged.sent_messages}"
    if not turns[-1].get_answer_text().strip():
        yield "should say something, but says nothing"


def _check_tool_calls(case: Case, staged: StagedConductor) -> Iterator[str]:
    called = {entry.tool.removeprefix(OWN_TOOL_PREFIX) for entry in staged.calls.entries}
    if case.uses and not called.intersection(case.uses):
        yield f"should call {' or '.join(case.uses)}"
    wrong = called.intersection(case.never)
    if wrong:
        yield f"must not call {', '.join(sorted(wrong))}"


def _check_answers(case: Case, turns: Sequence[TurnResult]) -> Iterator[str]:
    text = turns[-1].get_answer_text().casefold()
    if case.says and not any(fnmatch.fnmatchcase(text, one.casefold()) for one in case.says):
        yield f"should say {' or '.join(case.says)}"


def _check_config(case: Case, before: Config, after: Config) -> Iterator[str]:
    for name in find_lost_items(before, after, case.changes):
        yield f"changed without a request: {name}"
    items = list_items(after)
    for name, wanted in case.holds.items():
        found = items.get(name)
        if found is None:
            yield f"there should be {name}"
        elif not _contains_expected(found, wanted):
            yield f"{name} should have {wanted}"
    for name in case.lacks:
        if any(fnmatch.fnmatchcase(one, name) for one in items):
            yield f"there should be no {name}"


def _contains_expected(found: Any, wanted: Any) -> bool:
    """Return whether a nested value contains everything in `wanted`; it may contain more."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        pairs = cast(JsonObject, wanted).items()
        return all(
            _contains_expected(cast(JsonObject, found).get(key), item) for key, item in pairs
        )
    return found == wanted
