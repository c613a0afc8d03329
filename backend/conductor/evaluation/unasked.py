"""Finds unrequested changes in a config that has everything that was requested. A request can be fulfilled in
many ways, so the config is not compared with a single right answer. But each new mapping must be needed by a
gesture of the case, and the effects of gestures in other modes must not change.
"""

import fnmatch
from collections import Counter
from collections.abc import Iterator

from conductor.domain.config import Config
from conductor.errors import BadScript
from conductor.evaluation.behaviour import Played, play
from conductor.evaluation.case import Case, Check
from conductor.evaluation.differences import items, named_mappings


def unasked_changes(case: Case, before: Config, after: Config) -> Iterator[str]:
    """Yield a sentence for each addition to the config that was not requested."""
    yield from _new_items(case, before, after)
    yield from _idle_mappings(case, before, after)
    if not case.everywhere:
        for check in case.check:
            yield from _leaks(case, check, before, after)


def _new_items(case: Case, before: Config, after: Config) -> Iterator[str]:
    known = {*items(before), *(name for name, _ in named_mappings(after))}
    for name in items(after):
        if name not in known and not _is_wanted(case, name):
            yield f"added what was not asked for: {name}"


def _idle_mappings(case: Case, before: Config, after: Config) -> Iterator[str]:
    """Yield new mappings that none of the gestures needs."""
    left = Counter(f"{name} {one.model_dump_json()}" for name, one in named_mappings(before))
    fired = {ref for check in case.check for ref in _played(after, check).fired}
    places = [(scope, index) for scope, index, _ in after.all_mappings()]
    for place, (name, mapping) in zip(places, named_mappings(after), strict=True):
        key = f"{name} {mapping.model_dump_json()}"
        if left[key]:
            left[key] -= 1
        elif place not in fired and name not in case.holds:
            yield f"added what was not asked for: {name}"


def _leaks(case: Case, check: Check, before: Config, after: Config) -> Iterator[str]:
    """Yield each mode in which a gesture's effect changed although no check expects the change."""
    if "app " in check.play:
        return  # a profile counts in every mode
    here = check.mode or after.start_mode()
    checked = {one.mode or after.start_mode() for one in case.check if one.play == check.play}
    for mode in before.modes:
        name = mode.name
        if name == here or name in checked or after.mode(name) is None:
            continue
        elsewhere = check.model_copy(update={"mode": name})
        was, now = _played(before, elsewhere), _played(after, elsewhere)
        if _words(was) != _words(now):
            does = ", ".join(_words(now)[:-1]) or "nothing"
            yield f"`{check.play}` should do the same as before in {name}, but does {does}"


def _words(played: Played) -> list[str]:
    return [*(deed.words for deed in played.deeds), played.mode]


def _played(config: Config, check: Check) -> Played:
    try:
        return play(config, check)
    except BadScript:  # the check itself says so
        return Played([], "")


def _is_wanted(case: Case, name: str) -> bool:
    return name in case.holds or any(fnmatch.fnmatchcase(name, one) for one in case.changes)
