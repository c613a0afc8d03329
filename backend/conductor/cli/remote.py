"""`conductor remote`: lists agents on other computers, and allows, denies and revokes their access."""

import argparse
import json
import sys

from conductor.base.json_types import JsonObject
from conductor.cli.client import SocketClient
from conductor.cli.text import sanitize_line
from conductor.errors import InvalidParams, NotAllowed

DECISIONS = ("allow", "deny", "revoke")
"""The commands that change something. The others also run without a terminal, such as in a pipe."""
SCOPE_TEXTS = {
    "look": "read your config, devices and events, and simulate",
    "operate": "switch modes, mute devices and learn controls",
    "propose": "propose changes, which you approve or reject",
    "hardware": "send MIDI to your devices",
    "skills": "use the assistant's skills that you offer to programs",
}


def run(args: argparse.Namespace) -> int:
    """Run a command about agents on other computers. Return the exit code."""
    if args.verb in DECISIONS and not sys.stdin.isatty():
        raise NotAllowed(
            "deciding on agents on other computers needs you at a terminal; run this command in a terminal,"
            " or use the window"
        )
    return {
        "status": _print_status,
        "requests": _list_requests,
        "allow": _allow_request,
        "deny": _deny_request,
        "grants": _list_grants,
        "revoke": _revoke_grant,
    }[args.verb](args)


def _print_status(args: argparse.Namespace) -> int:
    status = SocketClient().call_method("terminal.remote.status")
    print(json.dumps(status) if args.json else "\n".join(format_status(status)))
    return 0


def format_status(status: JsonObject) -> list[str]:
    """Return the lines that say whether and where agents on other computers are served."""
    lines = [f"problem      {status['problem']}"] if status["problem"] else []
    if status["address"] is None:
        lines.append("Agents on other computers are not served.")
        if not status["enabled"]:
            lines.append("To serve them, set llm.mcp.remote_enabled to true.")
        return [sanitize_line(line) for line in lines]
    lines.append(f"address      {status['address']}")
    if status["fingerprint"]:
        lines.append(f"fingerprint  {status['fingerprint']}")
        lines.append(f"certificate  {status['certificate_file']}")
    if status["is_self_made"]:
        lines.append(
            "Conductor made this certificate. Agents must be given its file, or its fingerprint."
        )
    return [sanitize_line(line) for line in lines]


def _list_requests(args: argparse.Namespace) -> int:
    pending = SocketClient().call_method("terminal.remote.requests")["requests"]
    if args.json:
        print(json.dumps(pending))
        return 0
    print("\n\n".join("\n".join(_format_request(one)) for one in pending) or "No requests pending.")
    return 0


def _allow_request(args: argparse.Namespace) -> int:
    unknown = [scope for scope in args.scope if scope not in SCOPE_TEXTS]
    if unknown:
        raise InvalidParams(
            f"there is no scope {unknown[0][:40]!r}; --scope is one of {', '.join(SCOPE_TEXTS)}"
        )
    client = SocketClient()
    pending = client.call_method("terminal.remote.requests")["requests"]
    for request in pending:
        print("\n".join(_format_request(request)) + "\n")
    only = f" to {', '.join(dict.fromkeys(('look', *args.scope)))} only" if args.scope else ""
    question = f"Allow the agent whose browser shows {args.code}{only}? [y/N] "
    if pending and not args.yes and input(question).strip().lower() not in ("y", "yes"):
        print("Nothing changed; the request is still pending.")
        return 1
    scopes = {"scopes": args.scope} if args.scope else {}
    allowed = client.call_method("terminal.remote.allow", code=args.code, **scopes)
    print(sanitize_line(f"{allowed['client']} now has access: {', '.join(allowed['granted'])}"))
    return 0


def _deny_request(args: argparse.Namespace) -> int:
    denied = SocketClient().call_method("terminal.remote.deny", request_id=args.request_id)
    print(sanitize_line(f"{denied['client']} was denied."))
    return 0


def _list_grants(args: argparse.Namespace) -> int:
    grants = SocketClient().call_method("terminal.remote.grants")["grants"]
    if args.json:
        print(json.dumps(grants))
        return 0
    for grant in grants:
        used = grant["last_used_at"]
        last_use = f"last used {used[:16].replace('T', ' ')}" if used else "never used"
        print(
            sanitize_line(
                f"{grant['grant_id']}  {grant['client']} ({grant['redirect_host']}):"
                f" {', '.join(grant['scopes'])}; since {grant['created_at'][:10]}, {last_use}"
            )
        )
    if not grants:
        print("No agent on another computer has access.")
    return 0


def _revoke_grant(args: argparse.Namespace) -> int:
    revoked = SocketClient().call_method("terminal.remote.revoke", grant_id=args.grant_id)
    print(sanitize_line(f"{revoked['client']} no longer has access."))
    return 0


def _format_request(request: JsonObject) -> list[str]:
    """Return the lines that describe an agent that asks for access."""
    rows = [
        f"request  {request['request_id']}",
        f"agent    {request['client']} (the name is not verified)",
        f"from     {request['source']}, goes on to {request['redirect_host']}",
        *(f"wants to {SCOPE_TEXTS[scope]}" for scope in request["scopes"]),
    ]
    return [sanitize_line(row) for row in rows]
