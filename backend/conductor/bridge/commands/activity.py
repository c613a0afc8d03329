"""Commands of the Activity view: list the entries of the audit log with filters, or export them."""

import csv
import io
import json
from typing import Literal

from pydantic import AwareDatetime, Field

from conductor.base.json_types import JsonObject
from conductor.base.redact import redact_secrets
from conductor.bridge.models import PassThroughModel
from conductor.bridge.registry import query
from conductor.bridge.services import Call
from conductor.domain.value import Value
from conductor.storage.audit import STORED_AUDIT_FIELDS, AuditEntry, AuditEntryData
from conductor.storage.audit_rows import MAX_AUDIT_ENTRIES, AuditFilter, list_latest_audit_entries

MAX_ACTIVITY_EXPORT_CHARS = 7_000_000
"""Maximum length of an exported file in characters, which is what the window can save in one call."""
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\n")
"""First characters of cells that a spreadsheet interprets as a formula, or that can hide a formula."""

FilterText = Field(default=None, max_length=200)


class ActivityFilters(Value):
    """Filters for entries of the audit log, which must all match; a null filter matches every entry."""

    caller: str | None = FilterText
    tool: str | None = FilterText
    """A part of the tool's name."""
    outcome: str | None = FilterText
    """`ok`, `started`, an error code, or `failed` for all error codes."""
    tier: str | None = FilterText
    since: AwareDatetime | None = None
    search: str | None = FilterText
    """Text to find in any field, ignoring case."""


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
    """The permission for the call: `not needed`, `once`, `conversation`, `always` or `mapping`."""
    outcome: str
    """`started`, `ok`, or the error code of a failed call."""
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
    """The number of older entries that did not fit into the file."""


@query("activity.list")
def list_activity(params: ActivityParams, call: Call) -> ActivityPage:
    """Return the audit log entries that match the filters, newest first."""
    found = _find_entries(params, call, params.limit, params.before_id)
    rows = [
        ActivityEntry.model_validate({"id": entry.row_id, **entry.to_plain()}) for entry in found
    ]
    return ActivityPage(entries=rows)


@query("activity.export")
def export_activity(params: ActivityExportParams, call: Call) -> ExportedActivity:
    """Return the audit log entries that match the filters as a JSON or CSV file, newest first.

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
    """Format audit log entries as a JSON array, one entry per line, without likely secrets."""
    lines = ",\n".join(_to_redacted_json(entry.to_plain()) for entry in entries)
    return f"[\n{lines}\n]\n" if lines else "[]\n"


def format_csv(entries: list[AuditEntry]) -> str:
    """Format audit log entries as CSV, with all cells escaped so that a spreadsheet executes no formulas."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(STORED_AUDIT_FIELDS)
    for entry in entries:
        plain = entry.to_plain()
        arguments = json.dumps(plain["arguments"], ensure_ascii=False)
        writer.writerow(map(format_csv_cell, {**plain, "arguments": arguments}.values()))
    return text.getvalue()


def format_csv_cell(item: object) -> str:
    """Format a value as a CSV cell that a spreadsheet cannot interpret as a formula."""
    text = "" if item is None else redact_secrets(str(item)).replace("\0", "")
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA_PREFIXES) else text


def _to_redacted_json(plain: AuditEntryData) -> str:
    return redact_secrets(json.dumps(plain, ensure_ascii=False))


def _count_fitting_entries(entries: list[AuditEntry]) -> int:
    """Return how many of the newest entries fit into one exported file.

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
        caller=params.caller,
        tool=params.tool,
        outcome=params.outcome,
        tier=params.tier,
        since=None if params.since is None else params.since.timestamp(),
    )
    return list_latest_audit_entries(
        call.services.config.database(), limit, before_id, params.search, entry_filter
    )
