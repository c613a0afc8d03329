"""Finds conflicts by simulating gestures: mappings that behave differently because of another mapping.

For every pair of mappings that share a control, the engine plays short gestures with `feed_event` and
`run_due_deadlines` until one shows a difference. Conflicts that the rules in `domain/conflicts/overlaps.py`
already describe keep those messages; all other conflicts get a message from this module. Each conflict
contains the gesture that demonstrates it.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from threading import Lock

from conductor.domain.config import Config
from conductor.domain.conflicts.overlaps import find_overlaps, mark_new_overlaps
from conductor.domain.conflicts.rows import (
    MAX_COMPARED_MAPPINGS,
    RowBucket,
    can_share_input,
    covers_input_of,
    group_by_control,
    list_rows,
)
from conductor.domain.conflicts.timing import RowsByControl
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.events import InputEvent
from conductor.domain.plan import Overlap, OverlapKind
from conductor.engine.conflicts.contexts import ContextCache
from conductor.engine.conflicts.messages import (
    Interference,
    build_interference,
    build_limit_conflict,
    build_never_fires_conflict,
    build_parameter_conflict,
)
from conductor.engine.conflicts.pairs import MappingPair, MappingPlaces, PairCache

MAX_CACHED_CONFIGS = 4
PARAMETER_CC_NUMBERS = (6, 38, 96, 97, 98, 99, 100, 101)
"""The control change numbers that transmit NRPN and RPN parameters."""
PAIR_CONFLICT_KINDS: frozenset[OverlapKind] = frozenset(
    (
        *("duplicate", "shadowed", "wildcard", "chord_subset"),
        *("tap_delayed", "chord_delays_tap", "hold_delayed"),
    )
)
"""The kinds of conflict in which one mapping affects another, so that a gesture can
demonstrate the conflict."""
_SEVERITY_RANK = {"error": 0, "warning": 1, "info": 2}


class ConflictFinder:
    """Finds the conflicts in a config. Thread-safe.

    Results are cached per pair of mappings, because most mappings are the same in the next config.
    """

    def __init__(self) -> None:
        self._memory = PairCache()
        self._found: OrderedDict[int, tuple[Config, tuple[Overlap, ...]]] = OrderedDict()
        """The conflicts of recent configs, by `id(config)`. Each config is referenced, so
        that its id is not reused."""
        self._names = NO_CONTROL_NAMES
        """The names of controls that the messages of cached conflicts use."""
        self._lock = Lock()

    def find_conflicts(
        self,
        config: Config,
        events: Sequence[InputEvent] = (),
        names: ControlNames | None = None,
    ) -> tuple[Overlap, ...]:
        """Return the conflicts in a config, errors first.

        `events` are recorded events, which show which controls send releases. Without `names`, the messages
        use the control names of the last call.
        """
        with self._lock:
            if names is not None and names != self._names:
                self._names = names
                self._found.clear()
            cached = self._found.get(id(config))
            if cached is not None and not events:
                # Every plan is compared with the running config, so the conflicts of that
                # config should stay cached.
                self._found.move_to_end(id(config))
                return cached[1]
            found = tuple(_find_conflicts(config, events, self._memory, self._names))
            if not events:
                self._found[id(config)] = (config, found)
                while len(self._found) > MAX_CACHED_CONFIGS:
                    self._found.popitem(last=False)
            return found

    def find_new_conflicts(
        self, old: Config, new: Config, names: ControlNames | None = None
    ) -> tuple[Overlap, ...]:
        """Return the conflicts in the new config, with a mark for each conflict that
        the old config also has.
        """
        before, after = (self.find_conflicts(config, names=names) for config in (old, new))
        return tuple(mark_new_overlaps(old, new, before, after))


def _find_conflicts(
    config: Config, events: Sequence[InputEvent], memory: PairCache, names: ControlNames
) -> list[Overlap]:
    rows = list_rows(config, names)
    buckets = group_by_control(rows)
    contexts = ContextCache(config)
    found = {
        pair.places: pair
        for pair in memory.find_pairs(config, rows, iter(buckets.values()), contexts, names)
    }
    pairs = {places: pair for places, pair in found.items() if pair.effects}
    # If a pair was played and showed no difference, a conflict that the rules of
    # `domain` suspect does not exist.
    disproved = found.keys() - pairs.keys()
    overlaps = [
        overlap
        for overlap in find_overlaps(config, rows, buckets, events)
        if not _is_disproved(overlap, disproved)
    ]
    overlaps = [_add_gesture_to_overlap(overlap, pairs) for overlap in overlaps]
    finished = {
        overlap.places[-1]
        for overlap in overlaps
        if overlap.severity != "info"
        and overlap.kind in PAIR_CONFLICT_KINDS
        # A mapping that only loses one device to another one may lose the rest to others.
        and (overlap.kind != "wildcard" or _has_dead_mapping(overlap))
    }
    overlaps += [
        overlap
        for overlap in _find_dead_mappings(pairs.values(), contexts)
        if overlap.places[-1] not in finished
    ]
    described = {places for overlap in overlaps for places in _list_conflicting_pairs(overlap)}
    dead = {overlap.places[-1] for overlap in overlaps if _has_dead_mapping(overlap)}
    overlaps += [
        overlap
        for places, pair in pairs.items()
        if places not in described and (overlap := _describe_pair(pair, dead)) is not None
    ]
    overlaps += [build_limit_conflict(*entry) for entry in memory.unexamined]
    overlaps += [
        overlap
        for overlap in _find_parameter_carriers(rows, buckets, contexts)
        if not _list_conflicting_pairs(overlap) & described
    ]
    return sorted(overlaps, key=lambda overlap: _SEVERITY_RANK[overlap.severity])


def _has_dead_mapping(overlap: Overlap) -> bool:
    """Return whether the last mapping of a conflict never fires."""
    if overlap.kind in ("shadowed", "wildcard"):
        return overlap.severity == "error"
    return overlap.kind in ("duplicate", "never_fires")


def _describe_pair(pair: MappingPair, dead: set[str]) -> Overlap | None:
    """Return the conflict of two mappings, or None if it is one only of mappings that never fire.

    A mapping that never fires takes no events: the one that takes its events takes them from others too.
    """
    effects = [
        effect
        for effect in pair.effects
        if effect.victim.describe_position() not in dead
        and not (effect.verdict.is_lost and effect.culprit.describe_position() in dead)
    ]
    if len(effects) == len(pair.effects):
        return pair.overlap
    return build_interference(effects) if effects else None


def _list_conflicting_pairs(overlap: Overlap) -> set[MappingPlaces]:
    return {frozenset(pair) for pair in combinations(overlap.places, 2)}


def _is_disproved(overlap: Overlap, disproved: set[MappingPlaces]) -> bool:
    """Return whether simulation has shown that none of the mappings in a conflict affects another one."""
    return (
        overlap.kind in PAIR_CONFLICT_KINDS
        and bool(disproved)
        and _list_conflicting_pairs(overlap) <= disproved
    )


def _add_gesture_to_overlap(overlap: Overlap, pairs: dict[MappingPlaces, MappingPair]) -> Overlap:
    if overlap.kind in PAIR_CONFLICT_KINDS:
        for places in combinations(overlap.places, 2):
            pair = pairs.get(frozenset(places))
            if pair is not None:
                return overlap.model_copy(update={"gesture": pair.effects[0].gesture})
    return overlap


def _find_dead_mappings(pairs: Iterable[MappingPair], contexts: ContextCache) -> Iterator[Overlap]:
    """Yield a conflict for each mapping that never fires, because others use up all of its
    events in every context.
    """
    takers: dict[str, list[Interference]] = {}
    for pair in pairs:
        for interference in pair.effects:
            if interference.verdict.is_dead and covers_input_of(
                interference.culprit, interference.victim
            ):
                takers.setdefault(interference.victim.describe_position(), []).append(interference)
    for interferences in takers.values():
        victim = interferences[0].victim
        culprits = [interference.culprit for interference in interferences]
        sole_culprit = next(
            (culprit for culprit in culprits if contexts.is_always_covered(victim, [culprit])), None
        )
        if sole_culprit is not None:
            culprits = [sole_culprit]
        elif len(culprits) < 2 or not contexts.is_always_covered(victim, culprits):
            continue
        yield build_never_fires_conflict(culprits, victim, interferences[0].gesture)


def _find_parameter_carriers(
    rows: RowBucket, buckets: RowsByControl, contexts: ContextCache
) -> Iterator[Overlap]:
    """Yield a conflict for each mapping on a control change that belongs to an NRPN
    or RPN of another mapping.
    """
    parameters = [row for row in rows if row.trigger.list_controls()[0][0] in ("nrpn", "rpn")]
    carriers = [row for number in PARAMETER_CC_NUMBERS for row in buckets.get(("cc", number), ())]
    for parameter in parameters[:MAX_COMPARED_MAPPINGS]:
        for row in carriers[:MAX_COMPARED_MAPPINGS]:
            if can_share_input(row, parameter) and contexts.find_common_context(row, parameter):
                yield build_parameter_conflict(row, parameter)
