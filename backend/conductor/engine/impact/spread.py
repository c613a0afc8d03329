"""Spreads a change over everything that it can reach, until nothing is added any more.

What spreads: a row that fires otherwise changes which of its rivals fire, how long the taps, holds and
chords of its control wait, the variables and modes that it sets; those change other rows.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from conductor.domain.triggers.base import GESTURES, Gesture
from conductor.engine.impact.modes import ModePairs, Pair
from conductor.engine.impact.rows import (
    PRESS_CLASSES,
    WAITING,
    Place,
    Reads,
    Row,
    RowTable,
)

Modes = frozenset[str] | None
NO_GESTURE: frozenset[Gesture] = frozenset()
PRESSES: frozenset[Gesture] = frozenset(GESTURES) - {"change"}


class Region(NamedTuple):
    """Controls and the circumstances in which a change reaches them."""

    device: str | None
    channel: int | None
    place: Place
    modes: Modes
    profile: str | None
    gestures: frozenset[Gesture]
    """The rows of these gestures may fire otherwise; none: only what one row does is different."""


class Spread:
    """Collects regions, variables, modes and rows that a change reaches."""

    def __init__(self, old: RowTable, new: RowTable) -> None:
        self.sides = (old, new)
        self.modes = ModePairs(old, new)
        self.regions: dict[Region, str] = {}
        """Each with the reason for the first time that it was reached."""
        self.variables: set[str] = set()
        self.rows: dict[int, Row] = {}
        """The rows that may act otherwise, by their identity."""
        self.changed: dict[int, tuple[int, Row]] = {}
        """The rows at which the change begins, each with its side, by their identity."""
        self.replaced: set[Pair] = set()
        """Pairs that only come of applying the change, of a mode that goes: nothing is held before."""
        self._begins = True
        self._in_order: set[str | None] = set()
        self._waiting: list[tuple[Region, bool]] = []
        self._variables_waiting: list[str] = []
        self._seeds: dict[str, tuple[set[str], set[str]]] = {}
        self._pairs_done: set[Pair] = set()

    def close(self) -> None:
        """Follow everything that was touched to its end."""
        self._begins = False
        while True:
            while self._waiting or self._variables_waiting:
                if self._variables_waiting:
                    self._follow_variable(self._variables_waiting.pop())
                else:
                    region, begins = self._waiting.pop()
                    self._follow(region, begins=begins)
            for mode, (before, after) in self._seeds.items():
                if all(mode in side.modes for side in self.sides):
                    self.modes.add({mode, *before}, {mode, *after})
            self.modes.close({region.place for region in self.regions})
            fresh = self.modes.pairs - self._pairs_done
            if not fresh:
                return
            self._pairs_done |= fresh
            for pair in sorted(fresh):
                self._touch_pair(*pair)
            # what was held when the modes parted was pressed in one of the two
            self.touch_held(frozenset(m for pair in fresh - self.replaced for m in pair))
            self.touch_held(frozenset(before for before, _ in fresh & self.replaced))

    def touch_row(
        self,
        row: Row,
        side: int,
        why: str,
        *,
        modes: Modes = None,
        device: str | None = None,
        begins: bool = True,
    ) -> None:
        """Record that a row is new, gone, moved, or fires under other circumstances.

        `modes` and `device` narrow it. `begins` is False where the modes of the two sides differ already.
        """
        for place in row.places:
            region = Region(
                device if row.device is None else row.device,
                row.channel,
                place,
                _both(modes, row.modes()),
                row.profile(),
                _influenced(row.gesture),
            )
            self._reach(self._carried(region), why, begins=begins)
        self._act(row, side, _both(modes, row.modes()), begins=begins)

    def touch_effect(
        self,
        row: Row,
        side: int,
        why: str,
        *,
        modes: Modes = None,
        begins: bool = True,
        sets_modes: bool = True,
    ) -> None:
        """Record that a row fires as before but does something else."""
        here = _both(modes, row.modes())
        for place in row.places:
            region = Region(row.device, row.channel, place, here, row.profile(), NO_GESTURE)
            self._reach(region, why, begins=begins)
        self._act(row, side, here, begins=begins, sets_modes=sets_modes)

    def touch_variable(self, name: str) -> None:
        """Record that a variable may have another value."""
        if name not in self.variables:
            self.variables.add(name)
            self._variables_waiting.append(name)

    def _follow_variable(self, name: str) -> None:
        """Touch what depends on a variable; not at once, since a long chain would nest too deep."""
        why = f"it depends on the variable {name}"
        for side, row in self.all_rows():
            if name in row.when.variables:
                self.touch_row(row, side, why)
            elif name in row.looks_at.variables:
                self.touch_effect(row, side, why)

    def touch_held(self, modes: Modes) -> None:
        """Record that what is held in some modes may be let go at another time."""
        for side, row in self.all_rows():
            if row.holds() and (row.modes() is None or _both(modes, row.modes())):
                repeats = any(part.type == "Repeat" for part in row.parts)
                begins = repeats and bool(row.mode_writes)
                self.touch_effect(
                    row,
                    side,
                    "what it holds is let go when the mode changes",
                    modes=None if begins else modes,
                    begins=begins,
                )

    def all_rows(self) -> Iterator[tuple[int, Row]]:
        """Yield the rows of both configs, each with its side: 0 old, 1 new."""
        for side, table in enumerate(self.sides):
            for row in table.rows:
                yield side, row

    def begin_in(self, mode: str, before: Iterable[str], after: Iterable[str]) -> None:
        """Record where a mode may lead in the old and in the new config."""
        seeds = self._seeds.setdefault(mode, (set(), set()))
        seeds[0].update(before)
        seeds[1].update(after)

    def _reach(self, region: Region, why: str, *, begins: bool) -> None:
        if region not in self.regions:
            self.regions[region] = why
            self._waiting.append((region, begins))

    def _follow(self, region: Region, *, begins: bool) -> None:
        if not region.gestures:
            return
        for side, table in enumerate(self.sides):
            for row in table.at(region.place):
                if not _meets(region, row):
                    continue
                if row.gesture in region.gestures:
                    self._act(row, side, _both(region.modes, row.modes()), begins=begins)
                if row.gesture == "chord" and "chord" in region.gestures:
                    self._reach_parts(region, row, begins=begins)
                if row.keeps_order() and region.gestures & WAITING:
                    device = region.device if row.device is None else row.device
                    self._reach_device(device, begins=begins)

    def _reach_parts(self, region: Region, chord: Row, *, begins: bool) -> None:
        """Reach the other controls of a chord: they wait for one that may come otherwise."""
        for place in chord.places:
            self._reach(
                self._carried(
                    Region(
                        region.device if chord.device is None else chord.device,
                        region.channel if chord.channel is None else chord.channel,
                        place,
                        chord.modes(),
                        chord.profile(),
                        PRESSES,
                    )
                ),
                f"it waits for the chord `{chord.mapping.description or chord.scope}`",
                begins=begins,
            )

    def _reach_device(self, device: str | None, *, begins: bool) -> None:
        """Reach all that a device plays: it waits for a gesture that may be decided at another time.

        What waits is judged in the mode that is active then, so every mode counts.
        """
        if device in self._in_order:
            return
        self._in_order.add(device)
        for _, row in self.all_rows():
            if device is not None and row.device not in (None, device):
                continue
            gestures = PRESSES if row.gesture in PRESSES else frozenset((row.gesture,))
            for place in row.places:
                own = device if row.device is None else row.device
                region = Region(own, row.channel, place, None, None, gestures)
                self._reach(region, "it waits for a gesture that keeps the order", begins=begins)

    def _carried(self, region: Region) -> Region:
        """Return a region with the modes in which what began there can still make a difference.

        A press that waits is judged in the next mode too, and a control remembers its last value.
        """
        if (region.modes is None and region.profile is None) or not region.gestures:
            return region
        if region.place[0] in PRESS_CLASSES and not region.gestures & WAITING:
            return region
        modes: set[str] = set(region.modes or ())
        for table in self.sides:
            for row in table.at(region.place):
                if row.gesture not in region.gestures or not row.remembers_across():
                    continue
                if not _overlap(region, row):
                    continue
                own = row.modes()
                if own is None and row.gesture == "change" and row.kind == "global":
                    continue  # it sees every value, so it has no first one to judge in another way
                if own is None and row.profile() != region.profile:
                    return region._replace(modes=None, profile=None)
                modes |= own or frozenset()
        if region.profile is not None:
            return region._replace(profile=None) if modes else region
        return region._replace(modes=frozenset(modes))

    def _act(
        self, row: Row, side: int, modes: Modes, *, begins: bool, sets_modes: bool = True
    ) -> None:
        """Record that a row may act otherwise: what it sets may be otherwise too."""
        if self._begins:
            self.changed[id(row)] = side, row
        self.rows[id(row)] = row
        for name in row.sets:
            self.touch_variable(name)
        if not row.mode_writes or not sets_modes:
            return
        is_late = any(write.is_late for write in row.mode_writes)
        if not begins and not is_late:
            return
        everywhere = self.sides[side].modes
        for mode in everywhere if is_late or modes is None else modes & set(everywhere):
            outcomes = self.modes.outcomes(side, row, mode)
            self.begin_in(mode, *((outcomes, ()) if side == 0 else ((), outcomes)))

    def _touch_pair(self, before: str, after: str) -> None:
        """Reach what differs while the old config is in one mode and the new one in another."""
        old, new = self.sides
        modes = _seen_in(before, after, old.modes, new.modes)
        why = f"mode {before} or {after} may be active"
        for place in self.modes.differing_places(before, after):
            both = set(old.mode_rows(before, place)), set(new.mode_rows(after, place))
            for side, mode in enumerate((before, after)):
                for row in self.sides[side].in_scope.get(f"mode:{mode}", {}).get(place, ()):
                    if row.key not in both[1 - side] or both[0] == both[1]:
                        self._touch_in_pair(row, side, why, modes)
        for side, row in self.all_rows():
            if _reads_mode(row.when, before, after):
                self.touch_row(row, side, why, modes=modes, begins=False)
            elif _reads_mode(row.looks_at, before, after):
                # its turn may come after the mode has changed
                late = row.is_late or len(row.parts) > 2
                self.touch_effect(row, side, why, modes=None if late else modes, begins=False)

    def _touch_in_pair(self, row: Row, side: int, why: str, modes: Modes) -> None:
        for place in row.places:
            gestures = _influenced(row.gesture)
            region = Region(row.device, row.channel, place, modes, None, gestures)
            self._reach(self._carried(region), why, begins=False)
        self._act(row, side, modes, begins=False)


def _influenced(gesture: Gesture) -> frozenset[Gesture]:
    """Return the gestures on the same control that fire otherwise when one of `gesture` does."""
    return PRESSES if gesture in WAITING else frozenset((gesture,))


def _both(some: Modes, others: Modes) -> Modes:
    if some is None:
        return others
    return some if others is None else some & others


def _overlap(region: Region, row: Row) -> bool:
    return (region.device is None or row.device in (None, region.device)) and (
        region.channel is None or row.channel in (None, region.channel)
    )


def _meets(region: Region, row: Row) -> bool:
    if not _overlap(region, row):
        return False
    own = row.modes()
    if region.modes is not None and own is not None and not region.modes & own:
        return False
    return region.profile is None or row.profile() in (None, region.profile)


def _reads_mode(reads: Reads, before: str, after: str) -> bool:
    return before in reads.modes or after in reads.modes


def _seen_in(before: str, after: str, old: tuple[str, ...], new: tuple[str, ...]) -> frozenset[str]:
    """Return the modes that name a pair: a mode that only one config has is enough."""
    if before not in new:
        return frozenset((before,))
    return frozenset((after,)) if after not in old else frozenset((before, after))
