"""Selects the subjects of a proof: sets of mappings, changed or affected, whose gestures are played together.

A change affects its own controls directly, and other controls through a variable, a mode or a held
control. A gesture for an indirect effect includes the control that writes the state and the
control that depends on it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conductor.domain.config import Config, Mapping
from conductor.domain.impact import DEVICES_WITHOUT_ALIAS
from conductor.engine.gestures.space import GestureSpace, build_gesture_space, count_gestures
from conductor.engine.impact.analysis import ImpactAnalysis
from conductor.engine.impact.rows import ControlKey, ImpactRow

MAX_GESTURE_DEPTH = 5
MAX_GESTURES_PER_SUBJECT = 4_000
"""The maximum number of gestures for one subject. A subject is played with as many events per
gesture as this limit allows."""
MAX_SUBJECTS = 300
MAX_ROWS_PER_SUBJECT = 24
"""The maximum number of mappings that are played together; each limit and threshold multiplies the gestures."""
MAX_WRITER_ROWS = 2
WITHOUT_ALIAS_ID = "raw:a device without alias"

DeviceVariants = dict[str, tuple[str, str]]
"""For each device in a gesture, the id that its port has in the old and in the new config."""


@dataclass
class ProofSubject:
    """A set of mappings whose gestures are generated and played together."""

    rows: list[tuple[str, Mapping]]
    """The mappings, each with its scope."""
    is_change: bool
    """Whether the subject contains changed mappings; otherwise the change only affects its mappings."""
    devices: DeviceVariants = field(default_factory=dict[str, tuple[str, str]])
    space: GestureSpace | None = None
    depth: int = 0
    total: int = 0

    def build_gesture_space(self, configs: Sequence[Config]) -> GestureSpace:
        """Return the space of gestures for this subject, and choose how many events a gesture may have."""
        space = self.space = build_gesture_space(configs, self.rows)
        contexts = len(space.contexts)
        self.depth, self.total = 1, count_gestures(space, 1) * contexts
        for depth in range(2, MAX_GESTURE_DEPTH + 1):
            # Counting takes time. It is skipped if the total is certainly too large, because each further
            # event multiplies it by about the number of touches.
            if depth > 2 and self.total * len(space.touches) > MAX_GESTURES_PER_SUBJECT * 4:
                break
            total = count_gestures(space, depth) * contexts
            if depth > 2 and total > MAX_GESTURES_PER_SUBJECT:
                break
            self.depth, self.total = depth, total
        return space


def build_proof_subjects(found: ImpactAnalysis) -> tuple[list[ProofSubject], tuple[str, ...]]:
    """Return the subjects of a proof, changed controls first, and descriptions of
    everything that is left out.
    """
    missing: dict[str, None] = {}
    subjects: list[ProofSubject] = []
    for cluster in _group_by_control(found.changed):
        # An unchanged mapping is in both configs with an equal key, so one copy of it is enough.
        rivals = list(
            {(row.scope, row.key): row for row in _find_competing_rows(cluster, found)}.values()
        )
        for rows in _split_into_row_groups(cluster):
            included = rivals[: MAX_ROWS_PER_SUBJECT - len(rows)]
            if len(included) < len(rivals) or len(rows) < len(cluster):
                missing[
                    _build_limit_message(len(rows) + len(included), len(cluster) + len(rivals))
                ] = None
            entries = _list_scoped_mappings([*rows, *included])
            subjects += [
                ProofSubject(entries, is_change=True, devices=devices)
                for devices in _list_device_variants(rows, found)
            ]
    changed_places = {place for _, row in found.changed for place in row.places}
    writers = [row for _, row in (*found.changed, *found.reached) if row.sets or row.mode_writes]
    for rows in _group_by_control(found.reached):
        if any(place in changed_places for row in rows for place in row.places):
            continue
        for part in _split_into_row_groups(rows):
            if len(part) < len(rows):
                missing[_build_limit_message(len(part), len(rows))] = None
            subjects += [
                ProofSubject(_list_scoped_mappings([*source, *part]), is_change=False)
                for source in _find_writer_rows(part, writers)
            ]
    if len(subjects) > MAX_SUBJECTS:
        missing[f"{len(subjects) - MAX_SUBJECTS} more groups of controls"] = None
    return subjects[:MAX_SUBJECTS], tuple(missing)


def _split_into_row_groups(rows: list[ImpactRow]) -> Iterator[list[ImpactRow]]:
    """Split mappings into groups that are small enough to add the other mappings of their controls."""
    size = MAX_ROWS_PER_SUBJECT // 2
    for at in range(0, len(rows), size):
        yield rows[at : at + size]


def _build_limit_message(limit: int, total: int) -> str:
    return f"more than {limit} of the {total:,} mappings of one control together"


def _group_by_control(rows: Iterable[tuple[int, ImpactRow]]) -> Iterator[list[ImpactRow]]:
    """Yield groups of mappings that share a control, directly or through other mappings of the group."""
    groups: list[tuple[set[ControlKey], list[ImpactRow]]] = []
    for _, row in rows:
        places = set(row.places)
        overlapping = [group for group in groups if group[0] & places]
        for group in overlapping[1:]:
            overlapping[0][0].update(group[0])
            overlapping[0][1].extend(group[1])
            groups.remove(group)
        if overlapping:
            overlapping[0][0].update(places)
            overlapping[0][1].append(row)
        else:
            groups.append((places, [row]))
    for _, members in groups:
        yield members


def _find_competing_rows(rows: list[ImpactRow], found: ImpactAnalysis) -> Iterator[ImpactRow]:
    """Yield the unchanged mappings of the same controls, because their limits and values
    influence the gestures too.
    """
    places = {place for row in rows for place in row.places}
    for _, row in found.reached:
        if not places.isdisjoint(row.places):
            yield row


def _list_scoped_mappings(rows: Iterable[ImpactRow]) -> list[tuple[str, Mapping]]:
    return [(row.scope, row.mapping) for row in rows]


def _find_writer_rows(rows: list[ImpactRow], writers: list[ImpactRow]) -> Iterator[list[ImpactRow]]:
    """Yield the mappings that affect the given mappings through a variable or the mode, one group at a time.

    Yields one empty group if no mapping does.
    """
    reads = {name for row in rows for name in (*row.when.variables, *row.action_reads.variables)}
    by_variable = [row for row in writers if row.sets & reads]
    by_mode = [row for row in writers if row.mode_writes]
    found = False
    for source in (by_variable[:MAX_WRITER_ROWS], by_mode[:MAX_WRITER_ROWS]):
        if source:
            found = True
            yield source
    if not found:
        yield []


def _list_device_variants(rows: list[ImpactRow], found: ImpactAnalysis) -> Iterator[DeviceVariants]:
    """Yield the possible device ids of ports under both configs; yield an empty dict if
    no device id has changed.
    """
    named = {row.device for row in rows if row.device is not None}
    moved = [
        (before, after)
        for before, after in sorted(found.moved)
        if not named or before in named or after in named
    ]
    for before, after in moved:
        ids = tuple(
            WITHOUT_ALIAS_ID if device == DEVICES_WITHOUT_ALIAS else device
            for device in (before, after)
        )
        played = {device for device in (before, after) if device in named} or {"virtual"}
        yield dict.fromkeys(played, (ids[0], ids[1]))
    if not moved or any(row.device is None for row in rows):
        yield {}
