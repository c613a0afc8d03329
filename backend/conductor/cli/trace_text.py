"""Formats a trace for the terminal.

The module imports no models, so that the commands which use it start quickly.
"""

from conductor.domain.mapping_names import format_row_name
from conductor.domain.phrases import describe_action, describe_event_row, describe_resolved_action
from conductor.domain.wire_rows import TraceRow

MARK_BY_OUTCOME = {"fired": "->", "waiting": "..", "shadowed": "x ", "no": "- "}


def format_trace(trace: TraceRow, at_s: float) -> list[str]:
    """Return the lines of a trace: the event, then the outcome and the reason of each candidate mapping."""
    event = trace["event"]
    words = describe_event_row(event) if event["kind"] != "timer" else "time passes"
    lines = [f"{at_s * 1000:9.0f} ms  {words}"]
    for candidate in trace["candidates"]:
        action = describe_action(candidate["action"]) if candidate["outcome"] == "fired" else ""
        prefix = (
            f"{'':>14}{MARK_BY_OUTCOME[candidate['outcome']]} {action + '  ' if action else ''}"
        )
        lines.append(f"{prefix}{format_row_name(candidate)}: {candidate['reason']}")
    if trace["note"]:
        lines.append(f"{'':>14}   {trace['note']}")
    lines += [
        f"{'':>14}   {effect['kind']} {describe_resolved_action(effect['action'])}"
        for effect in trace["effects"]
    ]
    return lines
