"""Commands about plans: what waits for the user, with its proof, and the user's word on it."""

from pydantic import Field

from conductor.bridge.before_after import before_after
from conductor.bridge.models import Nothing, RowChange, Timeline
from conductor.bridge.plan_position import Standing, Way, plan_position
from conductor.bridge.prove import recorded_timeline
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.config.parse import read
from conductor.domain.change_kinds import Change
from conductor.domain.config import Config
from conductor.domain.plan import ConfigPlan, StoredPlan
from conductor.domain.value import Value
from conductor.errors import ConfigError, NotAvailable
from conductor.storage.history import History

PlanId = Field(min_length=1, max_length=64)


class PlanList(Value):
    plans: tuple[ConfigPlan, ...]


class PlanParams(Value):
    plan_id: str = PlanId


class RejectParams(Value):
    plan_id: str = PlanId
    reason: str = Field(default="", max_length=300)


class PlanView(Value):
    plan: ConfigPlan
    before_after: tuple[RowChange, ...]
    timeline: Timeline | None
    changes: tuple[Change, ...]
    standing: Standing | None
    """Whether what an applied plan made still runs."""
    way: Way | None
    """The step through the history that concerns just this plan, where there is one."""


@query("plans.list")
def list_plans(params: Nothing, call: Call) -> PlanList:
    """All plans that are kept, the newest first."""
    return PlanList(plans=tuple(call.desk.plans.all()))


@query("plans.get")
def get(params: PlanParams, call: Call) -> PlanView:
    """One plan with its rows before and after, and its timeline."""
    stored = call.desk.plans.stored(params.plan_id)
    ends = _ends(stored, call) if stored.plan.kind == "config" else None
    waits = stored.plan.status in ("pending", "approved")
    position = plan_position(stored, call)
    return PlanView(
        plan=stored.plan,
        before_after=() if ends is None else before_after(*ends),
        timeline=recorded_timeline(call.desk, *ends) if ends is not None and waits else None,
        changes=stored.change_list,
        standing=position.standing,
        way=position.way,
    )


@command("plans.apply", "privileged")
def apply(params: PlanParams, call: Call) -> ConfigPlan:
    """Approve a plan as the user, and apply it; who asked for SysEx sends it then."""
    plans, by = call.desk.plans, call.by
    plan = plans.approve(params.plan_id, by)
    return plan if plan.kind == "sysex" else plans.apply(plan.plan_id, by)


@command("plans.reject", "privileged")
def reject(params: RejectParams, call: Call) -> ConfigPlan:
    """Turn a plan down for good."""
    return call.desk.plans.reject(params.plan_id, call.by, params.reason)


def _ends(stored: StoredPlan, call: Call) -> tuple[Config, Config] | None:
    """Return the configs before and after a plan; None when the one before is no longer kept."""
    store, base = call.desk.store, stored.plan.base_state_hash
    text = store.text if store.hash == base else _kept_text(call, base)
    if text is None:
        return None
    try:
        return read(text).config, read(stored.new_text).config
    except ConfigError:  # made by another version of Conductor
        return None


def _kept_text(call: Call, file_hash: str) -> str | None:
    try:
        version = History(call.desk.database()).find_by_hash(file_hash)
    except NotAvailable:
        return None
    return None if version is None else version.text
