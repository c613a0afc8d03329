"""Rules for plans: who may see, approve and apply a plan, and how many plans may be pending."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from conductor.base.invisible_chars import has_hidden, reveal_line
from conductor.config.problem_places import format_problem
from conductor.domain.config import Config
from conductor.domain.plan import USER_CALLERS, ConfigPlan, Overlap, PlanKind, Requester
from conductor.domain.validate import Problem
from conductor.errors import (
    InvalidParams,
    NotAllowed,
    NotApproved,
    PlanExpired,
    PlanStale,
    StaleConfig,
    UnknownPlan,
)

MAX_PENDING_PLANS = 100
"""The maximum number of pending plans: one limit for the user, and one for all other programs together."""
MAX_PENDING_PLANS_PER_PROGRAM = 40
PLAN_TTL_S = 300.0
"""How long a plan of a program is open. A plan of the user or of the chat is open until something changes that
it changes too, or that makes it do something else: the user may come back to it later.
"""
SYSEX_PLAN_TTL_S = 60.0
OWN_CALLERS = (*USER_CALLERS, "chat", "pad")
NOT_OWN_PLAN_MESSAGE = (
    "this plan was proposed by another program, and only that program and the user may see or apply it;"
    " propose your own"
)
"""The reply to a program that names the plan of another program. It does not contain the id of the plan,
because a program that knows only a prefix must not learn the rest."""
MAX_LISTED_OVERLAPS = 50
"""The maximum number of overlaps listed in a plan. A generated config can have thousands."""


FindMissingParts = Callable[[Config], Iterable[Problem]]
"""A function that lists the ports, programs and servers that a config needs and that are currently missing."""


def find_newly_missing_parts(find: FindMissingParts, old: Config, new: Config) -> Iterator[str]:
    """Yield a warning for each port, program or server that the new config needs, the old one does not, and
    that is missing.

    Warnings are compared by message, because their paths may have shifted.
    """
    before = Counter(problem.message for problem in find(old))
    for problem in find(new):
        if before[problem.message] > 0:
            before[problem.message] -= 1
        else:
            yield reveal_line(format_problem(problem, new))


def find_expiry_time(
    kind: PlanKind, by: Requester, created: datetime, ttl_s: float
) -> datetime | None:
    """Return when a plan expires; None for a plan of the user or of the chat that changes the config."""
    if kind == "config" and (by.is_user or by.caller == "chat"):
        return None
    return created + timedelta(seconds=min(ttl_s, SYSEX_PLAN_TTL_S) if kind == "sysex" else ttl_s)


def require_known_changes(selected: Collection[int], count: int) -> None:
    """Raise an error unless the indexes select at least one of the changes of a plan, and no others."""
    if not selected or not set(selected) <= set(range(count)):
        raise InvalidParams("the plan has no such changes; read the plan again")


def describe_plan_part(
    plan: ConfigPlan, part: ConfigPlan, selected: Collection[int], by: Requester
) -> ConfigPlan:
    """Return the plan of the selected changes alone, under the id of the whole plan and approved by the user.

    The examples that fail without the other changes are left out.
    """
    return part.model_copy(
        update={
            "plan_id": plan.plan_id,
            "status": "approved",
            "approved_by": by,
            "created_at": plan.created_at,
            "expires_at": None,  # the user has decided
            "examples": tuple(result for result in part.examples if result.passed),
            "left_out": tuple(
                change for index, change in enumerate(plan.changes) if index not in selected
            ),
        }
    )


def truncate_overlaps(overlaps: Sequence[Overlap]) -> tuple[tuple[Overlap, ...], tuple[str, ...]]:
    """Return the conflicts to list in a plan, new ones first, and a warning if some had to be left out."""
    overlaps = [
        overlap.model_copy(update={"message": reveal_line(overlap.message)})
        if has_hidden(overlap.message, keep="")
        else overlap
        for overlap in overlaps
    ]
    new_first = sorted(overlaps, key=lambda overlap: not overlap.is_new)
    listed, left_out = new_first[:MAX_LISTED_OVERLAPS], new_first[MAX_LISTED_OVERLAPS:]
    if not left_out:
        return tuple(overlaps), ()
    new = sum(overlap.is_new for overlap in left_out)
    by_plan = f", {new} of them new with this plan" if new else ", none of them new"
    return tuple(listed), (f"and {len(left_out)} more overlaps that are not listed{by_plan}",)


def check_pending_limit(requesters: Sequence[Requester], by: Requester) -> None:
    """Raise `NotAllowed` if too many plans are pending. `requesters` holds the requester of each pending plan.

    Each program also has its own limit, so that one program cannot fill the user's list.
    """
    if by.caller in OWN_CALLERS:
        pending = sum(requester.caller in OWN_CALLERS for requester in requesters)
        limit, whose = MAX_PENDING_PLANS, "of your plans"
    else:
        pending = sum(requester.get_principal() == by.get_principal() for requester in requesters)
        limit, whose = MAX_PENDING_PLANS_PER_PROGRAM, "plans of this program"
        programs = sum(requester.caller not in OWN_CALLERS for requester in requesters)
        if programs >= MAX_PENDING_PLANS:
            pending, limit, whose = programs, MAX_PENDING_PLANS, "plans of programs"
    if pending >= limit:
        raise NotAllowed(
            f"{pending} {whose} are already waiting for approval; have some approved or rejected, or wait"
            " until they expire"
        )


def format_approve_hint(plan: ConfigPlan) -> str:
    """Return an instruction for the user: where a plan can be approved, and with which command."""
    return f"approve it in the window or with `conductor plans approve {plan.plan_id}`"


def is_process_running(pid: int) -> bool:
    """Return whether the process that proposed a plan is still running.

    The result is always false on macOS and Windows, where that process is unknown.
    """
    return Path(f"/proc/{pid}").exists()


def is_own_plan(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> bool:
    """Return whether the caller owns a plan.

    The owner is the process that proposed the plan or, once that process has ended, the same program. A
    name and an interpreter are not enough: any script can claim the name, and runs the same Python. A
    running process may change its own command line, so it is compared only with that of an ended process.
    In the chat, a plan belongs to its conversation, so that another model can continue with it.
    """
    proposer = plan.requested_by
    if by.is_user:
        return True
    if by.caller == "chat":
        return (proposer.caller, proposer.conversation_id) == (by.caller, by.conversation_id)
    if by.pid and by.pid == proposer.pid:
        return by.get_principal() == proposer.get_principal()
    if not by.is_same_program(proposer):
        return False
    return proposer.pid is None or not runs(proposer.pid)


def can_view_plan(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> bool:
    """Return whether the caller may see a plan.

    The user's own tools see all plans, other programs only their own. On macOS and Windows, the process behind
    a bare call is unknown, so the call may come from the user's `conductor` command.
    """
    is_unknown = by.caller == "bare" and by.pid is None
    return is_unknown or by.caller in (*USER_CALLERS, "chat") or is_own_plan(plan, by, runs)


def require_full_plan_id(plan: ConfigPlan, plan_id: str, by: Requester) -> None:
    """Raise `UnknownPlan` if an anonymous client names a plan by the start of its id, which could be guessed.

    Only the client that proposed the plan knows the whole id, which therefore proves that the plan belongs
    to the client.
    """
    if by.is_anonymous and plan_id != plan.plan_id:
        raise UnknownPlan(
            f"no plan has the id `{plan_id[:60]}`; use the whole id that you were given"
        )


def require_own_plan(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> None:
    """Raise `NotAllowed` unless the caller owns the plan, and may therefore apply or withdraw it."""
    if is_own_plan(plan, by, runs):
        return
    if by.caller == "cli":
        raise NotAllowed(
            f"`conductor` uses or rejects plan {plan.plan_id} only for you at a terminal, and running no"
            " code but its own: run it there, or decide in the window"
        )
    raise NotAllowed(NOT_OWN_PLAN_MESSAGE)


def require_viewable_plan(plan: ConfigPlan, by: Requester, runs: Callable[[int], bool]) -> None:
    """Raise `NotAllowed` unless the caller may see the plan."""
    if not can_view_plan(plan, by, runs):
        raise NotAllowed(NOT_OWN_PLAN_MESSAGE)


def require_open_plan(plan: ConfigPlan) -> None:
    """Raise an error, which says what to do instead, unless the plan is still pending or approved."""
    match plan.status:
        case "expired":
            assert plan.expires_at is not None, "a plan without an expiry time does not expire"
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
                f"plan {plan.plan_id} was started, and its outcome is unknown: check whether it was done"
                " before you propose it again"
            )
        case "applied":
            raise NotApproved(f"plan {plan.plan_id} was already used; propose it again")
        case "pending" | "approved":
            return


def require_shown_proof(plan: ConfigPlan, base_hash: str) -> None:
    """Raise `StaleConfig` unless the user has seen the proof of a plan for the config with this hash."""
    if plan.base_state_hash != base_hash:
        raise StaleConfig("the config has changed since the plan was shown; look at it again")


def require_usable_plan(plan: ConfigPlan, by: Requester) -> None:
    """Raise an error unless the user asks for changes of a plan that have not been made.

    The user may also make those of a plan that has expired, is out of date or was discarded.
    """
    if not by.is_user:
        raise NotAllowed("only the user can select which changes of a plan to apply")
    is_discarded = plan.status == "rejected" and plan.result_hash is None
    if plan.status not in ("expired", "stale") and not is_discarded:
        require_open_plan(plan)


def format_edited_reason(changes: int) -> str:
    """Return the reason why a plan is closed of which the user has saved one change in edited form."""
    count = f"1 of {changes} changes " if changes > 1 else ""
    return f"rejected by the user: {count}edited by the user"
