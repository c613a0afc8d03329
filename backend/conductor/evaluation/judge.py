"""Judges whether a conversation achieved the expected result of its case and changed nothing else."""

import fnmatch
from collections.abc import Iterator, Sequence
from typing import Any, cast

from conductor.base.json_types import JsonObject
from conductor.domain.config import Config
from conductor.evaluation.behaviour import find_problem
from conductor.evaluation.case import Case
from conductor.evaluation.differences import find_lost_items, list_items
from conductor.evaluation.staged import StagedConductor, TurnResult
from conductor.evaluation.unasked import find_unasked_changes

PREFIX = "conductor_"
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
"""Including the full-width and the Arabic question mark."""
LISTENING = "start_midi_learn"


def judge_case(case: Case, staged: StagedConductor, said: Sequence[TurnResult]) -> list[str]:
    """Return the reasons why the case failed, or an empty list if it passed."""
    after = staged.store.current
    reasons = [
        *_check_completion(said),
        *_check_questions(case, said),
        *_check_no_change(case, staged, said),
        *_check_calls(case, staged),
        *_check_answers(case, said),
        *find_config_problems(case, staged.before, after),
        *_check_mode(case, staged),
    ]
    if staged.sent != list(case.sends):
        reasons.append(f"should send {list(case.sends)}, but sent {staged.sent}")
    # one too many, such as a second plan for the same wish, is stale once the first is applied
    return reasons + [f"a plan could not be applied: {words}" for words in staged.refused]


def find_config_problems(case: Case, before: Config, after: Config) -> Iterator[str]:
    """Yield every difference between a config and the expected result. Cheap checks come first."""
    yield from _check_config(case, before, after)
    for check in case.check:
        problem = find_problem(after, check)
        if problem is not None:
            yield problem
    yield from find_unasked_changes(case, before, after)


def _check_mode(case: Case, staged: StagedConductor) -> Iterator[str]:
    """Yield a reason if the active mode is not the mode that the case expects."""
    there, began = staged.instrument.mode, staged.began_in
    wanted = case.active or began
    if there != wanted and staged.store.current.mode(wanted) is not None:
        yield f"mode {wanted} should be active, but {there} is"


def _check_completion(said: Sequence[TurnResult]) -> Iterator[str]:
    for number, one in enumerate(said):
        if one.message.state != "complete":
            failure = one.message.failure
            why = f": {failure.message}" if failure else ""
            yield f"answer {number} is {one.message.state}{why}"


def _check_questions(case: Case, said: Sequence[TurnResult]) -> Iterator[str]:
    for number in case.asks:
        one = said[number]
        listens = any(
            part.type == "tool_call" and part.tool == PREFIX + LISTENING
            for part in one.message.parts
        )
        if one.planned:
            yield f"answer {number} should ask, but planned: {one.planned[0].description}"
        elif not listens and not any(mark in one.text() for mark in QUESTION_MARKS):
            yield f"answer {number} should ask, but asks nothing"


def _check_no_change(
    case: Case, staged: StagedConductor, said: Sequence[TurnResult]
) -> Iterator[str]:
    if not case.no_change:
        return
    for one in said:
        if one.planned:
            yield f"nothing should come of it, but planned: {one.planned[0].description}"
    if staged.sent:
        yield f"nothing should come of it, but sent {staged.sent}"
    if not said[-1].text().strip():
        yield "should say something, but says nothing"


def _check_calls(case: Case, staged: StagedConductor) -> Iterator[str]:
    called = {entry.tool.removeprefix(PREFIX) for entry in staged.calls.entries}
    if case.uses and not called.intersection(case.uses):
        yield f"should call {' or '.join(case.uses)}"
    wrong = called.intersection(case.never)
    if wrong:
        yield f"must not call {', '.join(sorted(wrong))}"


def _check_answers(case: Case, said: Sequence[TurnResult]) -> Iterator[str]:
    text = said[-1].text().casefold()
    if case.says and not any(fnmatch.fnmatchcase(text, one.casefold()) for one in case.says):
        yield f"should say {' or '.join(case.says)}"


def _check_config(case: Case, before: Config, after: Config) -> Iterator[str]:
    for name in find_lost_items(before, after, case.changes):
        yield f"changed what was not asked for: {name}"
    there = list_items(after)
    for name, wanted in case.holds.items():
        found = there.get(name)
        if found is None:
            yield f"there should be {name}"
        elif not _contains(found, wanted):
            yield f"{name} should have {wanted}"
    for name in case.lacks:
        if any(fnmatch.fnmatchcase(one, name) for one in there):
            yield f"there should be no {name}"


def _contains(found: Any, wanted: Any) -> bool:
    """Return whether a nested value contains every expected part. Other parts may be present too."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        pairs = cast(JsonObject, wanted).items()
        return all(_contains(cast(JsonObject, found).get(key), item) for key, item in pairs)
    return found == wanted
