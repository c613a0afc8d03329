"""`conductor mcp install`; `conductor mcp` alone is the proxy, started without the command line."""

import argparse
import difflib

from conductor.mcp.install import Installation, plan_installation
from conductor.mcp.stdio_proxy import main as proxy


def run(args: argparse.Namespace) -> int:
    """Write Conductor's entry into a client's settings file, or show what would be written."""
    if args.mcp_command is None:
        return proxy(["--no-start"] if args.no_start else [])
    planned = plan_installation(args.client)
    if not planned.changes:
        print(f"{planned.path} has Conductor already; nothing to do")
        return 0
    if args.dry_run:
        print(_difference(planned), end="")
        return 0
    backup = planned.write()
    kept = "" if backup is None else f" (what was there before: {backup})"
    print(f"Wrote Conductor's entry to {planned.path}{kept}. Restart {args.client} to use it.")
    return 0


def _difference(planned: Installation) -> str:
    before, after = (planned.before or "").splitlines(), planned.after.splitlines()
    name = str(planned.path)
    lines = difflib.unified_diff(before, after, name, name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
