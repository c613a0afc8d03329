"""Finds changes of a config that nobody asked for.

A request can be fulfilled in many ways, so the config is not compared with a single right
answer. But each new mapping must be needed by a gesture of the case, and the effects of gestures
in other modes must not change.
"""

import fnmatch
from collections import Counter
from collections.abc import Iterator

from conductor.domain.config import Config
from conductor.errors import BadScript
from conductor.evaluation.behaviour import GestureResult, play_check
from conductor.evaluation.case import Case, Check
from conductor.evaluation.differences import list_items, list_named_mappings


def find_unrequested_changes(case: Case, before: Config, after: Config) -> Iterator[str]:
    """Yield a sentence for each new mapping or item of a config that was not requested."""
    yield from _find_new_items(case, before, after)
    yield from _find_unneeded_mappings(case, before, after)
    if not case.everywhere:
        for check in case.check:
            yield from _find_changes_in_other_modes(case, check, before, after)


def _find_new_items(case: Case, before: Config, after: Config) -> Iterator[str]:
    known = {*list_items(before), *(name for name, _ in list_named_mappings(after))}
    for name in list_items(after):
        if name not in known and not _is_item_expected(case, name):
            yield f"added without a request: {name}"


def _find_unneeded_mappings(case: Case, before: Config, after: Config) -> Iterator[str]:
    """Yield a sentence for each new mapping that none of the case's gestures needs."""
    earlier_mappings = Counter(
        f"{name} {one.model_dump_json()}" for name, one in list_named_mappings(before)
    )
    fired = {mapping_ref for check in case.check for mapping_ref in _play_check(after, check).fired}
    places = [(scope, index) for scope, index, _ in after.list_all_mappings()]
    for place, (name, mapping) in zip(places, list_named_mappings(after), strict=True):
        key = f"{name} {mapping.model_dump_json()}"
        if earlier_mappings[key]:
            earlier_mappings[key] -= 1
        elif place not in fired and name not in case.holds:
            yield f"added without a request: {name}"


def _find_changes_in_other_modes(
    case: Case, check: Check, before: Config, after: Config
) -> Iterator[str]:
    """Yield a sentence for each mode in which a gesture does something else than before,
    although no check expects it.
    """
    if "app " in check.play:
        return  # a profile applies in every mode, so the gesture has the same effect in each
    checked_mode = check.mode or after.get_start_mode()
    checked = {one.mode or after.get_start_mode() for one in case.check if one.play == check.play}
    for mode in before.modes:
        name = mode.name
        if name == checked_mode or name in checked or after.find_mode(name) is None:
            continue
        elsewhere = check.model_copy(update={"mode": name})
        before_result, after_result = _play_check(before, elsewhere), _play_check(after, elsewhere)
        if _format_effects(before_result) != _format_effects(after_result):
            effects = ", ".join(_format_effects(after_result)[:-1]) or "nothing"
            yield f"`{check.play}` should do the same as before in {name}, but does {effects}"


def _format_effects(result: GestureResult) -> list[str]:
    return [*(action.words for action in result.actions), result.mode]


def _play_check(config: Config, check: Check) -> GestureResult:
    try:
        return play_check(config, check)
    except BadScript:  # `find_gesture_problem` reports that the check cannot be played
        return GestureResult([], "")


def _is_item_expected(case: Case, name: str) -> bool:
    return name in case.holds or any(fnmatch.fnmatchcase(name, one) for one in case.changes)
