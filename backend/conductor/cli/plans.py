"""`conductor plans`: what tools have asked for, and the user's word on it."""

import argparse
import json
import math
import sys
from datetime import UTC, datetime
from typing import Any

from conductor.cli.client import Client
from conductor.cli.words import plain_line
from conductor.errors import NotAllowed

EXAMPLES_SHOWN = 10
OTHERS_ARE_HIDDEN = (
    "Plans of other programs are shown in the window, or when you start `conductor` at a terminal."
)
Plan = dict[str, Any]


def run(args: argparse.Namespace) -> int:
    """List, show, approve or reject."""
    return {"list": _list, "show": _show, "approve": _approve, "reject": _reject}[args.what](args)


def _list(args: argparse.Namespace) -> int:
    answer = Client().call("conductor_list_plans", limit=200)
    if args.json:
        print(json.dumps(answer))
        return 0
    for plan in answer["plans"]:
        print(plain_line(f"{plan['plan_id']}  {plan['status']:<8}  {plan['description']}"))
        print(plain_line(f"{'':38}asked by {plan['requested_by']}"))
    if answer.get("are_others_hidden"):
        print(OTHERS_ARE_HIDDEN)
    elif not answer["plans"]:
        print("No plan is kept.")
    return 0


def _show(args: argparse.Namespace) -> int:
    plan = Client().call("conductor_get_plan", plan_id=args.plan_id)
    print(json.dumps(plan) if args.json else "\n".join(lines(plan)))
    return 0


def _approve(args: argparse.Namespace) -> int:
    _require_terminal()
    client = Client()
    plan = client.call("conductor_get_plan", plan_id=args.plan_id)
    print("\n".join(lines(plan)))
    breaks: list[str] = [one["example"]["name"] for one in plan.get("broken_examples", ())]
    if plan["status"] == "pending" and args.yes and breaks and not args.break_examples:
        names = ", ".join(f"`{name}`" for name in breaks)
        raise NotAllowed(
            f"this breaks your examples {names}; add --break-examples if that is meant"
        )
    question = f"Approve this, and break {_examples(len(breaks))}?" if breaks else "Approve this?"
    if plan["status"] == "pending" and not args.yes and not _asked(question):
        print("Nothing was done; the plan still waits.")
        return 1
    client.set_timeout(60)
    done = client.call("terminal.approve", plan_id=args.plan_id, apply=not args.no_apply)
    print(plain_line(f"{done['status']}: {done['description']}"))
    if done["status"] == "applied":
        for name in breaks:
            print(plain_line(f"broke the example `{name}`; `conductor undo` takes it back"))
    return 0


def _reject(args: argparse.Namespace) -> int:
    _require_terminal()
    done = Client().call("terminal.reject", plan_id=args.plan_id, reason=args.reason)
    print(plain_line(f"{done['status']}: {done['description']}"))
    return 0


def _require_terminal() -> None:
    if not sys.stdin.isatty():
        raise NotAllowed("plans are approved and rejected by you, at a terminal or in the window")


def _examples(count: int) -> str:
    return f"{count} of your examples"


def _asked(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def lines(plan: Plan) -> list[str]:
    """Return a plan as a person reads it."""
    asked = plan["requested_by"]
    who = " at ".join(one for one in (asked["client"], asked["executable"]) if one) or "somebody"
    process = f", process {asked['pid']}" if asked["pid"] else ""
    rows = [
        f"plan      {plan['plan_id'][:8]} ({_standing(plan)})",
        f"asked by  {who} ({asked['caller']}{process})",
        *(f"change    {change['description']}" for change in plan["changes"]),
    ]
    if plan["privileged"]:
        rows.append("careful   this needs your own approval: no agent can give it")
    rows += [f"careful   {text}" for text in plan.get("window_only", ())]
    rows += [f"warning   {text}" for text in plan["warnings"]]
    rows += [f"overlap   {one['message']}" for one in plan["overlaps"]]
    if plan.get("impact"):
        rows.append(f"impact    {plan['impact']['summary']}")
    if plan["replay"]:
        rows.append(f"replay    {plan['replay']['summary']}")
        rows += [f"unseen    {text}" for text in plan["replay"].get("not_covered", ())]
    rows += _coverage_rows(plan.get("coverage"))
    for one in plan["examples"]:
        mark = "passed" if one["passed"] else f"FAILED: {one['problem']}"
        rows.append(f"example   {one['example']['name']}: {mark}")
    if plan["reason"]:
        rows.append(f"reason    {plan['reason']}")
    return [plain_line(row) for row in (*rows, "", *_diff(plan["diff_preview"]))]


def _coverage_rows(coverage: dict[str, Any] | None) -> list[str]:
    """Return what gestures showed, with one gesture for each control that does something else."""
    if coverage is None or not coverage["summary"]:
        return []
    rows = [f"gestures  {coverage['summary']}"]
    for one in coverage["counterexamples"][:EXAMPLES_SHOWN]:
        before, after = (", ".join(one[side]) or "nothing" for side in ("before", "after"))
        given = f" ({one['circumstances']})" if one["circumstances"] else ""
        rows.append(f"differs   {one['control']}: `{one['gesture']}`{given}: {before} -> {after}")
    return rows


def _diff(diff: str) -> list[str]:
    """Return a diff without the two lines that name the files."""
    rows = diff.rstrip("\n").split("\n")
    is_headed = len(rows) > 1 and rows[0].startswith("--- ") and rows[1].startswith("+++ ")
    return rows[2:] if is_headed else rows


def _standing(plan: Plan) -> str:
    if plan["status"] not in ("pending", "approved"):
        return plan["status"]
    left = datetime.fromisoformat(plan["expires_at"]) - datetime.now(UTC)
    return f"{plan['status']}, {max(0, math.ceil(left.total_seconds() / 60))} min left"
