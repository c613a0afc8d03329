"""Writes the explanation of an event in the words of the window, for the user and for agents."""

from collections.abc import Iterator

from conductor.domain.config import Config, Mapping
from conductor.domain.control_names import ControlNames, format_device_name
from conductor.domain.events import CONTROL_CLASS, PRESS_EVENT_KINDS
from conductor.domain.explanation import Explanation
from conductor.domain.mapping_names import (
    format_mapping_key,
    format_mapping_name,
    format_place_name,
    format_row_name,
)
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE
from conductor.domain.phrases import describe_event_row
from conductor.domain.row_phrases import format_mapping_phrase
from conductor.domain.wire_rows import CandidateRow, EventRow, TraceRow

_INTERNAL_KINDS = ("timer", "completed")
"""The kinds of events that come from Conductor itself, because of an earlier event or a command."""


def find_gesture_start(trace: TraceRow, explanation: Explanation) -> int | None:
    """Return the number of the event that led to an expired time limit or a completed action.

    Return None if the trace is of another kind of event, or of a command.
    """
    first = explanation.timeline[0].sequence if explanation.timeline else trace["sequence"]
    is_internal = trace["event"]["kind"] in _INTERNAL_KINDS
    return first if is_internal and first != trace["sequence"] else None


def format_explained_event(
    trace: TraceRow,
    explanation: Explanation,
    first_event: EventRow | None,
    config: Config,
    names: ControlNames,
) -> str:
    """Return an explanation as Markdown: a line about the event, and a list of what it did and why.

    `first_event` is the event that led to the trace, if it is of an expired time limit or completed action.
    """
    profile = f" with profile {trace['profile']}" if trace["profile"] else ""
    source = _describe_source(trace, explanation, first_event)
    lines = [f"{source} in mode {trace['mode']}{profile}:"]
    lines += [f"- {line}" for line in _list_findings(explanation)]
    text = _name_mappings("\n".join(lines), config, names)
    for candidate in trace["candidates"]:
        # A mapping that was changed since is not in the config as the engine names it.
        text = text.replace(f"`{format_row_name(candidate)}`", _format_phrase(candidate, names))
    return text


def _describe_source(
    trace: TraceRow, explanation: Explanation, first_event: EventRow | None
) -> str:
    event = first_event or trace["event"]
    if event["kind"] not in CONTROL_CLASS:
        return "Conductor"
    device = f" on {format_device_name(event['device'])}" if event["device"] else ""
    words = f"{describe_event_row(event)}{device}"
    if first_event is None:
        return words
    after = "after the press" if event["kind"] in PRESS_EVENT_KINDS else "later"
    times = (one.time_ms for one in explanation.timeline if one.sequence == trace["sequence"])
    return f"{words}, {next(times, 0):.0f} ms {after},"


def _list_findings(explanation: Explanation) -> Iterator[str]:
    verdict = explanation.verdict
    yield f"{verdict[:1].upper()}{verdict[1:]}"
    if explanation.outcome not in ("not_fired", "unmapped"):
        for reason in explanation.reasons:
            yield f"`{reason.name}` did not fire: {reason.text}"
    if explanation.what_would_change:
        yield f"To change that: {explanation.what_would_change}"


def _name_mappings(text: str, config: Config, names: ControlNames) -> str:
    """Replace the names that the engine gives to mappings by their phrases in the window."""
    for scope, index, mapping in config.list_all_mappings():
        if format_place_name(scope, index) in text:
            name = format_mapping_name(scope, index, mapping)
            text = text.replace(f"`{name}`", f"`{format_mapping_phrase(mapping, names)}`")
    return text


def _format_phrase(candidate: CandidateRow, names: ControlNames) -> str:
    if candidate["scope"] == PERFORMED_ONCE_SCOPE:
        return f"`{format_row_name(candidate)}`"
    key = format_mapping_key(candidate["scope"], candidate["index"])
    parts = {part: candidate[part] for part in ("trigger", "action")}
    name = "" if candidate["mapping"] == key else candidate["mapping"]
    mapping = Mapping.model_validate({**parts, "description": name})
    return f"`{format_mapping_phrase(mapping, names)}`"
