"""Follows a change to everything that it can affect, until nothing new is found.

A mapping that fires differently affects which other mappings on its control fire, how long taps, holds and
chords are delayed, and the variables and modes that it sets.

Variables and modes in turn affect other mappings.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from conductor.domain.scopes import format_mode_scope
from conductor.domain.triggers.base import GESTURE_KINDS, Gesture
from conductor.engine.impact.modes import ModePair, ModePairs
from conductor.engine.impact.rows import (
    DELAYING_GESTURES,
    PRESS_CLASSES,
    ControlKey,
    ImpactRow,
    RowTable,
    StateReads,
)

ModeNames = frozenset[str] | None
NO_GESTURES: frozenset[Gesture] = frozenset()
PRESS_GESTURES: frozenset[Gesture] = frozenset(GESTURE_KINDS) - {"change"}


class AffectedRegion(NamedTuple):
    """A pattern of controls that a change affects, restricted to certain modes or a profile."""

    device: str | None
    channel: int | None
    place: ControlKey
    modes: ModeNames
    profile: str | None
    gestures: frozenset[Gesture]
    """The gestures that may fire differently; empty if only the action of a mapping differs."""


class ImpactSpread:
    """Collects the controls, variables, modes and mappings that a change can affect."""

    def __init__(self, old: RowTable, new: RowTable) -> None:
        self.sides = (old, new)
        self.modes = ModePairs(old, new)
        self.regions: dict[AffectedRegion, str] = {}
        """The affected patterns of controls, each with the reason for which it was first found."""
        self.variables: set[str] = set()
        self.rows: dict[int, ImpactRow] = {}
        """The mappings that may behave differently, by `id(row)`."""
        self.changed: dict[int, tuple[int, ImpactRow]] = {}
        """The mappings that the change itself concerns, each with its side (0 old, 1 new), by `id(row)`."""
        self.replaced: set[ModePair] = set()
        """The pairs of a removed mode and the mode that replaces it when the change is applied. As applying
        a change releases everything, nothing is held in the new mode."""
        self._is_start = True
        self._in_order: set[str | None] = set()
        self._waiting: list[tuple[AffectedRegion, bool]] = []
        self._variables_waiting: list[str] = []
        self._seeds: dict[str, tuple[set[str], set[str]]] = {}
        self._pairs_done: set[ModePair] = set()

    def propagate_changes(self) -> None:
        """Follow all marked mappings, variables and modes, until nothing new is marked."""
        self._is_start = False
        while True:
            while self._waiting or self._variables_waiting:
                if self._variables_waiting:
                    self._follow_variable(self._variables_waiting.pop())
                else:
                    region, is_start = self._waiting.pop()
                    self._follow_region(region, is_start=is_start)
            for mode, (before, after) in self._seeds.items():
                if all(mode in side.modes for side in self.sides):
                    self.modes.add_pairs({mode, *before}, {mode, *after})
            self.modes.propagate_pairs({region.place for region in self.regions})
            fresh = self.modes.pairs - self._pairs_done
            if not fresh:
                return
            self._pairs_done |= fresh
            for pair in sorted(fresh):
                self._mark_mode_pair(*pair)
            # Everything that is held when the modes become different was pressed in one of these two modes.
            self.mark_releases_changed(frozenset(m for pair in fresh - self.replaced for m in pair))
            self.mark_releases_changed(frozenset(before for before, _ in fresh & self.replaced))

    def mark_row_changed(
        self,
        row: ImpactRow,
        side: int,
        why: str,
        *,
        modes: ModeNames = None,
        device: str | None = None,
        is_start: bool = True,
    ) -> None:
        """Record that a mapping was added, removed or moved, or fires in other situations than before.

        `modes` and `device` restrict where this is so. `is_start` is false where the modes already differ.
        """
        for place in row.places:
            region = AffectedRegion(
                device if row.device is None else row.device,
                row.channel,
                place,
                _intersect_modes(modes, row.get_active_modes()),
                row.get_active_profile(),
                _list_influenced_gestures(row.gesture),
            )
            self._mark_region(self._extend_to_later_modes(region), why, is_start=is_start)
        self._mark_row(
            row, side, _intersect_modes(modes, row.get_active_modes()), is_start=is_start
        )

    def mark_effect_changed(
        self,
        row: ImpactRow,
        side: int,
        why: str,
        *,
        modes: ModeNames = None,
        is_start: bool = True,
        sets_modes: bool = True,
    ) -> None:
        """Record that a mapping fires as before, but has another effect."""
        here = _intersect_modes(modes, row.get_active_modes())
        for place in row.places:
            region = AffectedRegion(
                row.device, row.channel, place, here, row.get_active_profile(), NO_GESTURES
            )
            self._mark_region(region, why, is_start=is_start)
        self._mark_row(row, side, here, is_start=is_start, sets_modes=sets_modes)

    def mark_variable_changed(self, name: str) -> None:
        """Record that a variable may have another value than under the old config."""
        if name not in self.variables:
            self.variables.add(name)
            self._variables_waiting.append(name)

    def _follow_variable(self, name: str) -> None:
        """Mark the mappings that depend on a variable.

        Variables are queued for this, because a long chain of them would recurse too deeply.
        """
        why = f"it depends on the variable {name}"
        for side, row in self.iterate_rows():
            if name in row.when.variables:
                self.mark_row_changed(row, side, why)
            elif name in row.action_reads.variables:
                self.mark_effect_changed(row, side, why)

    def mark_releases_changed(self, modes: ModeNames) -> None:
        """Record that what is held in some modes, such as keys, may be released at another time."""
        for side, row in self.iterate_rows():
            if row.has_lasting_effect() and (
                row.get_active_modes() is None or _intersect_modes(modes, row.get_active_modes())
            ):
                repeats = any(part.type == "Repeat" for part in row.parts)
                is_start = repeats and bool(row.mode_writes)
                self.mark_effect_changed(
                    row,
                    side,
                    "what it holds is released when the mode changes",
                    modes=None if is_start else modes,
                    is_start=is_start,
                )

    def iterate_rows(self) -> Iterator[tuple[int, ImpactRow]]:
        """Yield the mappings of both configs, each with its side: 0 for the old config, 1 for the new one."""
        for side, table in enumerate(self.sides):
            for row in table.rows:
                yield side, row

    def add_mode_outcomes(self, mode: str, before: Iterable[str], after: Iterable[str]) -> None:
        """Record which modes may follow a mode under the old config and under the new one."""
        seeds = self._seeds.setdefault(mode, (set(), set()))
        seeds[0].update(before)
        seeds[1].update(after)

    def _mark_region(self, region: AffectedRegion, why: str, *, is_start: bool) -> None:
        if region not in self.regions:
            self.regions[region] = why
            self._waiting.append((region, is_start))

    def _follow_region(self, region: AffectedRegion, *, is_start: bool) -> None:
        if not region.gestures:
            return
        for side, table in enumerate(self.sides):
            for row in table.find_listeners(region.place):
                if not _may_share_event(region, row):
                    continue
                if row.gesture in region.gestures:
                    self._mark_row(
                        row,
                        side,
                        _intersect_modes(region.modes, row.get_active_modes()),
                        is_start=is_start,
                    )
                if row.gesture == "chord" and "chord" in region.gestures:
                    self._mark_chord_controls(region, row, is_start=is_start)
                if row.keeps_order() and region.gestures & DELAYING_GESTURES:
                    device = region.device if row.device is None else row.device
                    self._mark_device_controls(device, is_start=is_start)

    def _mark_chord_controls(
        self, region: AffectedRegion, chord: ImpactRow, *, is_start: bool
    ) -> None:
        """Mark the other controls of a chord, because they wait for a control that may behave differently."""
        for place in chord.places:
            self._mark_region(
                self._extend_to_later_modes(
                    AffectedRegion(
                        region.device if chord.device is None else chord.device,
                        region.channel if chord.channel is None else chord.channel,
                        place,
                        chord.get_active_modes(),
                        chord.get_active_profile(),
                        PRESS_GESTURES,
                    )
                ),
                f"it waits for the chord `{chord.mapping.description or chord.scope}`",
                is_start=is_start,
            )

    def _mark_device_controls(self, device: str | None, *, is_start: bool) -> None:
        """Mark all controls of a device, because their events wait for a gesture whose duration changes.

        Events that waited are judged in a later mode, so all modes are marked.
        """
        if device in self._in_order:
            return
        self._in_order.add(device)
        for _, row in self.iterate_rows():
            if device is not None and row.device not in (None, device):
                continue
            gestures = (
                PRESS_GESTURES if row.gesture in PRESS_GESTURES else frozenset((row.gesture,))
            )
            for place in row.places:
                own = device if row.device is None else row.device
                region = AffectedRegion(own, row.channel, place, None, None, gestures)
                self._mark_region(
                    region, "it waits for a gesture that keeps the order", is_start=is_start
                )

    def _extend_to_later_modes(self, region: AffectedRegion) -> AffectedRegion:
        """Return a region extended to the later modes in which its gestures may end.

        A pending press is decided in a later mode, and a control remembers its last value.
        """
        if (region.modes is None and region.profile is None) or not region.gestures:
            return region
        if region.place[0] in PRESS_CLASSES and not region.gestures & DELAYING_GESTURES:
            return region
        modes: set[str] = set(region.modes or ())
        for table in self.sides:
            for row in table.find_listeners(region.place):
                if row.gesture not in region.gestures or not row.remembers_across_modes():
                    continue
                if not _may_share_device_and_channel(region, row):
                    continue
                own = row.get_active_modes()
                if own is None and row.gesture == "change" and row.kind == "global":
                    # the mapping is always active, so no mode change makes it miss a value
                    continue
                if own is None and row.get_active_profile() != region.profile:
                    return region._replace(modes=None, profile=None)
                modes |= own or frozenset()
        if region.profile is not None:
            return region._replace(profile=None) if modes else region
        return region._replace(modes=frozenset(modes))

    def _mark_row(
        self,
        row: ImpactRow,
        side: int,
        modes: ModeNames,
        *,
        is_start: bool,
        sets_modes: bool = True,
    ) -> None:
        """Record that a mapping may behave differently, and mark the variables and modes that it sets."""
        if self._is_start:
            self.changed[id(row)] = side, row
        self.rows[id(row)] = row
        for name in row.sets:
            self.mark_variable_changed(name)
        if not row.mode_writes or not sets_modes:
            return
        is_late = any(write.is_late for write in row.mode_writes)
        if not is_start and not is_late:
            return
        everywhere = self.sides[side].modes
        for mode in everywhere if is_late or modes is None else modes & set(everywhere):
            outcomes = self.modes.find_next_modes(side, row, mode)
            self.add_mode_outcomes(mode, *((outcomes, ()) if side == 0 else ((), outcomes)))

    def _mark_mode_pair(self, before: str, after: str) -> None:
        """Mark everything that differs while the old config is in mode `before` and the
        new one in mode `after`.
        """
        old, new = self.sides
        modes = _choose_modes_to_name(before, after, old.modes, new.modes)
        why = f"mode {before} or {after} may be active"
        for place in self.modes.find_differing_places(before, after):
            both = set(old.list_mode_rows(before, place)), set(new.list_mode_rows(after, place))
            for side, mode in enumerate((before, after)):
                for row in (
                    self.sides[side].in_scope.get(format_mode_scope(mode), {}).get(place, ())
                ):
                    if row.key not in both[1 - side] or both[0] == both[1]:
                        self._mark_row_in_mode_pair(row, side, why, modes)
        for side, row in self.iterate_rows():
            if _reads_mode(row.when, before, after):
                self.mark_row_changed(row, side, why, modes=modes, is_start=False)
            elif _reads_mode(row.action_reads, before, after):
                # The condition may be evaluated later, after the mode has changed again.
                late = row.is_late or len(row.parts) > 2
                self.mark_effect_changed(
                    row, side, why, modes=None if late else modes, is_start=False
                )

    def _mark_row_in_mode_pair(self, row: ImpactRow, side: int, why: str, modes: ModeNames) -> None:
        for place in row.places:
            gestures = _list_influenced_gestures(row.gesture)
            region = AffectedRegion(row.device, row.channel, place, modes, None, gestures)
            self._mark_region(self._extend_to_later_modes(region), why, is_start=False)
        self._mark_row(row, side, modes, is_start=False)


def _list_influenced_gestures(gesture: Gesture) -> frozenset[Gesture]:
    """Return the gestures of a control that are affected if a mapping with this gesture fires differently."""
    return PRESS_GESTURES if gesture in DELAYING_GESTURES else frozenset((gesture,))


def _intersect_modes(first: ModeNames, second: ModeNames) -> ModeNames:
    if first is None:
        return second
    return first if second is None else first & second


def _may_share_device_and_channel(region: AffectedRegion, row: ImpactRow) -> bool:
    return (region.device is None or row.device in (None, region.device)) and (
        region.channel is None or row.channel in (None, region.channel)
    )


def _may_share_event(region: AffectedRegion, row: ImpactRow) -> bool:
    if not _may_share_device_and_channel(region, row):
        return False
    own = row.get_active_modes()
    if region.modes is not None and own is not None and not region.modes & own:
        return False
    return region.profile is None or row.get_active_profile() in (None, region.profile)


def _reads_mode(reads: StateReads, before: str, after: str) -> bool:
    return before in reads.modes or after in reads.modes


def _choose_modes_to_name(
    before: str, after: str, old: tuple[str, ...], new: tuple[str, ...]
) -> frozenset[str]:
    """Return the modes by which a pair is described: one that only one config has, otherwise both."""
    if before not in new:
        return frozenset((before,))
    return frozenset((after,)) if after not in old else frozenset((before, after))
