"""Conflicts found by the engine itself: which mappings act otherwise because another one is there.

For each two mappings that share a control the engine is asked, with `feed` and `advance`, whether a short
gesture exists that shows it. What the rules of `domain/conflicts/overlaps.py` already describe keeps
their words; everything else gets a message of its own. Each comes with the gesture that shows it.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from threading import Lock

from conductor.domain.config import Config
from conductor.domain.conflicts.overlaps import find_overlaps, mark_new
from conductor.domain.conflicts.rows import (
    RIVALS,
    Bucket,
    by_control,
    reach_alike,
    reaches_all_of,
    rows_of,
)
from conductor.domain.conflicts.timing import Buckets
from conductor.domain.events import InputEvent
from conductor.domain.plan import Overlap, OverlapKind
from conductor.engine.conflicts.contexts import Circumstances
from conductor.engine.conflicts.pairs import Pair, PairMemory, Places
from conductor.engine.conflicts.words import (
    Effect,
    never_fires,
    not_examined,
    parameter_messages,
)

CONFIGS_KEPT = 4
PARAMETER_CCS = (6, 38, 96, 97, 98, 99, 100, 101)
"""The control changes that an NRPN or RPN is made of."""
PAIR_KINDS: frozenset[OverlapKind] = frozenset(
    (
        *("duplicate", "shadowed", "wildcard", "chord_subset"),
        *("tap_delayed", "chord_delays_tap", "hold_delayed"),
    )
)
"""The kinds of overlap that say what one mapping does to another."""
_RANK = {"error": 0, "warning": 1, "info": 2}


class ConflictFinder:
    """Finds the conflicts of configs. What it learns of one config it knows for the next.

    May be called from any thread.
    """

    def __init__(self) -> None:
        self._memory = PairMemory()
        self._found: OrderedDict[int, tuple[Config, tuple[Overlap, ...]]] = OrderedDict()
        """By identity: a config never changes, and it is kept here, so its identity is not reused."""
        self._lock = Lock()

    def find(self, config: Config, events: Sequence[InputEvent] = ()) -> tuple[Overlap, ...]:
        """Return every conflict of a config, errors first; `events` tell which controls can be held."""
        with self._lock:
            known = self._found.get(id(config))
            if known is not None and not events:
                self._found.move_to_end(
                    id(config)
                )  # the running config is asked for with each plan
                return known[1]
            found = tuple(_search(config, events, self._memory))
            if not events:
                self._found[id(config)] = (config, found)
                while len(self._found) > CONFIGS_KEPT:
                    self._found.popitem(last=False)
            return found

    def find_new(self, old: Config, new: Config) -> tuple[Overlap, ...]:
        """Return the conflicts of a new config, those that the old one has already marked as not new."""
        return tuple(mark_new(old, new, self.find(old), self.find(new)))


def _search(config: Config, events: Sequence[InputEvent], memory: PairMemory) -> list[Overlap]:
    rows = rows_of(config)
    buckets = by_control(rows)
    around = Circumstances(config)
    found = {
        pair.places: pair for pair in memory.pairs(config, rows, iter(buckets.values()), around)
    }
    pairs = {places: pair for places, pair in found.items() if pair.effects}
    apart = found.keys() - pairs.keys()
    told = [
        one for one in find_overlaps(config, rows, buckets, events) if not _is_disproved(one, apart)
    ]
    told = [_with_gesture(one, pairs) for one in told]
    finished = {one.places[-1] for one in told if one.severity != "info" and one.kind in PAIR_KINDS}
    told += [one for one in _dead(pairs.values(), around) if one.places[-1] not in finished]
    described = {places for one in told for places in _pairs(one)}
    told += [pair.overlap for places, pair in pairs.items() if places not in described]
    told += [not_examined(*one) for one in memory.unexamined]
    told += [one for one in _parameters(rows, buckets, around) if not _pairs(one) & described]
    return sorted(told, key=lambda one: _RANK[one.severity])


def _pairs(one: Overlap) -> set[Places]:
    return {frozenset(pair) for pair in combinations(one.places, 2)}


def _is_disproved(one: Overlap, apart: set[Places]) -> bool:
    """Return whether the engine has shown that none of these mappings meets another."""
    return one.kind in PAIR_KINDS and bool(apart) and _pairs(one) <= apart


def _with_gesture(one: Overlap, pairs: dict[Places, Pair]) -> Overlap:
    if one.kind in PAIR_KINDS:
        for places in combinations(one.places, 2):
            pair = pairs.get(frozenset(places))
            if pair is not None:
                return one.model_copy(update={"gesture": pair.effects[0].gesture})
    return one


def _dead(pairs: Iterable[Pair], around: Circumstances) -> Iterator[Overlap]:
    """Yield the mappings that never fire, because whatever holds others take their events."""
    takers: dict[str, list[Effect]] = {}
    for pair in pairs:
        for one in pair.effects:
            if one.verdict.dead and reaches_all_of(one.culprit, one.victim):
                takers.setdefault(one.victim.place(), []).append(one)
    for several in takers.values():
        victim = several[0].victim
        culprits = [one.culprit for one in several]
        alone = next((each for each in culprits if around.always_beside(victim, [each])), None)
        if alone is not None:
            culprits = [alone]
        elif len(culprits) < 2 or not around.always_beside(victim, culprits):
            continue
        yield never_fires(culprits, victim, several[0].gesture)


def _parameters(rows: Bucket, buckets: Buckets, around: Circumstances) -> Iterator[Overlap]:
    """Yield the mappings of control changes that carry a parameter which another mapping listens to."""
    parameters = [row for row in rows if row.trigger.controls()[0][0] in ("nrpn", "rpn")]
    carriers = [row for number in PARAMETER_CCS for row in buckets.get(("cc", number), ())]
    for parameter in parameters[:RIVALS]:
        for row in carriers[:RIVALS]:
            if reach_alike(row, parameter) and around.together(row, parameter):
                yield parameter_messages(row, parameter)
