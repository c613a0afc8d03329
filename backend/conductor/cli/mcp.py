"""`conductor mcp install` and `conductor mcp remove`.

`conductor mcp` without a verb runs the stdio proxy, which `__main__` starts without importing this module.
"""

import argparse
import difflib

from conductor.mcp.registry.install import SettingsEdit, plan_installation, plan_removal
from conductor.mcp.server.stdio_proxy import main as proxy


def run(args: argparse.Namespace) -> int:
    """Add or remove the entry of Conductor in the settings file of a client, or print the diff."""
    if args.mcp_command is None:
        return proxy(["--no-start"] if args.no_start else [])
    removes = args.mcp_command == "remove"
    planned = (plan_removal if removes else plan_installation)(args.client)
    if not planned.has_changes:
        state = "has no Conductor entry" if removes else "already has the Conductor entry"
        print(f"{planned.path} {state}; nothing to do")
        return 0
    if args.dry_run:
        print(_format_difference(planned), end="")
        return 0
    backup = planned.write()
    saved = "" if backup is None else f" (backup: {backup})"
    if removes:
        print(f"Removed Conductor from {planned.path}{saved}. Restart {args.client}.")
    else:
        print(f"Added Conductor to {planned.path}{saved}. Restart {args.client} to use it.")
    return 0


def _format_difference(planned: SettingsEdit) -> str:
    before, after = (planned.before or "").splitlines(), planned.after.splitlines()
    name = str(planned.path)
    lines = difflib.unified_diff(before, after, name, name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
