"""Finds out from the history of the config whether the changes of an applied plan are still in force."""

from typing import Literal, NamedTuple

from conductor.base.atomic import hash_bytes
from conductor.bridge.services import Call
from conductor.domain.plan import StoredPlan
from conductor.errors import NotAvailable
from conductor.storage.history import History

PlanState = Literal["in_force", "undone", "changed_since"]
HistoryStep = Literal["undo", "redo"]


class PlanPosition(NamedTuple):
    """Whether the changes of a plan are in force, and the history step that would revert or repeat exactly
    this plan.
    """

    state: PlanState | None
    step: HistoryStep | None = None


def find_plan_position(stored: StoredPlan, call: Call) -> PlanPosition:
    """Find out whether the changes of a plan are in force.

    The state is None for a plan that has produced no version of the config.
    """
    result_hash = find_result_hash(stored)
    if result_hash is None:
        return PlanPosition(None)
    try:
        history = History(call.services.config.database())
        position = _find_position_in_history(
            history, result_hash, _find_base_hash(history, stored), call
        )
    except NotAvailable:
        position = PlanPosition(
            "in_force" if call.services.config.store.config_hash == result_hash else None
        )
    return position if stored.step is None else PlanPosition(position.state)


def find_result_hash(stored: StoredPlan) -> str | None:
    """Return the hash of the config that a plan produced, or None if the plan changed no config."""
    plan = stored.plan
    if plan.kind != "config":
        return None
    return hash_bytes(stored.new_text.encode()) if plan.status == "applied" else plan.result_hash


def _find_base_hash(history: History, stored: StoredPlan) -> str:
    """Return the hash of the config to which the changes of a plan were applied."""
    if stored.plan.result_hash is None:
        return stored.plan.base_state_hash
    # The user made the changes instead, perhaps long after the plan was proposed.
    version = history.find_by_hash(stored.plan.result_hash)
    parent = None if version is None else history.find_parent(version)
    return stored.plan.base_state_hash if parent is None else parent.hash


def _find_position_in_history(
    history: History, result_hash: str, base_hash: str, call: Call
) -> PlanPosition:
    """Look up the version that a plan produced in the history.

    Undo reverts exactly this plan if it restores the config before the plan. Redo repeats exactly this plan
    if it restores the config after the plan.
    """
    version, current = history.find_by_hash(result_hash), history.latest()
    in_force = current.hashes if current else (call.services.config.store.config_hash,)
    if result_hash in in_force:
        before = history.find_undo_target()
        can_undo = before is not None and base_hash in before.hashes
        return PlanPosition("in_force", "undo" if can_undo else None)
    if version is None or current is None:
        return PlanPosition("changed_since")
    if version.left or version.id > current.id:
        after = history.find_redo_target()
        is_next = base_hash in current.hashes and after is not None and result_hash in after.hashes
        return PlanPosition("undone", "redo" if is_next else None)
    return PlanPosition("changed_since")
