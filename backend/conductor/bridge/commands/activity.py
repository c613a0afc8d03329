"""Commands of the Activity view, which list and export the entries of the audit log."""

import csv
import io
import json
from collections.abc import Mapping
from typing import Literal

from pydantic import AwareDatetime, Field

from conductor.base.json_types import JsonObject
from conductor.base.redact import redact_secrets
from conductor.bridge.models import PassThroughModel
from conductor.bridge.registry import query
from conductor.bridge.services import Call
from conductor.domain.plan import USER_CALLERS
from conductor.domain.value import Value
from conductor.storage.audit import STORED_AUDIT_FIELDS, AuditEntry, AuditEntryData
from conductor.storage.audit_rows import MAX_AUDIT_ENTRIES, AuditFilter, list_latest_audit_entries

MAX_ACTIVITY_EXPORT_CHARS = 7_000_000
"""The maximum length of an exported file in characters.

The window cannot save a longer one in a single call.
"""
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n")
"""The first characters of cells that a spreadsheet would execute as a formula, or behind which a formula
can hide.
"""
CALLER_GROUPS: Mapping[str, tuple[str, ...]] = {
    "you": USER_CALLERS,
    "agents": ("mcp", "http", "remote", "bare"),
}
"""The callers that a filter can select together."""
CHANGES = "changes"
"""The value of the tier filter that selects all tiers which can change something in Conductor."""
TIERS_WITHOUT_CHANGES = ("read_only", "skill")

FilterText = Field(default=None, max_length=200)


class ActivityFilters(Value):
    """Filters for the entries of the audit log.

    An entry must match all of them, and null matches every entry.
    """

    caller: str | None = FilterText
    """A caller, `you` for everything that the user did, with slash commands, or `agents` for all other
    programs.
    """
    tool: str | None = FilterText
    """A text that the name of the tool contains."""
    outcome: str | None = FilterText
    """The outcome: `ok`, `started`, an error code, or `failed` for any error code."""
    tier: str | None = FilterText
    """A tier, or `changes` for all tiers that can change something in Conductor."""
    since: AwareDatetime | None = None
    search: str | None = FilterText
    """A text that any field contains, in upper or lower case."""


class ActivityParams(ActivityFilters):
    limit: int = Field(default=100, ge=1, le=500)
    before_id: int | None = None


class ActivityEntry(PassThroughModel):
    id: int
    at: str
    caller: str
    client: str | None
    pid: int | None
    executable: str | None
    tool: str
    tier: str | None
    arguments: JsonObject
    permission: str | None
    """The permission that the call had: `not needed`, `once`, `conversation`, `always` or `mapping`."""
    outcome: str
    """`started`, `ok`, or the error code if the call failed."""
    detail: str | None
    duration_ms: float | None


class ActivityPage(Value):
    entries: list[ActivityEntry]


class ActivityExportParams(ActivityFilters):
    format: Literal["json", "csv"]


class ExportedActivity(Value):
    name: str
    content: str
    entries: int
    left_out: int
    """How many older entries are missing, because the file would be too large."""


@query("activity.list")
def list_activity(params: ActivityParams, call: Call) -> ActivityPage:
    """Return the entries of the audit log that match the filters, newest first."""
    found = _find_entries(params, call, params.limit, params.before_id)
    rows = [
        ActivityEntry.model_validate({"id": entry.row_id, **entry.to_plain()}) for entry in found
    ]
    return ActivityPage(entries=rows)


@query("activity.export")
def export_activity(params: ActivityExportParams, call: Call) -> ExportedActivity:
    """Return the entries of the audit log that match the filters as a JSON or CSV file, newest first.

    Text that looks like a secret is removed.
    """
    found = _find_entries(params, call, MAX_AUDIT_ENTRIES)
    render = format_json if params.format == "json" else format_csv
    fitting = _count_fitting_entries(found)
    newest = found[0].to_plain()["at"][:10] if found else "empty"
    return ExportedActivity(
        name=f"conductor-activity-{newest}.{params.format}",
        content=render(found[:fitting]),
        entries=fitting,
        left_out=len(found) - fitting,
    )


def format_json(entries: list[AuditEntry]) -> str:
    """Return entries of the audit log as a JSON array with one entry per line.

    Text that looks like a secret is removed.
    """
    lines = ",\n".join(_to_redacted_json(entry.to_plain()) for entry in entries)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def format_csv(entries: list[AuditEntry]) -> str:
    """Return entries of the audit log as CSV whose cells a spreadsheet cannot execute as formulas."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(STORED_AUDIT_FIELDS)
    for entry in entries:
        plain = entry.to_plain()
        arguments = json.dumps(plain["arguments"], ensure_ascii=False)
        writer.writerow(map(format_csv_cell, {**plain, "arguments": arguments}.values()))
    return text.getvalue()


def format_csv_cell(item: object) -> str:
    """Return a value as a CSV cell that a spreadsheet cannot execute as a formula."""
    text = "" if item is None else redact_secrets(str(item)).replace("\0", "")
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_PREFIXES) else text


def _to_redacted_json(plain: AuditEntryData) -> str:
    return redact_secrets(json.dumps(plain, ensure_ascii=False))


def _count_fitting_entries(entries: list[AuditEntry]) -> int:
    """Return how many of the newest entries fit into one file.

    Quotation marks count twice, because CSV doubles them.
    """
    room = MAX_ACTIVITY_EXPORT_CHARS
    for count, entry in enumerate(entries):
        line = _to_redacted_json(entry.to_plain())
        room -= len(line) + line.count('"') + 100
        if room < 0:
            return count
    return len(entries)


def _find_entries(
    params: ActivityFilters, call: Call, limit: int, before_id: int | None = None
) -> list[AuditEntry]:
    call.services.gate.audit.flush_entries(2)
    entry_filter = AuditFilter(
        callers=None
        if params.caller is None
        else CALLER_GROUPS.get(params.caller, (params.caller,)),
        with_slash_commands={"you": True, "chat": False}.get(params.caller or ""),
        tool=params.tool,
        outcome=params.outcome,
        tier=None if params.tier == CHANGES else params.tier,
        without_tiers=TIERS_WITHOUT_CHANGES if params.tier == CHANGES else (),
        since=None if params.since is None else params.since.timestamp(),
    )
    return list_latest_audit_entries(
        call.services.config.database(), limit, before_id, params.search, entry_filter
    )
