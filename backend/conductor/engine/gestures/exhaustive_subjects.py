"""What generated gestures are about: each changed control with its rivals, and each control that it reaches.

A change acts on its own controls at once, and on others through a variable, a mode or a held control: there
the gesture first plays the control that writes, then the one that depends on it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conductor.domain.config import Config, Mapping
from conductor.domain.impact import WITHOUT_ALIAS
from conductor.engine.gestures.space import GestureSpace, build_space, count
from conductor.engine.impact.analysis import Analysis
from conductor.engine.impact.rows import Place, Row

DEEPEST = 5
GESTURES_OF_ONE = 4_000
"""So many gestures of one subject at most: its depth is chosen so."""
SUBJECTS_AT_MOST = 300
ROWS_AT_MOST = 24
"""So many mappings are played together: each limit and threshold multiplies the gestures."""
SOURCES_AT_MOST = 2
UNNAMED = "raw:a device without alias"

Devices = dict[str, tuple[str, str]]
"""For a device in a gesture, what its port is called in the old and in the new config."""


@dataclass
class Subject:
    """Some rows whose gestures are played together."""

    rows: list[tuple[str, Mapping]]
    """With their scopes."""
    is_change: bool
    """It is about changed rows themselves."""
    devices: Devices = field(default_factory=dict[str, tuple[str, str]])
    space: GestureSpace | None = None
    depth: int = 0
    total: int = 0

    def prepare(self, configs: Sequence[Config]) -> GestureSpace:
        """Build the space of its gestures; as deep as there is room for."""
        space = self.space = build_space(configs, self.rows)
        contexts = len(space.contexts)
        self.depth, self.total = 1, count(space, 1) * contexts
        for depth in range(2, DEEPEST + 1):
            # counting is work too: each touch more multiplies it by about as many as there are touches
            if depth > 2 and self.total * len(space.touches) > GESTURES_OF_ONE * 4:
                break
            total = count(space, depth) * contexts
            if depth > 2 and total > GESTURES_OF_ONE:
                break
            self.depth, self.total = depth, total
        return space


def build_subjects(found: Analysis) -> tuple[list[Subject], tuple[str, ...]]:
    """Return what to play, what was changed first; and what is left out, in words."""
    missing: dict[str, None] = {}
    subjects: list[Subject] = []
    for cluster in _clusters(found.changed):
        # an unchanged mapping is there on both sides, with the same keys
        rivals = list({(row.scope, row.key): row for row in _rivals(cluster, found)}.values())
        for rows in _portions(cluster):
            near = rivals[: ROWS_AT_MOST - len(rows)]
            if len(near) < len(rivals) or len(rows) < len(cluster):
                missing[_apart_words(len(rows) + len(near), len(cluster) + len(rivals))] = None
            entries = _entries([*rows, *near])
            subjects += [
                Subject(entries, is_change=True, devices=devices) for devices in _ports(rows, found)
            ]
    changed_places = {place for _, row in found.changed for place in row.places}
    writers = [row for _, row in (*found.changed, *found.reached) if row.sets or row.mode_writes]
    for rows in _clusters(found.reached):
        if any(place in changed_places for row in rows for place in row.places):
            continue
        for part in _portions(rows):
            if len(part) < len(rows):
                missing[_apart_words(len(part), len(rows))] = None
            subjects += [
                Subject(_entries([*source, *part]), is_change=False)
                for source in _sources(part, writers)
            ]
    if len(subjects) > SUBJECTS_AT_MOST:
        missing[f"{len(subjects) - SUBJECTS_AT_MOST} more groups of controls"] = None
    return subjects[:SUBJECTS_AT_MOST], tuple(missing)


def _portions(rows: list[Row]) -> Iterator[list[Row]]:
    """Yield rows in portions that leave room for the mappings that they compete with."""
    size = ROWS_AT_MOST // 2
    for at in range(0, len(rows), size):
        yield rows[at : at + size]


def _apart_words(together: int, there: int) -> str:
    return f"more than {together} of the {there:,} mappings of one control together"


def _clusters(rows: Iterable[tuple[int, Row]]) -> Iterator[list[Row]]:
    """Yield rows that share a control together, in the order in which they come."""
    groups: list[tuple[set[Place], list[Row]]] = []
    for _, row in rows:
        here = set(row.places)
        joined = [group for group in groups if group[0] & here]
        for group in joined[1:]:
            joined[0][0].update(group[0])
            joined[0][1].extend(group[1])
            groups.remove(group)
        if joined:
            joined[0][0].update(here)
            joined[0][1].append(row)
        else:
            groups.append((here, [row]))
    for _, members in groups:
        yield members


def _rivals(rows: list[Row], found: Analysis) -> Iterator[Row]:
    """Yield the unchanged rows of the same controls: their limits and values count too."""
    places = {place for row in rows for place in row.places}
    for _, row in found.reached:
        if not places.isdisjoint(row.places):
            yield row


def _entries(rows: Iterable[Row]) -> list[tuple[str, Mapping]]:
    return [(row.scope, row.mapping) for row in rows]


def _sources(rows: list[Row], writers: list[Row]) -> Iterator[list[Row]]:
    """Yield the few rows that may have reached some others: by a variable they read, or the mode."""
    reads = {name for row in rows for name in (*row.when.variables, *row.looks_at.variables)}
    by_variable = [row for row in writers if row.sets & reads]
    by_mode = [row for row in writers if row.mode_writes]
    found = False
    for source in (by_variable[:SOURCES_AT_MOST], by_mode[:SOURCES_AT_MOST]):
        if source:
            found = True
            yield source
    if not found:
        yield []


def _ports(rows: list[Row], found: Analysis) -> Iterator[Devices]:
    """Yield how the ports concerned are called in both configs: each way that a change leaves open."""
    named = {row.device for row in rows if row.device is not None}
    moved = [
        (before, after)
        for before, after in sorted(found.moved)
        if not named or before in named or after in named
    ]
    for before, after in moved:
        ids = tuple(UNNAMED if one == WITHOUT_ALIAS else one for one in (before, after))
        played = {one for one in (before, after) if one in named} or {"virtual"}
        yield dict.fromkeys(played, (ids[0], ids[1]))
    if not moved or any(row.device is None for row in rows):
        yield {}
