"""Finds mappings that never or rarely fire, because others on the same control receive their events."""

from collections.abc import Iterable
from itertools import islice

from conductor.domain.conflicts.regions import covers_all_events, list_velocities
from conductor.domain.conflicts.rows import (
    MAX_COMPARED_MAPPINGS,
    MappingRow,
    RowBucket,
    build_overlap,
    can_match_together,
    can_share_input,
    covers_input_of,
    has_same_input,
    join_phrases,
    list_row_names,
)
from conductor.domain.plan import Overlap
from conductor.domain.scopes import parse_scope
from conductor.domain.triggers.long_press import LongPressTrigger

_EVENT_PHRASES_BY_GESTURE = {
    "tap": "every press",
    "double_tap": "every double tap",
    "chord": "every chord",
    "release": "every release",
    "change": "everything it waits for",
}


class ShadowFinder:
    """Finds mappings that lose events to others on the same control; the checks of
    timing use the results too.
    """

    def __init__(self, buckets: Iterable[RowBucket]) -> None:
        self.found: list[Overlap] = []
        self.dead: set[int] = set()
        """The `order` of each mapping that never fires."""
        self.replaced: set[tuple[str, int]] = set()
        """Pairs of a scope and the `order` of a mapping that cannot fire while this scope is active."""
        self._pairs: set[tuple[int, int]] = set()
        replacements: dict[int, tuple[MappingRow, list[MappingRow]]] = {}
        groups = [group for bucket in buckets for group in _group_by_gesture(bucket)]
        for rows in groups:
            for scope_rows in _group_by_scope(rows).values():
                for index in range(1, len(scope_rows)):
                    self._compare_rows(scope_rows[index], scope_rows[:index])
        for rows in groups:
            self._record_replacements(rows, replacements)
        self.found += [_build_replacement_overlap(row, lost) for row, lost in replacements.values()]

    def _compare_rows(self, later: MappingRow, earlier: RowBucket) -> None:
        """Record the conflicts of a mapping with the mappings before it in the same scope."""
        if later.order in self.dead:
            return
        near = (
            row for row in earlier if row.order not in self.dead and can_share_input(row, later)
        )
        rivals = [
            row for row in islice(near, MAX_COMPARED_MAPPINGS) if can_match_together(row, later)
        ]
        takers = _find_covering_rows(later, rivals)
        if takers:
            self.dead.add(later.order)
            self.found.append(_build_never_fires_overlap(later, takers))
            return
        for row in rivals:
            pair = (row.order, later.order)
            found = _find_partial_overlap(row, later) if pair not in self._pairs else None
            if found is not None:
                self._pairs.add(pair)
                self.found.append(found)

    def _record_replacements(
        self, rows: RowBucket, replacements: dict[int, tuple[MappingRow, list[MappingRow]]]
    ) -> None:
        """Record which mappings are replaced by mappings of a more specific scope.

        A mapping of a mode replaces global mappings; a mapping of a profile replaces mappings of
        modes and global mappings.
        """
        ranks: dict[str, RowBucket] = {"profile": [], "mode": [], "global": []}
        for row in rows:
            if row.order not in self.dead:
                ranks[parse_scope(row.scope).kind].append(row)
        under = ((ranks["mode"], ranks["global"]), (ranks["profile"], ranks["mode"]))
        for above, below in (*under, (ranks["profile"], ranks["global"])):
            for row in above:
                for lost in below[:MAX_COMPARED_MAPPINGS]:
                    if _is_replacing(row, lost) and (row.scope, lost.order) not in self.replaced:
                        if covers_input_of(row, lost):
                            self.replaced.add((row.scope, lost.order))
                        _, losers = replacements.setdefault(row.order, (row, []))
                        if lost not in losers:
                            losers.append(lost)


def _group_by_gesture(bucket: RowBucket) -> list[RowBucket]:
    groups: dict[str, RowBucket] = {}
    for row in bucket:
        groups.setdefault(row.gesture, []).append(row)
    return [rows for rows in groups.values() if len(rows) > 1]


def _group_by_scope(rows: RowBucket) -> dict[str, RowBucket]:
    scopes: dict[str, RowBucket] = {}
    for row in rows:
        scopes.setdefault(row.scope, []).append(row)
    return scopes


def _is_replacing(row: MappingRow, lost: MappingRow) -> bool:
    return (
        can_match_together(row, lost)
        and row.when <= lost.when
        and covers_all_events(row.trigger, lost.trigger)
    )


def _find_covering_rows(later: MappingRow, rivals: RowBucket) -> RowBucket:
    """Return mappings that together receive all events of a later one.

    The list is empty if some events remain for the later mapping.
    """
    able = [row for row in rivals if covers_input_of(row, later) and row.when <= later.when]
    alone = next((row for row in able if covers_all_events(row.trigger, later.trigger)), None)
    if alone is not None:
        return [alone]
    wanted = list_velocities(later.trigger)
    if wanted is None:
        return []
    left, takers = set(wanted), list[MappingRow]()
    for row in able:
        taken = left & set(list_velocities(row.trigger) or ())
        if taken:
            takers.append(row)
            left -= taken
    return [] if left else takers


def _build_never_fires_overlap(later: MappingRow, takers: RowBucket) -> Overlap:
    *first, name = list_row_names(*takers, later)
    if len(takers) == 1 and _has_same_trigger(takers[0], later):
        return _build_duplicate_overlap(takers[0], later)
    come = "comes first and takes" if len(first) == 1 else "come first and take"
    covered = f"{_describe_trigger(later)} of {later.describe_control()}"
    message = f"{name} never fires: {join_phrases(first)} {come} {covered}"
    wider = next((row for row in takers if not has_same_input(row, later)), None)
    if wider is None:
        return build_overlap("shadowed", "error", message, *takers, later)
    return build_overlap(
        "wildcard", "error", f"{message}, {_describe_input(wider)}", *takers, later
    )


def _has_same_trigger(first: MappingRow, later: MappingRow) -> bool:
    if not has_same_input(first, later) or first.when != later.when:
        return False
    strikes = list_velocities(first.trigger)
    if strikes is not None:
        return strikes == list_velocities(later.trigger)
    a, b = (row.trigger.model_copy(update={"when": ()}) for row in (first, later))
    return a == b or (
        first.gesture == "chord" and covers_all_events(a, b) and covers_all_events(b, a)
    )


def _build_duplicate_overlap(first: MappingRow, later: MappingRow) -> Overlap:
    one, other = list_row_names(first, later)
    same = first.ref.mapping.action == later.ref.mapping.action
    message = f"{other} never fires: {one} has the same trigger and comes first"
    if same:
        message += "; both do the same, so one can go"
    return build_overlap("duplicate", "warning" if same else "error", message, first, later)


def _describe_trigger(row: MappingRow) -> str:
    wanted = list_velocities(row.trigger)
    if wanted is not None and len(wanted) < 127:
        return f"velocities {wanted[0]} to {wanted[-1]}"
    if isinstance(row.trigger, LongPressTrigger):
        return f"every long press of {row.trigger.duration_ms} ms"
    return _EVENT_PHRASES_BY_GESTURE[row.gesture]


def _describe_input(row: MappingRow) -> str:
    """Return the device and the channel that a mapping listens to, as a phrase for a message."""
    trigger = row.trigger
    device = f"device {trigger.device}" if trigger.device else "any device"
    channel = f"channel {trigger.channel}" if trigger.channel else "any channel"
    return f"as it listens to {device} on {channel}"


def _find_partial_overlap(first: MappingRow, later: MappingRow) -> Overlap | None:
    """Return the conflict of two mappings that share some of their events, or None if they share none."""
    if first.when != later.when:
        return None
    a, b = list_velocities(first.trigger), list_velocities(later.trigger)
    common = None
    if a is not None and b is not None:
        common = range(max(a[0], b[0]), min(a[-1], b[-1]) + 1)
        if not common:
            return None
    elif not (
        covers_all_events(first.trigger, later.trigger)
        or covers_all_events(later.trigger, first.trigger)
    ):
        return None
    one, other = list_row_names(first, later)
    if not has_same_input(first, later):
        message = (
            f"{one} and {other} both listen to {_describe_shared_control(first, later)}: "
            f"{one} comes first, {other} fires only for other devices or channels"
        )
        return build_overlap("wildcard", "warning", message, first, later)
    if common is None or common in (a, b):
        # a special case is usually written before the general case, which is no conflict
        return None
    message = (
        f"velocities {common[0]} to {common[-1]} of {first.describe_control()} fit both {one} and {other}: "
        f"{one} comes first"
    )
    return build_overlap("shadowed", "info", message, first, later)


def _describe_shared_control(first: MappingRow, later: MappingRow) -> str:
    device = first.trigger.device or later.trigger.device
    channel = first.trigger.channel or later.trigger.channel
    shared = first.trigger.model_copy(update={"device": device, "channel": channel})
    return first._replace(trigger=shared).describe_control()


def _build_replacement_overlap(row: MappingRow, lost: RowBucket) -> Overlap:
    kind, owner = parse_scope(row.scope)
    name, *others = (f"`{one.describe_by_action()}`" for one in (row, *lost))
    where = f"in mode {owner}" if kind == "mode" else f"while profile {owner} is active"
    if all(covers_input_of(row, other) for other in lost):
        what = "never acts" if len(lost) == 1 else "never act"
    else:
        do = "does" if len(lost) == 1 else "do"
        what = f"{do} not act on {row.describe_control()}"
    message = f"{join_phrases(others)} {what} {where}: {name} goes first"
    return build_overlap("shadowed", "info", message, row, *lost)
