"""What a plan's status and its asker allow, and how many overlaps it tells of."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from conductor.base.hidden import hides, visible_line
from conductor.domain.config import Config
from conductor.domain.plan import USER_CALLERS, ConfigPlan, Overlap, Requester
from conductor.domain.validate import Problem
from conductor.errors import NotAllowed, NotApproved, PlanExpired, PlanStale

OVERLAPS_TOLD = 50
"""A config made by a program can have thousands; nobody reads that many."""


FindMissing = Callable[[Config], Iterable[Problem]]
"""Finds the ports, programs and servers that a config needs and that are not there now."""


def new_missing(find: FindMissing, old: Config, new: Config) -> Iterator[str]:
    """Return warnings of what a change needs and is not there; places may have moved, so messages count."""
    before = Counter(problem.message for problem in find(old))
    for problem in find(new):
        if before[problem.message] > 0:
            before[problem.message] -= 1
        else:
            yield visible_line(problem.text())


def told(overlaps: Sequence[Overlap]) -> tuple[tuple[Overlap, ...], tuple[str, ...]]:
    """Return the overlaps that a plan lists, new ones before old ones, and a warning of the others."""
    overlaps = [
        one.model_copy(update={"message": visible_line(one.message)})
        if hides(one.message, keep="")
        else one
        for one in overlaps
    ]
    new_first = sorted(overlaps, key=lambda one: not one.is_new)
    listed, left_out = new_first[:OVERLAPS_TOLD], new_first[OVERLAPS_TOLD:]
    if not left_out:
        return tuple(overlaps), ()
    new = sum(one.is_new for one in left_out)
    by_plan = f", {new} of them new with this plan" if new else ", all there already"
    return tuple(listed), (f"and {len(left_out)} more overlaps that are not listed{by_plan}",)


def approve_hint(plan: ConfigPlan) -> str:
    """Say how the user approves a plan."""
    return f"approve it in the window or with `conductor plans approve {plan.plan_id}`"


def require_own(plan: ConfigPlan, by: Requester) -> None:
    if by.caller not in USER_CALLERS and by.principal() != plan.requested_by.principal():
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
        case "unknown":
            raise NotApproved(
                f"plan {plan.plan_id} was sent, and how it ended is not known: look whether it was done"
                " before you propose it again"
            )
        case "applied":
            raise NotApproved(f"plan {plan.plan_id} was used already; ask anew")
        case "pending" | "approved":
            return
