"""Commands about plans: list, show, apply and reject them."""

from collections.abc import Sequence

from pydantic import Field

from conductor.bridge.before_after import list_row_changes
from conductor.bridge.models import Empty, RowChange, Timeline
from conductor.bridge.plan_position import (
    HistoryStep,
    PlanState,
    find_plan_position,
    find_result_hash,
)
from conductor.bridge.prove import build_recorded_timeline
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.config.parse import load_config_with_notes
from conductor.domain.change_kinds import Change
from conductor.domain.changes import apply_change
from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames
from conductor.domain.plan import ConfigPlan, StoredPlan
from conductor.domain.value import Value
from conductor.errors import ConfigError, NotAvailable
from conductor.storage.history import History

PlanId = Field(min_length=1, max_length=64)


class PlanList(Value):
    plans: tuple[ConfigPlan, ...]


class PlanParams(Value):
    plan_id: str = PlanId


class ApplyPlanParams(PlanParams):
    base_hash: str | None = Field(default=None, max_length=100)
    """The `base_state_hash` of the plan that the user has seen. Left out: it is not checked."""


class ApplyPlanPartParams(Value):
    plan_id: str = PlanId
    selected: tuple[int, ...] = Field(min_length=1, max_length=1_000)
    """The indexes of the changes to apply."""
    base_hash: str = Field(max_length=100)
    """The hash of the config for which the user has seen what the changes do."""


class RejectPlanParams(Value):
    plan_id: str = PlanId
    reason: str = Field(default="", max_length=300)


class MarkPlanEditedParams(Value):
    plan_id: str = PlanId
    result_hash: str = Field(max_length=100)
    """The hash of the config with the edited change."""


class UndonePlanIds(Value):
    plan_ids: tuple[str, ...]


class PlanView(Value):
    plan: ConfigPlan
    before_after: tuple[RowChange, ...]
    rows_by_change: tuple[tuple[RowChange, ...], ...] = ()
    """The differences that each of `changes` makes, or nothing if they are unknown."""
    timeline: Timeline | None
    changes: tuple[Change, ...]
    standing: PlanState | None
    """Whether the changes of an applied plan are still in force. Null for a plan that is not applied."""
    way: HistoryStep | None
    """The step of the history, undo or redo, that would revert or repeat exactly this plan, or null."""


@query("plans.list")
def list_plans(params: Empty, call: Call) -> PlanList:
    """Return all stored plans, newest first."""
    return PlanList(plans=tuple(call.services.config.plans.list_plans()))


@query("plans.undone")
def list_undone_plans(params: Empty, call: Call) -> UndonePlanIds:
    """Return the ids of plans that were applied, at least in part, and undone later."""
    undone = History(call.services.config.database()).list_undone_hashes()
    return UndonePlanIds(
        plan_ids=tuple(
            stored.plan.plan_id
            for stored in call.services.config.plans.list_stored_plans()
            if find_result_hash(stored) in undone
        )
    )


@query("plans.get")
def get_plan(params: PlanParams, call: Call) -> PlanView:
    """Return a plan with the mappings that it changes.

    A pending plan also has the timeline of the recorded input.
    """
    stored = call.services.config.plans.get_stored_plan(params.plan_id)
    configs = _find_plan_configs(stored, call) if stored.plan.kind == "config" else None
    is_open = stored.plan.status in ("pending", "approved")
    position = find_plan_position(stored, call)
    names = call.services.names.get_names()
    return PlanView(
        plan=stored.plan,
        before_after=() if configs is None else list_row_changes(*configs, names),
        rows_by_change=()
        if configs is None
        else _list_rows_by_change(configs[0], stored.change_list, names),
        timeline=build_recorded_timeline(call.services, *configs) if configs and is_open else None,
        changes=stored.change_list,
        standing=position.state,
        way=position.step,
    )


@command("plans.apply", "privileged")
def apply_plan(params: ApplyPlanParams, call: Call) -> ConfigPlan:
    """Approve a plan as the user and apply it.

    A plan for a SysEx message is only approved. The program that proposed it sends the message.
    """
    plans, by = call.services.config.plans, call.requester
    plan = plans.approve_plan(params.plan_id, by, base_hash=params.base_hash)
    return plan if plan.kind == "sysex" else plans.apply_plan(plan.plan_id, by)


@command("plans.apply_part", "privileged")
def apply_plan_part(params: ApplyPlanPartParams, call: Call) -> ConfigPlan:
    """Apply the selected changes of a plan, as the user, also if the plan is no longer open."""
    return call.services.config.plans.apply_plan_part(
        params.plan_id, params.selected, call.requester, params.base_hash
    )


@command("plans.mark_edited", "privileged")
def mark_plan_edited(params: MarkPlanEditedParams, call: Call) -> ConfigPlan:
    """Record that the user has saved a change of a plan in edited form."""
    return call.services.config.plans.mark_plan_edited(
        params.plan_id, call.requester, params.result_hash
    )


@command("plans.reject", "privileged")
def reject_plan(params: RejectPlanParams, call: Call) -> ConfigPlan:
    """Reject a plan as the user, optionally with a reason for the program that proposed it."""
    return call.services.config.plans.reject_plan(params.plan_id, call.requester, params.reason)


def _list_rows_by_change(
    config: Config, changes: Sequence[Change], names: ControlNames
) -> tuple[tuple[RowChange, ...], ...]:
    rows: list[tuple[RowChange, ...]] = []
    try:
        for change in changes:
            before, config = config, apply_change(config, change)
            rows.append(list_row_changes(before, config, names))
    except ConfigError:  # another version of Conductor proposed them
        return ()
    return tuple(rows)


def _find_plan_configs(stored: StoredPlan, call: Call) -> tuple[Config, Config] | None:
    """Return the configs before and after a plan.

    Return None if the config before the plan is no longer in the history, or cannot be read any more.
    """
    store, base = call.services.config.store, stored.plan.base_state_hash
    text = store.config_text if store.config_hash == base else _find_config_text(call, base)
    if text is None:
        return None
    try:
        return load_config_with_notes(text).config, load_config_with_notes(stored.new_text).config
    except ConfigError:  # another version of Conductor wrote it
        return None


def _find_config_text(call: Call, file_hash: str) -> str | None:
    try:
        version = History(call.services.config.database()).find_by_hash(file_hash)
    except NotAvailable:
        return None
    return None if version is None else version.text
