"""What a plan's status and its asker allow, and how many overlaps it tells of."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from conductor.base.invisible_chars import has_hidden, visible_line
from conductor.domain.config import Config
from conductor.domain.plan import USER_CALLERS, ConfigPlan, Overlap, Requester
from conductor.domain.validate import Problem
from conductor.errors import NotAllowed, NotApproved, PlanExpired, PlanStale

PENDING_AT_MOST = 100
"""Plans of the user's own, and as many of all programs together."""
PENDING_OF_A_PROGRAM = 40
OWN_CALLERS = (*USER_CALLERS, "chat", "pad")
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


def truncate_overlaps(overlaps: Sequence[Overlap]) -> tuple[tuple[Overlap, ...], tuple[str, ...]]:
    """Return the overlaps that a plan lists, new ones before old ones, and a warning of the others."""
    overlaps = [
        one.model_copy(update={"message": visible_line(one.message)})
        if has_hidden(one.message, keep="")
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


def refuse_too_many(askers: Sequence[Requester], by: Requester) -> None:
    """Refuse what would fill the user's list: each program has its own share of it."""
    if by.caller in OWN_CALLERS:
        waiting, most = sum(one.caller in OWN_CALLERS for one in askers), PENDING_AT_MOST
        whose = "plans of yours"
    else:
        waiting = sum(one.principal() == by.principal() for one in askers)
        most, whose = PENDING_OF_A_PROGRAM, "plans of this program"
        programs = sum(one.caller not in OWN_CALLERS for one in askers)
        if programs >= PENDING_AT_MOST:
            waiting, most, whose = programs, PENDING_AT_MOST, "plans of programs"
    if waiting >= most:
        raise NotAllowed(
            f"{waiting} {whose} wait for the user already; let some be decided, or wait until they"
            " lapse"
        )


def approve_hint(plan: ConfigPlan) -> str:
    """Return how the user approves a plan."""
    return f"approve it in the window or with `conductor plans approve {plan.plan_id}`"


def is_running(pid: int) -> bool:
    """Check whether a process runs; asked only where the system says who calls."""
    return Path(f"/proc/{pid}").exists()


def is_own(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> bool:
    """Check whether a plan is the caller's: of this very process, or of one of the same program that ended.

    A name and an interpreter are not enough: any script can give the name, and runs the same Python.
    A process may change its own command line, so that is compared only with a process that ended.
    In the chat, a plan is of its conversation: another model may go on with it.
    """
    proposer = plan.requested_by
    if by.is_user:
        return True
    if by.caller == "chat":
        return (proposer.caller, proposer.conversation_id) == (by.caller, by.conversation_id)
    if by.pid and by.pid == proposer.pid:
        return by.principal() == proposer.principal()
    if not by.is_same_program(proposer):
        return False
    return proposer.pid is None or not runs(proposer.pid)


def may_see(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> bool:
    """Check whether a plan may be shown: the user's own parts see all, an outside program its own.

    Where the system does not tell the process of a bare line (macOS, Windows), it may be the `conductor`
    command of the user.
    """
    is_unknown = by.caller == "bare" and by.pid is None
    return is_unknown or by.caller in (*USER_CALLERS, "chat") or is_own(plan, by, runs)


def require_own(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> None:
    """Refuse a plan of another program."""
    if is_own(plan, by, runs):
        return
    if by.caller == "cli":
        raise NotAllowed(
            f"`conductor` uses or rejects plan {plan.plan_id} only for you at a terminal, and with no other"
            " code than its own: run it there, or decide in the window"
        )
    raise _not_own(plan)


def require_visible(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> None:
    """Refuse to show a plan of another program."""
    if not may_see(plan, by, runs):
        raise _not_own(plan)


def _not_own(plan: ConfigPlan) -> NotAllowed:
    return NotAllowed(
        f"plan {plan.plan_id} was proposed by another program, and only that one and the user may look"
        " at it or have it applied; propose your own"
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
