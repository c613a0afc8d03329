"""Which modes the old and the new config can be in at the same time, once they do not agree.

A pair (b, c) says: the old config may be in mode b while the new one is in mode c. From the pairs in
which a change can begin, all others are found by letting each row that changes the mode act: on both
sides where the two sides have the same rows for its control, else on either side alone.
"""

from collections.abc import Iterable, Iterator

from conductor.engine.impact.rows import ModeWrite, Place, Row, RowTable

Pair = tuple[str, str]


class ModePairs:
    """The pairs of different modes that can be active at the same time."""

    def __init__(self, old: RowTable, new: RowTable) -> None:
        self._sides = (old, new)
        self._all = tuple(dict.fromkeys((*old.modes, *new.modes)))
        self._writers = tuple([row for row in side.rows if row.mode_writes] for side in self._sides)
        writes = [write for rows in self._writers for row in rows for write in row.mode_writes]
        self._has_toggle = any(write.behaviour == "toggle" for write in writes)
        self._entered_from = self._momentary_origins()
        self.pairs: set[Pair] = set()

    def outcomes(self, side: int, row: Row, mode: str) -> set[str]:
        """Return the modes that a row may make active when it fires in a mode."""
        found: set[str] = set()
        for write in row.mode_writes:
            origins = self._all if write.is_late else (mode,)
            for origin in origins:
                found.update(self._targets(side, write, origin))
        return found

    def add(self, before: Iterable[str], after: Iterable[str]) -> None:
        """Add every pair of different modes of two sets."""
        after = tuple(after)
        self.pairs.update((b, c) for b in before for c in after if b != c)

    def close(self, touched: set[Place]) -> None:
        """Add all pairs that those that are known lead to; `touched` rows may act on one side only."""
        waiting = list(self.pairs)
        if waiting and self._has_toggle:
            # a toggle goes back to a mode that may differ although the active mode agrees again
            self.add(self._sides[0].modes, self._sides[1].modes)
            return
        while waiting:
            for pair in self._next(*waiting.pop(), touched):
                if pair[0] != pair[1] and pair not in self.pairs:
                    self.pairs.add(pair)
                    waiting.append(pair)

    def unlike(self) -> tuple[str, ...]:
        """Return the modes that may be active instead of one another, but for those that go.

        What takes the place of a mode that goes is known, and no news.
        """
        there = self._sides[1].modes
        return tuple(sorted({mode for pair in self.pairs if pair[0] in there for mode in pair}))

    def differing_places(self, before: str, after: str) -> set[Place]:
        """Return the controls for which two modes have other rows of their own."""
        old, new = self._sides
        here = old.in_scope.get(f"mode:{before}", {})
        there = new.in_scope.get(f"mode:{after}", {})
        return {
            place
            for place in {*here, *there}
            if old.mode_rows(before, place) != new.mode_rows(after, place)
        }

    def _next(self, before: str, after: str, touched: set[Place]) -> Iterator[Pair]:
        apart = touched | self.differing_places(before, after)
        starts, ends = {before, *self._popped(0, before)}, {after, *self._popped(1, after)}
        yield from ((b, c) for b in starts for c in ends)
        outcomes: list[set[str]] = [starts, ends]
        joint: list[dict[tuple[int, int], set[str]]] = [{}, {}]
        for side, mode in enumerate((before, after)):
            for row in self._writers[side]:
                late = any(write.is_late for write in row.mode_writes)
                if row.kind == "mode" and row.owner != mode and not late:
                    continue
                found = self.outcomes(side, row, mode)
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

    def _targets(self, side: int, write: ModeWrite, origin: str) -> Iterator[str]:
        table = self._sides[side]
        match write.behaviour:
            case "next" | "previous":
                yield table.successor(origin, 1 if write.behaviour == "next" else -1)
            case "toggle" if write.target == origin:
                yield from table.modes
            case _ if write.target in table.modes:
                yield write.target
            case _:
                yield origin

    def _popped(self, side: int, mode: str) -> frozenset[str]:
        """Return the modes that may come back when a momentary mode is left."""
        return self._entered_from[side].get(mode, frozenset())

    def _momentary_origins(self) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
        return self._origins(0), self._origins(1)

    def _origins(self, side: int) -> dict[str, frozenset[str]]:
        """Return from where each momentary mode can be entered, also through other momentary modes."""
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
