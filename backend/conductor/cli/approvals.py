"""`conductor approvals`: lists the tool calls that wait for approval, and records the user's decisions on
them.
"""

import argparse
import json
import sys

from conductor.base.invisible_chars import reveal_hidden
from conductor.base.json_types import JsonObject
from conductor.cli.client import SocketClient
from conductor.errors import NotAllowed, UnknownApproval

INPUT_KEY_BY_DECISION = {"once": "y", "conversation": "c", "always": "a", "deny": "n", "never": "v"}
"""The key for each decision. Any other key denies the call."""


def run(args: argparse.Namespace) -> int:
    """List the pending tool calls, or allow or deny one of them. Return the exit code."""
    if not sys.stdin.isatty():
        raise NotAllowed(
            "deciding on tool calls needs you at a terminal; run this command in a terminal, or use the window"
        )
    return {
        "list": _list_pending,
        "ask": _ask_for_decision,
        "allow": _allow_call,
        "deny": _deny_call,
    }[args.verb](args)


def _list_pending(args: argparse.Namespace) -> int:
    pending = SocketClient().call_method("terminal.approvals.list")["approvals"]
    if args.json:
        print(json.dumps(pending))
        return 0
    print(
        "\n\n".join("\n".join(format_approval(call)) for call in pending) or "No approvals pending."
    )
    return 0


def _ask_for_decision(args: argparse.Namespace) -> int:
    client = SocketClient()
    approval = _print_approval(client, args.approval_id)
    decisions_by_key = {
        key: choice
        for choice, key in INPUT_KEY_BY_DECISION.items()
        if choice in approval["choices"]
    }
    key_hint = "/".join(key.upper() if key == "n" else key for key in decisions_by_key)
    choices = ", ".join(f"{key} {choice}" for key, choice in decisions_by_key.items())
    decision = decisions_by_key.get(_prompt_user(f"Allow? {choices} [{key_hint}] ")[:1], "deny")
    return _send_decision(client, "ask", args.approval_id, decision)


def _allow_call(args: argparse.Namespace) -> int:
    client = SocketClient()
    approval = _print_approval(client, args.approval_id)
    decision = "always" if args.always else "conversation" if args.conversation else "once"
    if decision != "once" and decision not in approval["choices"]:
        scopes = [
            f"--{scope}" for scope in ("conversation", "always") if scope in approval["choices"]
        ]
        instead = "".join(f" with {option} or" for option in scopes)
        raise NotAllowed(f"--{decision} is not possible for this call; allow it{instead} only once")
    if not args.yes and not _confirm_scope(decision):
        print("Nothing changed; the call is still pending.")
        return 1
    return _send_decision(client, "allow", args.approval_id, decision)


def _deny_call(args: argparse.Namespace) -> int:
    return _send_decision(
        SocketClient(), "deny", args.approval_id, "never" if args.never else "deny"
    )


def _print_approval(client: SocketClient, approval_id: str) -> JsonObject:
    """Print a pending tool call with its arguments and return it.

    Raises:
        UnknownApproval: No call with this id is pending.
    """
    pending = client.call_method("terminal.approvals.list")["approvals"]
    approval = next((call for call in pending if call["approval_id"] == approval_id), None)
    if approval is None:
        raise UnknownApproval(
            f"there is no pending approval {approval_id}; it was decided or has expired."
            " `conductor approvals list` shows the pending approvals"
        )
    print("\n".join(format_approval(approval)))
    return approval


def _send_decision(client: SocketClient, verb: str, approval_id: str, decision: str) -> int:
    params = {"approval_id": approval_id, "decision": decision}
    decided = client.call_method(f"terminal.approvals.{verb}", **params)
    print(reveal_hidden(f"{decided['state']} ({decision}): {decided['title']}"))
    return 0


def _confirm_scope(decision: str) -> bool:
    scope = {
        "once": "this call once",
        "conversation": "similar calls in this conversation",
        "always": "similar calls from now on",
    }
    return _prompt_user(f"Allow {scope[decision]}? [y/N] ") in ("y", "yes")


def _prompt_user(question: str) -> str:
    try:
        return input(question).strip().lower()
    except (EOFError, KeyboardInterrupt):
        print()
        return ""


def format_approval(approval: JsonObject) -> list[str]:
    """Return the lines that describe a pending tool call, with all arguments that the tool would receive."""
    origin = f" of {approval['origin']}" if approval["origin"] else ""
    rows = [
        f"approval  {approval['approval_id']}",
        f"call      {approval['title']} ({approval['tool']}){origin}",
        f"does      {approval['description']}",
        f"asked by  {approval['requester']}",
        *(f"warning   {text}" for text in approval["warnings"]),
    ]
    arguments = json.dumps(approval["arguments"], indent=2, ensure_ascii=False).split("\n")
    rows += [f"{'with' if not at else '':<10}{line}" for at, line in enumerate(arguments)]
    scopes = [scope for scope in ("conversation", "always") if scope in approval["choices"]]
    if scopes:
        options = ", ".join(f"--{scope}" for scope in scopes)
        rows.append(f"covers    {options} would allow: {approval['shape']}")
    return [reveal_hidden(row) for row in rows]
