"""The blast radius of a change: an upper bound of what it can affect, from the compiled rows alone.

Nothing is played. A change begins at the rows, devices, modes and settings that differ
(`impact_sources`), and spreads over rivals, chords, variables and modes to a fixpoint (`impact_spread`,
`impact_modes`). Whatever the result does not cover behaves as before, whatever is played.
"""

from collections.abc import Iterable
from typing import NamedTuple

from conductor.domain.config import Config
from conductor.domain.impact import Impact, ImpactedControl
from conductor.domain.renames import find_renames
from conductor.engine.impact.names import moved_devices, rename_alike
from conductor.engine.impact.rows import KeyBook, Row, RowTable
from conductor.engine.impact.sources import start_spread
from conductor.engine.impact.spread import Modes, Region, Spread
from conductor.engine.impact.summary import summarise, targets_of

_Pattern = tuple[str | None, int | None, str, str, str | None]


class Analysis(NamedTuple):
    """An impact, and the rows that it was computed from."""

    impact: Impact
    old: Config
    """The old config in the names of the new one."""
    changed: tuple[tuple[int, Row], ...]
    """The rows at which the change begins, each with its side: 0 old, 1 new."""
    reached: tuple[tuple[int, Row], ...]
    """The other rows that may act otherwise."""
    moved: frozenset[tuple[str, str]]
    """The device ids, old and new, that one port may have where they differ."""


def impact(old: Config, new: Config) -> Impact:
    """Compute what a change from one config to another can affect."""
    return analyse(old, new).impact


def analyse(old: Config, new: Config) -> Analysis:
    """Compute what a change can affect, with the rows that it begins at and reaches."""
    renames = find_renames(old, new)
    old = rename_alike(old, renames)
    keys = KeyBook()
    before, after = RowTable(old, keys), RowTable(new, keys)
    spread = Spread(before, after)
    said = start_spread(spread, old, new)
    spread.close()
    found = Impact(
        controls=_controls(spread.regions, before.modes, after.modes),
        modes=tuple(sorted({mode for pair in spread.modes.pairs for mode in pair})),
        variables=tuple(sorted(spread.variables)),
        targets=tuple(sorted(set(targets_of(spread.rows.values())))),
        settings=tuple(dict.fromkeys(said)),
        removed_modes=tuple(mode for mode in before.modes if mode not in after.modes),
        renames=renames,
    )
    found = found.model_copy(update={"summary": summarise(found, spread.modes.unlike())})
    reached = (
        (side, row)
        for side, row in spread.all_rows()
        if id(row) in spread.rows and id(row) not in spread.changed
    )
    return Analysis(
        found,
        old,
        tuple(spread.changed.values()),
        tuple(reached),
        moved_devices(old, new),
    )


def _controls(regions: dict[Region, str], *modes: Iterable[str]) -> tuple[ImpactedControl, ...]:
    """Return one entry for each pattern of controls, with all modes in which it is reached."""
    order = list(dict.fromkeys(mode for side in modes for mode in side))
    merged: dict[_Pattern, tuple[Modes, Region, str]] = {}
    for region, why in regions.items():
        if region.modes is not None and not region.modes:
            continue
        kind, number = region.place
        pattern = (region.device, region.channel, kind, repr(number), region.profile)
        known = merged.get(pattern)
        if known is None:
            merged[pattern] = region.modes, region, why
        else:
            merged[pattern] = _union(known[0], region.modes), known[1], known[2]
    everywhere = {pattern for pattern, (here, _, _) in merged.items() if here is None}
    return tuple(
        ImpactedControl(
            device=region.device,
            channel=region.channel,
            control_class=region.place[0],
            number=region.place[1],
            modes=None if here is None else tuple(m for m in order if m in here),
            profile=region.profile,
            why=why,
        )
        for pattern, (here, region, why) in merged.items()
        # what is reached in every mode under any app says all that its profile could
        if region.profile is None or (*pattern[:4], None) not in everywhere
    )


def _union(some: Modes, others: Modes) -> Modes:
    return None if some is None or others is None else some | others
