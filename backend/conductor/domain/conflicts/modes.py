"""Finds modes that the user cannot enter or leave, because no control leads to them or out of them."""

from collections.abc import Iterator

from conductor.domain.actions import walk_actions
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.config import Config
from conductor.domain.conflicts.rows import MappingRow, RowBucket
from conductor.domain.plan import Overlap
from conductor.domain.scopes import format_mode_scope, parse_scope

_LASTING_BEHAVIOURS = ("switch", "toggle", "next", "previous")
"""The behaviours whose mode stays when the control is released."""
_PlacedChange = tuple[MappingRow, ModeChangeAction]


def find_mode_conflicts(config: Config, rows: RowBucket) -> Iterator[Overlap]:
    """Yield a conflict for each mode that no sequence of mode changes reaches from the start mode, and for
    each mode that is reached but never left.
    """
    everywhere = {mode.name for mode in config.modes}
    reached = {config.get_start_mode()} | {
        profile.mode for profile in config.profiles if profile.enabled and profile.mode
    }
    leads = _find_mode_changes(rows, everywhere)
    waiting = list(dict.fromkeys([*reached, *leads.get("", ())]))
    reached.update(waiting)
    while waiting:
        new = leads.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += sorted(new)
    named = set().union(*leads.values())
    for mode in config.modes:
        if mode.name not in reached:
            yield _build_unreachable_overlap(mode.name, named=mode.name in named)
    changes = list(_list_lasting_changes(rows))
    for mode in config.modes:
        if mode.name in reached:
            yield from _find_dead_end(mode.name, changes)


def _find_dead_end(mode: str, changes: list[_PlacedChange]) -> Iterator[Overlap]:
    """Yield a conflict for each mapping that switches to a mode, if no mapping in it or in all modes leaves it.

    A mapping of a profile is no way back, because it works only while its app is in the foreground.
    """
    own = format_mode_scope(mode)
    leaves = any(
        row.scope in (own, "global") and (change.behaviour != "switch" or change.mode != mode)
        for row, change in changes
    )
    entries = [row for row, change in changes if change.mode == mode and row.scope != own]
    for row in [] if leaves else entries:
        yield Overlap(
            kind="no_way_back",
            severity="warning",
            message=f"nothing leads back from mode {mode}: no mapping in it or in all modes changes the"
            " mode",
            places=(row.describe_position(),),
        )


def _list_lasting_changes(rows: RowBucket) -> Iterator[_PlacedChange]:
    for row in rows:
        for part in walk_actions(row.ref.mapping.action):
            if isinstance(part, ModeChangeAction) and part.behaviour in _LASTING_BEHAVIOURS:
                yield row, part


def _find_mode_changes(rows: RowBucket, everywhere: set[str]) -> dict[str, set[str]]:
    """Return the modes to which mappings switch, for each mode that contains such mappings.

    The mappings of profiles and the global mappings are under an empty mode name.
    """
    leads: dict[str, set[str]] = {}
    for row in rows:
        for part in walk_actions(row.ref.mapping.action):
            if isinstance(part, ModeChangeAction):
                kind, owner = parse_scope(row.scope)
                targets = leads.setdefault(owner if kind == "mode" else "", set())
                if part.behaviour in ("next", "previous"):
                    targets |= everywhere
                elif part.mode:
                    targets.add(part.mode)
    return leads


def _build_unreachable_overlap(name: str, *, named: bool) -> Overlap:
    why = (
        "only modes that cannot be entered themselves lead to it"
        if named
        else "no mapping switches to it, no profile names it and it is not the start mode"
    )
    return Overlap(
        kind="unreachable_mode",
        severity="warning",
        message=f"mode {name} cannot be entered from the controls: {why}",
        places=(format_mode_scope(name),),
    )
