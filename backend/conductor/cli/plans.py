"""`conductor plans`: lists proposed changes of the config, and records the user's decisions on them."""

import argparse
import json
import math
import sys
from datetime import UTC, datetime

from conductor.base.json_types import JsonObject
from conductor.cli.client import SocketClient
from conductor.cli.text import sanitize_line
from conductor.errors import NotAllowed

MAX_COUNTEREXAMPLES = 10
HIDDEN_PLANS_NOTE = (
    "Plans of other programs are hidden; see them in the window, or run this command in a terminal."
)


def run(args: argparse.Namespace) -> int:
    """List all plans, or show, approve or reject one of them. Return the exit code."""
    return {
        "list": _list_plans,
        "show": _show_plan,
        "approve": _approve_plan,
        "reject": _reject_plan,
    }[args.verb](args)


def _list_plans(args: argparse.Namespace) -> int:
    answer = SocketClient().call_method("conductor_list_plans", limit=200)
    if args.json:
        print(json.dumps(answer))
        return 0
    for plan in answer["plans"]:
        print(sanitize_line(f"{plan['plan_id']}  {plan['status']:<8}  {plan['description']}"))
        print(sanitize_line(f"{'':38}requested by {plan['requested_by']}"))
    if answer.get("are_others_hidden"):
        print(HIDDEN_PLANS_NOTE)
    elif not answer["plans"]:
        print("No plans yet.")
    return 0


def _show_plan(args: argparse.Namespace) -> int:
    plan = SocketClient().call_method("conductor_get_plan", plan_id=args.plan_id)
    print(json.dumps(plan) if args.json else "\n".join(format_plan(plan)))
    return 0


def _approve_plan(args: argparse.Namespace) -> int:
    _require_terminal()
    client = SocketClient()
    plan = client.call_method("conductor_get_plan", plan_id=args.plan_id)
    print("\n".join(format_plan(plan)))
    broken_examples: list[str] = [row["example"]["name"] for row in plan.get("broken_examples", ())]
    if plan["status"] == "pending" and args.yes and broken_examples and not args.break_examples:
        names = ", ".join(f"`{name}`" for name in broken_examples)
        raise NotAllowed(
            f"the plan breaks your examples {names}; add --break-examples to approve it anyway"
        )
    count = len(broken_examples)
    question = (
        f"Approve this plan and break {count} of your examples?"
        if broken_examples
        else "Approve this plan?"
    )
    if plan["status"] == "pending" and not args.yes and not _ask_yes_no(question):
        print("Nothing changed; the plan is still pending.")
        return 1
    client.set_timeout(60)
    done = client.call_method("terminal.approve", plan_id=args.plan_id, apply=not args.no_apply)
    print(sanitize_line(f"{done['status']}: {done['description']}"))
    if done["status"] == "applied":
        for name in broken_examples:
            print(sanitize_line(f"broke the example `{name}`; `conductor undo` reverts the change"))
    return 0


def _reject_plan(args: argparse.Namespace) -> int:
    _require_terminal()
    done = SocketClient().call_method("terminal.reject", plan_id=args.plan_id, reason=args.reason)
    print(sanitize_line(f"{done['status']}: {done['description']}"))
    return 0


def _require_terminal() -> None:
    if not sys.stdin.isatty():
        raise NotAllowed(
            "approving or rejecting a plan needs you at a terminal;"
            " run this command in a terminal, or use the window"
        )


def _ask_yes_no(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def format_plan(plan: JsonObject) -> list[str]:
    """Return the lines that describe a plan with its proof and its diff."""
    requester = plan["requested_by"]
    names = (requester["client"], requester["executable"])
    program = " at ".join(name for name in names if name) or "unknown program"
    process = f", process {requester['pid']}" if requester["pid"] else ""
    rows = [
        f"plan      {plan['plan_id'][:8]} ({_format_status(plan)})",
        f"asked by  {program} ({requester['caller']}{process})",
        *(f"change    {change['description']}" for change in plan["changes"]),
    ]
    if plan["privileged"]:
        rows.append("warning   only you can approve this plan, not an agent")
    rows += [f"warning   {text}" for text in plan.get("window_only", ())]
    rows += [f"warning   {text}" for text in plan["warnings"]]
    rows += [f"conflict  {overlap['message']}" for overlap in plan["overlaps"]]
    if plan.get("impact"):
        rows.append(f"impact    {plan['impact']['summary']}")
    if plan["replay"]:
        rows.append(f"replay    {plan['replay']['summary']}")
        rows += [f"untested  {text}" for text in plan["replay"].get("not_covered", ())]
    rows += _format_coverage(plan.get("coverage"))
    for result in plan["examples"]:
        mark = "passed" if result["passed"] else f"FAILED: {result['problem']}"
        rows.append(f"example   {result['example']['name']}: {mark}")
    if plan["reason"]:
        rows.append(f"reason    {plan['reason']}")
    return [sanitize_line(row) for row in (*rows, "", *_strip_diff_header(plan["diff_preview"]))]


def _format_coverage(coverage: JsonObject | None) -> list[str]:
    """Return the results of the generated gestures, with one example for each control that behaves
    differently.
    """
    if coverage is None or not coverage["summary"]:
        return []
    rows = [f"gestures  {coverage['summary']}"]
    for difference in coverage["counterexamples"][:MAX_COUNTEREXAMPLES]:
        before, after = (", ".join(difference[side]) or "nothing" for side in ("before", "after"))
        given = f" ({difference['circumstances']})" if difference["circumstances"] else ""
        gesture = f"{difference['control']}: `{difference['gesture']}`{given}"
        rows.append(f"differs   {gesture} does {after}; before: {before}")
    return rows


def _strip_diff_header(diff: str) -> list[str]:
    """Return the lines of a diff without the names of the files."""
    rows = diff.rstrip("\n").split("\n")
    has_header = len(rows) > 1 and rows[0].startswith("--- ") and rows[1].startswith("+++ ")
    return rows[2:] if has_header else rows


def _format_status(plan: JsonObject) -> str:
    if plan["status"] not in ("pending", "approved") or plan["expires_at"] is None:
        return plan["status"]
    left = datetime.fromisoformat(plan["expires_at"]) - datetime.now(UTC)
    return f"{plan['status']}, {max(0, math.ceil(left.total_seconds() / 60))} min left"
