"""`conductor approvals`: calls of skills that wait for the user, and the user's word on them."""

import argparse
import json
import sys
from typing import Any

from conductor.cli.client import Client
from conductor.cli.words import plain, plain_line
from conductor.errors import NotAllowed, UnknownApproval

Approval = dict[str, Any]


def run(args: argparse.Namespace) -> int:
    """List, allow or deny."""
    if not sys.stdin.isatty():
        raise NotAllowed("approvals are shown and given at a terminal of yours, or in the window")
    return {"list": _list, "allow": _allow, "deny": _deny}[args.what](args)


def _list(args: argparse.Namespace) -> int:
    waiting = Client().call("terminal.approvals.list")["approvals"]
    if args.json:
        print(json.dumps(waiting))
        return 0
    print("\n\n".join("\n".join(lines(one)) for one in waiting) or "Nothing waits for you.")
    return 0


def _allow(args: argparse.Namespace) -> int:
    client = Client()
    found = client.call("terminal.approvals.list")["approvals"]
    waiting = next((one for one in found if one["approval_id"] == args.approval_id), None)
    if waiting is None:
        raise UnknownApproval(f"nothing waits for you as {args.approval_id}; it may be over")
    print("\n".join(lines(waiting)))
    decision = "always" if args.always else "conversation" if args.conversation else "once"
    if decision != "once" and decision not in waiting["choices"]:
        raise NotAllowed(f"this call can be allowed only by {', '.join(waiting['choices'])}")
    if not args.yes and not _asked(decision):
        print("Nothing was done; it still waits.")
        return 1
    done = client.call("terminal.approvals.allow", approval_id=args.approval_id, decision=decision)
    print(plain_line(f"{done['state']} ({decision}): {done['title']}"))
    return 0


def _deny(args: argparse.Namespace) -> int:
    decision = "never" if args.never else "deny"
    done = Client().call("terminal.approvals.deny", approval_id=args.approval_id, decision=decision)
    print(plain_line(f"{done['state']}: {done['title']}"))
    return 0


def _asked(decision: str) -> bool:
    what = {
        "once": "this once",
        "conversation": "such calls in this conversation",
        "always": "such calls from now on",
    }
    try:
        return input(f"Allow {what[decision]}? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def lines(approval: Approval) -> list[str]:
    """Give a call as a person reads it, with all that would be sent."""
    whose = f" of {approval['origin']}" if approval["origin"] else ""
    rows = [
        f"approval  {approval['approval_id']}",
        f"call      {approval['title']} ({approval['tool']}){whose}",
        f"asked by  {approval['requester']}",
        *(f"careful   {text}" for text in approval["warnings"]),
    ]
    shown = json.dumps(approval["arguments"], indent=2, ensure_ascii=False).split("\n")
    rows += [f"{'with' if not at else '':<10}{plain(line)}" for at, line in enumerate(shown)]
    longer = [one for one in ("conversation", "always") if one in approval["choices"]]
    if longer:
        options = ", ".join(f"--{one}" for one in longer)
        rows.append(f"covers    {options} would allow: {approval['shape']}")
    return [plain_line(row) for row in rows]
