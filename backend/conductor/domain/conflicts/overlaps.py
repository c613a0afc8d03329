"""Finds the conflicts in a config: mappings that interfere with each other, and mappings that cannot work."""

from collections.abc import Iterable, Iterator, Sequence

from conductor.domain.config import Config
from conductor.domain.conflicts.actions import runs_shell_command, sends_midi_or_keys
from conductor.domain.conflicts.modes import find_mode_conflicts
from conductor.domain.conflicts.release import (
    find_endless_notes,
    find_impossible_holds,
    find_unreleased_actions,
)
from conductor.domain.conflicts.rows import (
    MAX_COMPARED_MAPPINGS,
    MappingRow,
    RowBucket,
    build_overlap,
    can_match_together,
    group_by_control,
    join_phrases,
    list_rows,
)
from conductor.domain.conflicts.shadows import ShadowFinder
from conductor.domain.conflicts.timing import RowsByControl, find_delays
from conductor.domain.events import InputEvent
from conductor.domain.plan import Overlap
from conductor.domain.triggers.base import TriggerBase

NEIGHBOUR_NOTE_DISTANCE = 2
"""The number of semitones within which a finger may hit a neighbouring note by mistake."""
_SEVERITY_RANK = {"error": 0, "warning": 1, "info": 2}

OverlapPair = tuple[str, str, object, object]


def find_config_overlaps(config: Config, events: Sequence[InputEvent] = ()) -> list[Overlap]:
    """Return all conflicts in a config, errors first.

    `events` are recorded events, which show which controls can be held.
    """
    rows = list_rows(config)
    return find_overlaps(config, rows, group_by_control(rows), events)


def find_overlaps(
    config: Config, rows: RowBucket, buckets: RowsByControl, events: Sequence[InputEvent] = ()
) -> list[Overlap]:
    """Return all conflicts between these mappings, errors first.

    `events` are recorded events, which show which controls can be held.
    """
    shadows = ShadowFinder(buckets.values())
    found = [
        *shadows.found,
        *find_delays(rows, buckets, shadows),
        *find_unreleased_actions(rows),
        *find_endless_notes(rows),
        *find_impossible_holds(rows, events),
        *_find_risky_shell_commands(rows, buckets),
        *find_mode_conflicts(config, rows),
    ]
    return sorted(found, key=lambda overlap: _SEVERITY_RANK[overlap.severity])


def mark_new_overlaps(
    old: Config, new: Config, before: Iterable[Overlap], after: Iterable[Overlap]
) -> list[Overlap]:
    """Return the conflicts in the new config, with a mark for each conflict that the old config also has.

    A new mapping that an old one of a more specific scope replaces is a warning: whoever adds it expects
    it to act.
    """
    triggers = _TriggerNumbering()
    old_identities, known = _identify_mappings(old, triggers), set[OverlapPair]()
    for found in before:
        known.update(_split_into_pairs(found, old_identities))
    identities = _identify_mappings(new, triggers)
    old_mappings = set(old_identities.values())

    def mark(overlap: Overlap) -> Overlap:
        if _split_into_pairs(overlap, identities) <= known:
            return overlap.model_copy(update={"is_new": False})
        scopes = {place.rpartition(" #")[0] for place in overlap.places}
        if overlap.kind == "shadowed" and overlap.severity == "info" and len(scopes) > 1:
            winner, *losers = (identities[place] in old_mappings for place in overlap.places)
            if winner and not all(losers):
                return overlap.model_copy(update={"severity": "warning"})
        return overlap

    return sorted(map(mark, after), key=lambda overlap: _SEVERITY_RANK[overlap.severity])


class _TriggerNumbering:
    """Assigns numbers to triggers, so that equal triggers in two configs have the same number."""

    def __init__(self) -> None:
        self._numbers: dict[TriggerBase, int] = {}
        self._known: dict[int, int] = {}
        """The numbers by `id(trigger)`, because two configs share most triggers and hashing one is slow."""

    def get_number(self, trigger: TriggerBase) -> int:
        known = self._known.get(id(trigger))
        if known is None:
            known = self._numbers.setdefault(trigger, len(self._numbers))
            self._known[id(trigger)] = known
        return known


def _identify_mappings(config: Config, triggers: _TriggerNumbering) -> dict[str, object]:
    """Return an identity for each mapping, by its position, that stays the same when the
    mapping is moved in its scope.
    """
    counts: dict[object, int] = {}
    found: dict[str, object] = {}
    for scope, index, mapping in config.list_all_mappings():
        what = (scope, triggers.get_number(mapping.trigger))
        counts[what] = counts.get(what, 0) + 1
        found[f"{scope} #{index}"] = (what, counts[what])
    return found


def _split_into_pairs(overlap: Overlap, identities: dict[str, object]) -> set[OverlapPair]:
    """Return the pairs of mappings in a conflict.

    A third mapping in a known conflict thus makes only its own pairs new.
    """
    first, *others = (identities.get(place, place) for place in overlap.places)
    return {(overlap.kind, overlap.severity, first, other) for other in others or [None]}


def _find_risky_shell_commands(rows: RowBucket, buckets: RowsByControl) -> Iterator[Overlap]:
    """Yield a warning for each mapping of a note to a shell command, if neighbouring notes
    are used by other mappings.
    """
    for row in rows:
        control_class, number = row.trigger.list_controls()[0]
        if control_class != "note" or row.gesture not in ("tap", "release"):
            continue
        if not runs_shell_command(row.ref.mapping.action) or not isinstance(number, int):
            continue
        near = _find_played_neighbours(row, number, buckets)
        if near:
            names = join_phrases(
                f"{other.describe_one_control('note', n)} (`{other.describe_mapping()}`)"
                for n, other in near
            )
            message = (
                f"`{row.describe_mapping()}` runs a shell command on {row.describe_control()}, "
                f"next to {names}: a slip of the finger runs it"
            )
            yield build_overlap(
                "shell_beside_performance", "warning", message, row, *(o for _, o in near)
            )


def _find_played_neighbours(
    row: MappingRow, number: int, buckets: RowsByControl
) -> list[tuple[int, MappingRow]]:
    near = (
        n
        for n in range(number - NEIGHBOUR_NOTE_DISTANCE, number + NEIGHBOUR_NOTE_DISTANCE + 1)
        if n != number
    )
    return [
        (n, other)
        for n in near
        for other in buckets.get(("note", n), ())[:MAX_COMPARED_MAPPINGS]
        if other.scope == row.scope
        and sends_midi_or_keys(other.ref.mapping.action)
        and not runs_shell_command(other.ref.mapping.action)
        and can_match_together(row, other)
    ]
