"""`conductor mcp install` and `remove`; `conductor mcp` alone is the proxy, started without the parser."""

import argparse
import difflib

from conductor.mcp.registry.install import Installation, plan_installation, plan_removal
from conductor.mcp.server.stdio_proxy import main as proxy


def run(args: argparse.Namespace) -> int:
    """Write or remove Conductor's entry in a client's settings file, or show what would be written."""
    if args.mcp_command is None:
        return proxy(["--no-start"] if args.no_start else [])
    removes = args.mcp_command == "remove"
    planned = (plan_removal if removes else plan_installation)(args.client)
    if not planned.changes:
        state = "does not have Conductor" if removes else "has Conductor already"
        print(f"{planned.path} {state}; nothing to do")
        return 0
    if args.dry_run:
        print(_difference(planned), end="")
        return 0
    backup = planned.write()
    kept = "" if backup is None else f" (what was there before: {backup})"
    if removes:
        print(f"Removed Conductor's entry from {planned.path}{kept}. Restart {args.client}.")
    else:
        print(f"Wrote Conductor's entry to {planned.path}{kept}. Restart {args.client} to use it.")
    return 0


def _difference(planned: Installation) -> str:
    before, after = (planned.before or "").splitlines(), planned.after.splitlines()
    name = str(planned.path)
    lines = difflib.unified_diff(before, after, name, name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
