"""Notices a save by hand that was made from a text older than the latest changes.

An editor that was opened before a change and saves after it writes the change away. That cannot be prevented,
but it can be seen: nothing of what the change added is in the saved config, and all that it removed is there
again.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from conductor.base.clock import now
from conductor.config.difference import spelled
from conductor.config.render import ARRAYS, TABLES, tree_of
from conductor.domain.config import Config

REMEMBERED_S = 600.0
"""Later the user has rather thought better of a change than forgotten to read the file again."""
REMEMBERED_AT_MOST = 20


class LostChange(NamedTuple):
    """A change that a save by hand no longer has."""

    reason: str
    age_s: float


class _Change:
    """A change. What it added and removed takes a while, and is worked out when a save by hand asks for it."""

    def __init__(self, reason: str, at: float, before: Config, after: Config) -> None:
        self.reason = reason
        self.at = at
        self._before = before
        self._after = after

    @cached_property
    def added(self) -> "Counter[str]":
        return _facts(self._after) - _facts(self._before)

    @cached_property
    def removed(self) -> "Counter[str]":
        return _facts(self._before) - _facts(self._after)

    def is_lost(self, before: "Counter[str]", saved: "Counter[str]") -> bool:
        """Check that a save took back all of it, and not what the user has edited since."""
        if not self.added and not self.removed:
            return False
        was_in_force = self.added <= before and not self.removed & before
        return was_in_force and not self.added & saved and self.removed <= saved


class RecentChanges:
    """The latest changes that were committed."""

    def __init__(self, clock: Callable[[], float] = now) -> None:
        self._clock = clock
        self._changes: deque[_Change] = deque(maxlen=REMEMBERED_AT_MOST)

    def add(self, reason: str, before: Config, after: Config) -> None:
        """Remember a change."""
        self._changes.append(_Change(reason, self._clock(), before, after))

    def take_lost(self, before: Config, saved: Config) -> list[LostChange]:
        """Return the changes that were in force before a save by hand and are not in it; forget them."""
        at = self._clock()
        while self._changes and self._changes[0].at <= at - REMEMBERED_S:
            self._changes.popleft()
        if not self._changes:
            return []
        old, new = _facts(before), _facts(saved)
        lost = [one for one in self._changes if one.is_lost(old, new)]
        for one in lost:
            self._changes.remove(one)
        return [LostChange(one.reason, at - one.at) for one in lost]


def describe(lost: list[LostChange], file_name: str) -> str:
    """Return what the user is told of lost changes."""
    what = " and ".join(f"\u201c{one.reason}\u201d made {_ago(one.age_s)} ago" for one in lost)
    noun, verb, it = ("change", "is", "it") if len(lost) == 1 else ("changes", "are", "them")
    return (
        f"{file_name} was saved from an older text: the {noun} {what} {verb} no longer in it;"
        f" `conductor undo` brings {it} back"
    )


def _ago(age_s: float) -> str:
    return f"{age_s:.0f} s" if age_s < 120 else f"{age_s / 60:.0f} min"


def _facts(config: Config) -> "Counter[str]":
    """Return a config as single facts, each of which a change adds or removes."""
    tree = tree_of(config)
    facts: Counter[str] = Counter()
    for name in ARRAYS:
        for item in tree[name]:
            facts.update(_row_facts(name, item))
    for name in TABLES:
        facts.update(_leaves(name, tree[name]))
    return facts


def _row_facts(name: str, item: dict[str, Any]) -> Iterator[str]:
    own = {key: part for key, part in item.items() if key != "mappings"}
    yield f"{name} {spelled(own)}"
    for mapping in item.get("mappings", ()):
        yield f"{name} {item.get('name')} {spelled(mapping)}"


def _leaves(path: str, item: Any) -> Iterator[str]:
    if isinstance(item, dict) and item:
        for key, part in item.items():
            yield from _leaves(f"{path}.{key}", part)
    else:
        yield f"{path} = {spelled(item)}"
