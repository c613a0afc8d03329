"""Finds modes that the user cannot enter, because no control leads to them."""

from collections.abc import Iterator

from conductor.domain.actions import walk_actions
from conductor.domain.actions.mode_change import ModeChangeAction
from conductor.domain.config import Config
from conductor.domain.conflicts.rows import RowBucket
from conductor.domain.plan import Overlap
from conductor.domain.scopes import format_mode_scope, parse_scope


def find_unreachable_modes(config: Config, rows: RowBucket) -> Iterator[Overlap]:
    """Yield a conflict for each mode that cannot be reached from the start mode by any
    sequence of mode changes.
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
        else "no ModeChange leads to it, no profile names it and it is not the start mode"
    )
    return Overlap(
        kind="unreachable_mode",
        severity="warning",
        message=f"mode {name} cannot be entered from the controls: {why}",
        places=(format_mode_scope(name),),
    )
