"""Finds the pairs of different modes that the old and the new config may be in at the same time.

A pair (b, c) means that the old config may be in mode b while the new config is in mode c. Starting from the
pairs that a change causes directly, all further pairs are found by firing every row that changes the mode. A
row fires on both sides if both sides have the same rows for its control, otherwise on either side alone.
"""

from collections.abc import Iterable, Iterator

from conductor.domain.scopes import format_mode_scope
from conductor.engine.impact.rows import ControlKey, ImpactRow, ModeWrite, RowTable

ModePair = tuple[str, str]


class ModePairs:
    """Collects pairs of different modes: one that the old config may be in while the
    new config is in the other.
    """

    def __init__(self, old: RowTable, new: RowTable) -> None:
        self._sides = (old, new)
        self._all = tuple(dict.fromkeys((*old.modes, *new.modes)))
        self._writers = tuple([row for row in side.rows if row.mode_writes] for side in self._sides)
        writes = [write for rows in self._writers for row in rows for write in row.mode_writes]
        self._has_toggle = any(write.behaviour == "toggle" for write in writes)
        self._entered_from = self._get_momentary_origins()
        self.pairs: set[ModePair] = set()

    def find_next_modes(self, side: int, row: ImpactRow, mode: str) -> set[str]:
        """Return the modes that may be active after a mapping has fired in a mode."""
        found: set[str] = set()
        for write in row.mode_writes:
            origins = self._all if write.is_late else (mode,)
            for origin in origins:
                found.update(self._find_target_modes(side, write, origin))
        return found

    def add_pairs(self, before: Iterable[str], after: Iterable[str]) -> None:
        """Add each pair of different modes, one from each of the two sets."""
        after = tuple(after)
        self.pairs.update((b, c) for b in before for c in after if b != c)

    def propagate_pairs(self, touched: set[ControlKey]) -> None:
        """Add all pairs that can follow from known pairs when mappings fire.

        Mappings on `touched` controls may fire under only one of the configs.
        """
        waiting = list(self.pairs)
        if waiting and self._has_toggle:
            # A toggle returns to the previous mode, which may differ even if the active modes are equal.
            self.add_pairs(self._sides[0].modes, self._sides[1].modes)
            return
        while waiting:
            for pair in self._find_reachable_pairs(*waiting.pop(), touched):
                if pair[0] != pair[1] and pair not in self.pairs:
                    self.pairs.add(pair)
                    waiting.append(pair)

    def find_differing_modes(self) -> tuple[str, ...]:
        """Return the modes that may be active under one config while the other config is in another mode.

        Pairs with a removed mode are left out, because it is obvious that another mode replaces it.
        """
        there = self._sides[1].modes
        return tuple(sorted({mode for pair in self.pairs if pair[0] in there for mode in pair}))

    def find_differing_places(self, before: str, after: str) -> set[ControlKey]:
        """Return the controls on which two modes have different mappings."""
        old, new = self._sides
        here = old.in_scope.get(format_mode_scope(before), {})
        there = new.in_scope.get(format_mode_scope(after), {})
        return {
            place
            for place in {*here, *there}
            if old.list_mode_rows(before, place) != new.list_mode_rows(after, place)
        }

    def _find_reachable_pairs(
        self, before: str, after: str, touched: set[ControlKey]
    ) -> Iterator[ModePair]:
        apart = touched | self.find_differing_places(before, after)
        starts, ends = (
            {before, *self._find_modes_after_momentary(0, before)},
            {after, *self._find_modes_after_momentary(1, after)},
        )
        yield from ((b, c) for b in starts for c in ends)
        outcomes: list[set[str]] = [starts, ends]
        joint: list[dict[tuple[int, int], set[str]]] = [{}, {}]
        for side, mode in enumerate((before, after)):
            for row in self._writers[side]:
                late = any(write.is_late for write in row.mode_writes)
                if row.kind == "mode" and row.owner != mode and not late:
                    continue
                found = self.find_next_modes(side, row, mode)
                if apart.isdisjoint(row.places) and not late:
                    joint[side].setdefault(row.key, set()).update(found)
                else:
                    outcomes[side] |= found
        for b in outcomes[0]:
            for c in outcomes[1]:
                yield b, c
        for key in {*joint[0], *joint[1]}:
            for b in joint[0].get(key, {before}):
                for c in joint[1].get(key, {after}):
                    yield b, c

    def _find_target_modes(self, side: int, write: ModeWrite, origin: str) -> Iterator[str]:
        table = self._sides[side]
        match write.behaviour:
            case "next" | "previous":
                yield table.find_mode_after(origin, 1 if write.behaviour == "next" else -1)
            case "toggle" if write.target == origin:
                yield from table.modes
            case _ if write.target in table.modes:
                yield write.target
            case _:
                yield origin

    def _find_modes_after_momentary(self, side: int, mode: str) -> frozenset[str]:
        """Return the modes that may be active after a momentary mode has been left."""
        return self._entered_from[side].get(mode, frozenset())

    def _get_momentary_origins(self) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
        return self._find_momentary_origins(0), self._find_momentary_origins(1)

    def _find_momentary_origins(self, side: int) -> dict[str, frozenset[str]]:
        """Return, for each momentary mode, the modes from which it can be entered
        directly or through other modes.
        """
        origins: dict[str, set[str]] = {}
        for row in self._writers[side]:
            for write in row.mode_writes:
                if write.behaviour == "momentary" and write.target is not None:
                    at_once = row.kind == "mode" and not write.is_late
                    modes = (row.owner,) if at_once else self._sides[side].modes
                    origins.setdefault(write.target, set()).update(modes)
        grown = True
        while grown:
            grown = False
            for found in origins.values():
                more = set().union(*(origins.get(mode, set()) for mode in found)) - found
                grown = grown or bool(more)
                found.update(more)
        return {mode: frozenset(found) for mode, found in origins.items()}
