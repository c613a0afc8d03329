"""Prepares the engine's traces for the page."""

from conductor.base.json_types import JsonObject
from conductor.domain.phrases import describe_action, describe_event
from conductor.domain.wire_rows import TraceRow, event_from_plain


def describe_trace(trace: TraceRow) -> JsonObject:
    """Return a trace with descriptions of its event and its effects."""
    effects = [
        {**effect, "words": describe_action(effect["action"])} for effect in trace["effects"]
    ]
    text = describe_event(event_from_plain(trace["event"]))
    return {**trace, "effects": effects, "text": text, "count": 1}
