"""Computes an upper bound of what a config change can affect, without simulating anything.

A change starts at the mappings, devices, modes and settings that differ (`impact/sources.py`). It spreads to
other mappings on the same controls, through chords, variables and modes, until nothing new is found
(`impact/spread.py`, `impact/modes.py`). Everything that is not in the result behaves as before.
"""

from collections.abc import Iterable
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.impact import Impact, ImpactedControl
from conductor.domain.renames import find_renames
from conductor.engine.impact.names import apply_renames, find_moved_devices
from conductor.engine.impact.rows import ImpactRow, MappingNumbering, RowTable
from conductor.engine.impact.sources import mark_direct_changes
from conductor.engine.impact.spread import AffectedRegion, ImpactSpread, ModeNames
from conductor.engine.impact.summary import list_action_targets, summarize_impact

_Pattern = tuple[str | None, int | None, str, str, str | None]


class ImpactAnalysis(NamedTuple):
    """An upper bound of what a change can affect, with the mappings from which it was computed."""

    impact: Impact
    old: Config
    """The old config, in which renamed modes, devices and profiles already have their new names."""
    changed: tuple[tuple[int, ImpactRow], ...]
    """The mappings that the change itself concerns, each with its side: 0 for the old
    config, 1 for the new config."""
    reached: tuple[tuple[int, ImpactRow], ...]
    """The other mappings that may behave differently, each with its side."""
    moved: frozenset[tuple[str, str]]
    """The old and the new device id of each port whose id may change."""


def compute_impact(old: Config, new: Config) -> Impact:
    """Return what a change from one config to another can affect."""
    return analyze_change(old, new).impact


def analyze_change(
    old: Config, new: Config, names: ControlNames = NO_CONTROL_NAMES
) -> ImpactAnalysis:
    """Return what a change can affect, with the mappings it changes and the mappings it affects indirectly."""
    renames = find_renames(old, new)
    old = apply_renames(old, renames)
    keys = MappingNumbering()
    before, after = RowTable(old, keys), RowTable(new, keys)
    spread = ImpactSpread(before, after)
    notes = mark_direct_changes(spread, old, new)
    spread.propagate_changes()
    found = Impact(
        controls=_to_impacted_controls(spread.regions, names, before.modes, after.modes),
        modes=tuple(sorted({mode for pair in spread.modes.pairs for mode in pair})),
        variables=tuple(sorted(spread.variables)),
        targets=tuple(sorted(set(list_action_targets(spread.rows.values())))),
        settings=tuple(dict.fromkeys(notes)),
        removed_modes=tuple(mode for mode in before.modes if mode not in after.modes),
        renames=renames,
    )
    found = found.model_copy(
        update={"summary": summarize_impact(found, spread.modes.find_differing_modes())}
    )
    reached = (
        (side, row)
        for side, row in spread.iterate_rows()
        if id(row) in spread.rows and id(row) not in spread.changed
    )
    return ImpactAnalysis(
        found,
        old,
        tuple(spread.changed.values()),
        tuple(reached),
        find_moved_devices(old, new),
    )


def _to_impacted_controls(
    regions: dict[AffectedRegion, str], names: ControlNames, *modes: Iterable[str]
) -> tuple[ImpactedControl, ...]:
    """Return the affected controls: one entry for each pattern of controls, with all modes in
    which they are affected.
    """
    order = list(dict.fromkeys(mode for side in modes for mode in side))
    merged: dict[_Pattern, tuple[ModeNames, AffectedRegion, str]] = {}
    for region, why in regions.items():
        if region.modes is not None and not region.modes:
            continue
        kind, number = region.place
        pattern = (region.device, region.channel, kind, repr(number), region.profile)
        previous = merged.get(pattern)
        if previous is None:
            merged[pattern] = region.modes, region, why
        else:
            merged[pattern] = _unite_mode_names(previous[0], region.modes), previous[1], previous[2]
    everywhere = {pattern for pattern, (modes_here, _, _) in merged.items() if modes_here is None}
    return tuple(
        ImpactedControl(
            device=region.device,
            channel=region.channel,
            control_class=region.place[0],
            number=region.place[1],
            name=names.find_control_name(region.device, *region.place, region.channel),
            modes=None if modes_here is None else tuple(m for m in order if m in modes_here),
            profile=region.profile,
            why=why,
        )
        for pattern, (modes_here, region, why) in merged.items()
        # An entry for all modes and profiles makes the entries for a single profile superfluous.
        if region.profile is None or (*pattern[:4], None) not in everywhere
    )


def _unite_mode_names(first: ModeNames, second: ModeNames) -> ModeNames:
    return None if first is None or second is None else first | second
