"""`conductor mcp`: adds Conductor to the settings of an MCP client, or removes it from them.

Without a verb, `conductor mcp` runs the stdio proxy, which `__main__` starts without importing this module.
"""

import argparse
import difflib

from conductor.mcp.registry.install import SettingsEdit, plan_installation, plan_removal
from conductor.mcp.server.stdio_proxy import main as proxy


def run(args: argparse.Namespace) -> int:
    """Add Conductor to the settings file of an MCP client or remove it, or print the diff.

    Return the exit code.
    """
    if args.mcp_command is None:
        return proxy(["--no-start"] if args.no_start else [])
    is_removal = args.mcp_command == "remove"
    edit = (plan_removal if is_removal else plan_installation)(args.client)
    if not edit.has_changes:
        state = "has no Conductor entry" if is_removal else "already has the Conductor entry"
        print(f"{edit.path} {state}; nothing to do")
        return 0
    if args.dry_run:
        print(_format_diff(edit), end="")
        return 0
    backup = edit.write_file()
    backup_note = "" if backup is None else f" (backup: {backup})"
    if is_removal:
        print(f"Removed Conductor from {edit.path}{backup_note}. Restart {args.client}.")
    else:
        print(f"Added Conductor to {edit.path}{backup_note}. Restart {args.client} to use it.")
    return 0


def _format_diff(edit: SettingsEdit) -> str:
    before, after = (edit.before or "").splitlines(), edit.after.splitlines()
    name = str(edit.path)
    lines = difflib.unified_diff(before, after, name, name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
