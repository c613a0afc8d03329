"""`conductor audit`: lists the tool calls in the audit log with their callers and outcomes."""

import argparse
import json

from conductor.base.paths import get_home_folder
from conductor.base.program import format_program_name
from conductor.storage.audit import AuditEntryData
from conductor.storage.audit_rows import list_latest_audit_entries
from conductor.storage.database import Database


def run(args: argparse.Namespace) -> int:
    """Print the latest entries of the audit log, newest first. Return the exit code."""
    database = Database(get_home_folder() / "conductor.db")
    entries = [
        entry.to_plain() for entry in list_latest_audit_entries(database, max(1, args.limit))
    ]
    database.close()
    if args.json:
        print(json.dumps(entries))
        return 0
    for entry in entries:
        took = "" if entry["duration_ms"] is None else f"{entry['duration_ms']:.1f} ms"
        allowed = "" if entry["permission"] is None else f", allowed: {entry['permission']}"
        print(
            f"{entry['at'][:23]}  {entry['outcome']:<16} {entry['tool']:<32} {took:>10}  "
            f"{format_caller(entry)}{allowed}"
        )
        if entry["detail"]:
            print(f"{'':25}{ascii(entry['detail'])[1:-1]}")
    if not entries:
        print("No tool calls yet.")
    return 0


def format_caller(entry: AuditEntryData) -> str:
    """Return a phrase for the caller of a tool: a program with its process id, or a control of a device."""
    called = entry["client"] or format_program_name(entry["caller"], entry["executable"])
    if entry["caller"] == "pad":
        return f"a control ({called})"
    process = "" if entry["pid"] is None else f", process {entry['pid']}"
    return f"{called} ({entry['caller']}{process})"
