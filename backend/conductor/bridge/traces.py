"""Adds descriptions for people to the engine's traces."""

from conductor.base.json_types import JsonObject
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.phrases import describe_action, describe_event_row
from conductor.domain.wire_rows import TraceRow


def describe_trace(trace: TraceRow, names: ControlNames = NO_CONTROL_NAMES) -> JsonObject:
    """Return a copy of a trace with descriptions of its event and its effects."""
    effects = [
        {**effect, "words": describe_action(effect["action"])} for effect in trace["effects"]
    ]
    event = names.add_name_to_event(trace["event"])
    return {
        **trace,
        "event": event,
        "effects": effects,
        "text": describe_event_row(event),
        "count": 1,
    }
