"""Detects when a manual save of config.toml reverts recent changes, because the editor had an outdated text.

An editor that loaded the file before a change and saves it afterwards overwrites the change. Such a save
cannot be prevented, but it can be detected: everything that the change added is missing from the saved
config, and everything that the change removed is back.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.config.difference import to_comparison_text
from conductor.config.render import ARRAY_SECTIONS, TABLE_SECTIONS, convert_config_to_tables
from conductor.domain.config import Config

MAX_REMEMBERED_AGE_S = 600.0
"""Seconds for which a change is remembered; a revert after that time was probably made on purpose."""
MAX_REMEMBERED_CHANGES = 20


class LostChange(NamedTuple):
    """A recent change that a manual save has reverted, with its reason and its age in seconds."""

    reason: str
    age_s: float


class _CommittedChange:
    """A committed change, represented by the facts that it added to the config and the facts that it removed.

    The facts are computed only when the user saves the file.
    """

    def __init__(self, reason: str, at: float, before: Config, after: Config) -> None:
        self.reason = reason
        self.at = at
        self._before = before
        self._after = after

    @cached_property
    def added_facts(self) -> "Counter[str]":
        return _count_config_facts(self._after) - _count_config_facts(self._before)

    @cached_property
    def removed_facts(self) -> "Counter[str]":
        return _count_config_facts(self._before) - _count_config_facts(self._after)

    def is_reverted(self, before: "Counter[str]", saved: "Counter[str]") -> bool:
        """Return whether a save reverted this change completely; a partial revert is an ordinary edit by the
        user.
        """
        if not self.added_facts and not self.removed_facts:
            return False
        was_in_force = self.added_facts <= before and not self.removed_facts & before
        return was_in_force and not self.added_facts & saved and self.removed_facts <= saved


class RecentChanges:
    """Remembers the latest committed changes, and finds those that a manual save reverts."""

    def __init__(self, clock: Callable[[], float] = now) -> None:
        self._clock = clock
        self._changes: deque[_CommittedChange] = deque(maxlen=MAX_REMEMBERED_CHANGES)

    def add(self, reason: str, before: Config, after: Config) -> None:
        """Remember a change that was committed with the given reason."""
        self._changes.append(_CommittedChange(reason, self._clock(), before, after))

    def pop_lost_changes(self, before: Config, saved: Config) -> list[LostChange]:
        """Return the changes that a manual save has reverted, and forget them."""
        at = self._clock()
        while self._changes and self._changes[0].at <= at - MAX_REMEMBERED_AGE_S:
            self._changes.popleft()
        if not self._changes:
            return []
        old, new = _count_config_facts(before), _count_config_facts(saved)
        lost = [change for change in self._changes if change.is_reverted(old, new)]
        for change in lost:
            self._changes.remove(change)
        return [LostChange(change.reason, at - change.at) for change in lost]


def describe_lost_changes(lost: list[LostChange], file_name: str) -> str:
    """Return the notice that tells the user which changes a save has reverted and how to restore them."""
    changes = " and ".join(
        f"\u201c{change.reason}\u201d made {_format_age(change.age_s)} ago" for change in lost
    )
    noun, verb, it = ("change", "is", "it") if len(lost) == 1 else ("changes", "are", "them")
    return (
        f"{file_name} was saved from an older text: the {noun} {changes} {verb} no longer in it;"
        f" `conductor undo` brings {it} back"
    )


def _format_age(age_s: float) -> str:
    return f"{age_s:.0f} s" if age_s < 120 else f"{age_s / 60:.0f} min"


def _count_config_facts(config: Config) -> "Counter[str]":
    """Return the statements that a config makes, such as one setting or mapping, each with its number of
    occurrences.
    """
    tree = convert_config_to_tables(config)
    facts: Counter[str] = Counter()
    for name in ARRAY_SECTIONS:
        for item in tree[name]:
            facts.update(_list_row_facts(name, item))
    for name in TABLE_SECTIONS:
        facts.update(_list_leaf_facts(name, tree[name]))
    return facts


def _list_row_facts(name: str, item: JsonObject) -> Iterator[str]:
    own = {key: part for key, part in item.items() if key != "mappings"}
    yield f"{name} {to_comparison_text(own)}"
    for mapping in item.get("mappings", ()):
        yield f"{name} {item.get('name')} {to_comparison_text(mapping)}"


def _list_leaf_facts(path: str, item: Any) -> Iterator[str]:
    if isinstance(item, dict) and item:
        for key, part in item.items():
            yield from _list_leaf_facts(f"{path}.{key}", part)
    else:
        yield f"{path} = {to_comparison_text(item)}"
