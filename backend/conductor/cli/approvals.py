"""`conductor approvals`: calls of skills that wait for the user, and the user's word on them."""

import argparse
import json
import sys
from typing import Any

from conductor.base.invisible_chars import reveal_hidden
from conductor.cli.client import Client
from conductor.errors import NotAllowed, UnknownApproval

Approval = dict[str, Any]
LETTERS = {"once": "y", "conversation": "c", "always": "a", "deny": "n", "never": "v"}
"""What is typed for each decision; anything else is a no."""


def run(args: argparse.Namespace) -> int:
    """List, ask about, allow or deny."""
    if not sys.stdin.isatty():
        raise NotAllowed("approvals are shown and given at a terminal of yours, or in the window")
    return {"list": _list, "ask": _ask, "allow": _allow, "deny": _deny}[args.what](args)


def _list(args: argparse.Namespace) -> int:
    waiting = Client().call("terminal.approvals.list")["approvals"]
    if args.json:
        print(json.dumps(waiting))
        return 0
    print("\n\n".join("\n".join(lines(one)) for one in waiting) or "Nothing waits for you.")
    return 0


def _ask(args: argparse.Namespace) -> int:
    client = Client()
    waiting = _shown(client, args.approval_id)
    offered = {letter: one for one, letter in LETTERS.items() if one in waiting["choices"]}
    letters = "/".join(letter.upper() if letter == "n" else letter for letter in offered)
    words = ", ".join(f"{letter} {one}" for letter, one in offered.items())
    decision = offered.get(_typed(f"Allow? {words} [{letters}] ")[:1], "deny")
    return _say(client, "ask", args.approval_id, decision)


def _allow(args: argparse.Namespace) -> int:
    client = Client()
    waiting = _shown(client, args.approval_id)
    decision = "always" if args.always else "conversation" if args.conversation else "once"
    if decision != "once" and decision not in waiting["choices"]:
        ways = [one for one in ("once", "conversation", "always") if one in waiting["choices"]]
        raise NotAllowed(f"this call can be allowed only {' or '.join(ways)}")
    if not args.yes and not _asked(decision):
        print("Nothing was done; it still waits.")
        return 1
    return _say(client, "allow", args.approval_id, decision)


def _deny(args: argparse.Namespace) -> int:
    return _say(Client(), "deny", args.approval_id, "never" if args.never else "deny")


def _shown(client: Client, approval_id: str) -> Approval:
    """Show a call that waits, and give it."""
    found = client.call("terminal.approvals.list")["approvals"]
    waiting = next((one for one in found if one["approval_id"] == approval_id), None)
    if waiting is None:
        raise UnknownApproval(f"nothing waits for you as {approval_id}; it may be over")
    print("\n".join(lines(waiting)))
    return waiting


def _say(client: Client, verb: str, approval_id: str, decision: str) -> int:
    said = {"approval_id": approval_id, "decision": decision}
    done = client.call(f"terminal.approvals.{verb}", **said)
    print(reveal_hidden(f"{done['state']} ({decision}): {done['title']}"))
    return 0


def _asked(decision: str) -> bool:
    what = {
        "once": "this once",
        "conversation": "such calls in this conversation",
        "always": "such calls from now on",
    }
    return _typed(f"Allow {what[decision]}? [y/N] ") in ("y", "yes")


def _typed(question: str) -> str:
    try:
        return input(question).strip().lower()
    except (EOFError, KeyboardInterrupt):
        print()
        return ""


def lines(approval: Approval) -> list[str]:
    """Return a call as a person reads it, with all that would be sent."""
    whose = f" of {approval['origin']}" if approval["origin"] else ""
    rows = [
        f"approval  {approval['approval_id']}",
        f"call      {approval['title']} ({approval['tool']}){whose}",
        f"does      {approval['description']}",
        f"asked by  {approval['requester']}",
        *(f"careful   {text}" for text in approval["warnings"]),
    ]
    arguments = json.dumps(approval["arguments"], indent=2, ensure_ascii=False).split("\n")
    rows += [f"{'with' if not at else '':<10}{line}" for at, line in enumerate(arguments)]
    longer = [one for one in ("conversation", "always") if one in approval["choices"]]
    if longer:
        options = ", ".join(f"--{one}" for one in longer)
        rows.append(f"covers    {options} would allow: {approval['shape']}")
    return [reveal_hidden(row) for row in rows]
