"""Tools that show plans with their status, and that ask to apply an approved plan."""

from datetime import datetime

from pydantic import Field

from conductor.domain.plan import ConfigPlan, PlanKind, PlanStatus
from conductor.domain.value import Value
from conductor.tools.context import ReadContext, RequestContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class PlanParams(Params):
    plan_id: str = Field(max_length=64)


class ListPlansParams(Params):
    status: PlanStatus | None = None
    limit: int = Field(default=20, ge=1, le=200)


class PlanRow(Value):
    plan_id: str
    kind: PlanKind
    status: PlanStatus
    description: str
    privileged: bool
    requested_by: str
    created_at: datetime
    expires_at: datetime | None
    """Null: the plan stays open until what the config does changes."""


class PlanRows(Value):
    plans: tuple[PlanRow, ...]
    are_others_hidden: bool = False
    """Whether other programs have plans, which only the user can see in the window or at a terminal."""


@REGISTRY.tool("read_only", "plans", title="Read plan")
async def get_plan(params: PlanParams, context: ReadContext) -> ConfigPlan:
    """Return a plan with its status, diff, warnings, overlaps, impact, replay, coverage and examples."""
    return await context.get_plan(params.plan_id)


@REGISTRY.tool("read_only", "plans", title="List plans")
async def list_plans(params: ListPlansParams, context: ReadContext) -> PlanRows:
    """List plans and their status, newest first."""
    plans = [plan for plan in await context.list_plans() if params.status in (None, plan.status)]
    return PlanRows(
        plans=tuple(
            PlanRow(
                plan_id=plan.plan_id,
                kind=plan.kind,
                status=plan.status,
                description=plan.description,
                privileged=plan.privileged,
                requested_by=plan.requested_by.describe(),
                created_at=plan.created_at,
                expires_at=plan.expires_at,
            )
            for plan in plans[: params.limit]
        ),
        are_others_hidden=await context.hides_plans(),
    )


@REGISTRY.tool("request", "plans", title="Apply plan")
async def apply_plan(params: PlanParams, context: RequestContext) -> ConfigPlan:
    """Request to apply a plan that the user has approved. The request itself is not an approval."""
    return await context.apply_if_approved(params.plan_id)
