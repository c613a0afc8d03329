"""`conductor plans`: what tools have asked for, and the user's word on it."""

import argparse
import json
import sys
from typing import Any

from conductor.cli.client import Client
from conductor.errors import NotAllowed

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
        print(f"{plan['plan_id']}  {plan['status']:<8}  {plan['description']}")
        print(f"{'':38}asked by {plan['requested_by']}")
    if not answer["plans"]:
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
    if plan["status"] == "pending" and not args.yes and not _asked("Approve this?"):
        print("Nothing was done; the plan still waits.")
        return 1
    client.set_timeout(60)
    done = client.call("terminal.approve", plan_id=args.plan_id, apply=not args.no_apply)
    print(f"{done['status']}: {done['description']}")
    return 0


def _reject(args: argparse.Namespace) -> int:
    _require_terminal()
    done = Client().call("terminal.reject", plan_id=args.plan_id, reason=args.reason)
    print(f"{done['status']}: {done['description']}")
    return 0


def _require_terminal() -> None:
    if not sys.stdin.isatty():
        raise NotAllowed("plans are approved and rejected by you, at a terminal or in the window")


def _asked(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def lines(plan: Plan) -> list[str]:
    """Give a plan as a person reads it."""
    asked = plan["requested_by"]
    who = asked["client"] or asked["executable"] or "somebody"
    process = f", process {asked['pid']}" if asked["pid"] else ""
    rows = [
        f"plan      {plan['plan_id']} ({plan['status']}, until {plan['expires_at']})",
        f"asked by  {who} ({asked['caller']}{process})",
        *(f"change    {change['description']}" for change in plan["changes"]),
    ]
    if plan["privileged"]:
        rows.append("careful   this needs your own approval: no agent can give it")
    rows += [f"warning   {_plain(text)}" for text in plan["warnings"]]
    rows += [f"overlap   {_plain(one['message'])}" for one in plan["overlaps"]]
    if plan["replay"]:
        rows.append(f"replay    {plan['replay']['summary']}")
    for one in plan["examples"]:
        mark = "passed" if one["passed"] else f"FAILED: {one['problem']}"
        rows.append(f"example   {_plain(one['example']['name'])}: {mark}")
    if plan["reason"]:
        rows.append(f"reason    {_plain(plan['reason'])}")
    return [_plain(row) for row in rows] + [
        _plain(line) for line in plan["diff_preview"].splitlines()
    ]


def _plain(text: str) -> str:
    """Show control characters instead of obeying them: the text comes from somebody else."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
