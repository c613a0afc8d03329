"""Where an applied plan stands now: what the history says of the version that it made."""

from typing import Literal, NamedTuple

from conductor.base.atomic import hash_of
from conductor.bridge.services import Call
from conductor.domain.plan import StoredPlan
from conductor.errors import NotAvailable
from conductor.storage.history import History

Standing = Literal["in_force", "undone", "changed_since"]
Way = Literal["undo", "redo"]


class Stand(NamedTuple):
    """Where a plan stands, and the step through the history that takes back or makes again just this plan."""

    standing: Standing | None
    way: Way | None = None


def standing(stored: StoredPlan, call: Call) -> Stand:
    """Say whether what a plan made still runs; nothing is known of a plan that made no version."""
    if stored.plan.kind != "config" or stored.plan.status != "applied":
        return Stand(None)
    made = hash_of(stored.new_text.encode())
    try:
        stand = _in_history(History(call.desk.database()), made, stored.plan.base_state_hash, call)
    except NotAvailable:
        stand = Stand("in_force" if call.desk.store.hash == made else None)
    return stand if stored.step is None else Stand(stand.standing)


def _in_history(history: History, made: str, base: str, call: Call) -> Stand:
    if call.desk.store.hash == made:
        before = history.before()
        return Stand("in_force", "undo" if before is not None and before.hash == base else None)
    version, current = history.with_hash(made), history.latest()
    if version is None or current is None:
        return Stand("changed_since")
    if version.left or version.id > current.id:
        after = history.after()
        is_next = current.hash == base and after is not None and after.hash == made
        return Stand("undone", "redo" if is_next else None)
    return Stand("changed_since")
