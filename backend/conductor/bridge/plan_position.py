"""Where an applied plan stands now: what the history says of the version that it made."""

from typing import Literal, NamedTuple

from conductor.base.atomic import hash_of
from conductor.bridge.services import Call
from conductor.domain.plan import StoredPlan
from conductor.errors import NotAvailable
from conductor.storage.history import History

Standing = Literal["in_force", "undone", "changed_since"]
Way = Literal["undo", "redo"]


class PlanPosition(NamedTuple):
    """Where a plan stands, and the step through the history that takes back or makes again just this plan."""

    standing: Standing | None
    way: Way | None = None


def plan_position(stored: StoredPlan, call: Call) -> PlanPosition:
    """Return whether what a plan made still runs; nothing is known of a plan that made no version."""
    if stored.plan.kind != "config" or stored.plan.status != "applied":
        return PlanPosition(None)
    made = hash_of(stored.new_text.encode())
    try:
        position = _in_history(
            History(call.desk.database()), made, stored.plan.base_state_hash, call
        )
    except NotAvailable:
        position = PlanPosition("in_force" if call.desk.store.hash == made else None)
    return position if stored.step is None else PlanPosition(position.standing)


def _in_history(history: History, made: str, base: str, call: Call) -> PlanPosition:
    if call.desk.store.hash == made:
        before = history.undo_target()
        return PlanPosition(
            "in_force", "undo" if before is not None and before.hash == base else None
        )
    version, current = history.find_by_hash(made), history.latest()
    if version is None or current is None:
        return PlanPosition("changed_since")
    if version.left or version.id > current.id:
        after = history.redo_target()
        is_next = current.hash == base and after is not None and after.hash == made
        return PlanPosition("undone", "redo" if is_next else None)
    return PlanPosition("changed_since")
