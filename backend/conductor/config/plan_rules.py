"""What a plan's status and its asker allow."""

from conductor.domain.plan import ConfigPlan, Requester
from conductor.errors import NotAllowed, NotApproved, PlanExpired, PlanStale


def approve_hint(plan: ConfigPlan) -> str:
    """Say how the user approves a plan."""
    return f"approve it in the window or with `conductor plans approve {plan.plan_id}`"


def require_own(plan: ConfigPlan, by: Requester) -> None:
    if by.caller not in ("window", "cli") and by.principal() != plan.requested_by.principal():
        raise NotAllowed(
            f"plan {plan.plan_id} was proposed by {plan.requested_by.words()}; propose your own"
        )


def require_open(plan: ConfigPlan) -> None:
    match plan.status:
        case "expired":
            raise PlanExpired(
                f"plan {plan.plan_id} expired at {plan.expires_at:%H:%M:%S} UTC; propose it again"
            )
        case "stale":
            raise PlanStale(
                f"the config changed since plan {plan.plan_id} was made; propose it again"
            )
        case "rejected":
            raise NotApproved(f"plan {plan.plan_id} was {plan.reason}; do not ask for it again")
        case "failed":
            raise NotApproved(f"plan {plan.plan_id} failed: {plan.reason}; propose it again")
        case "applied":
            raise NotApproved(f"plan {plan.plan_id} was used already; ask anew")
        case "pending" | "approved":
            return
