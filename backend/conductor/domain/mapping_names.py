"""Formats mapping names for messages, the terminal and the page.

Programs identify a mapping by its scope and its index, counted from 0. People see its description, or else its
trigger in words, and its place, counted from 1 as on the page. The place is included because two mappings may
have the same description.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.performed_once import PERFORMED_ONCE_SCOPE as PERFORMED_ONCE
from conductor.domain.scopes import parse_scope

if TYPE_CHECKING:
    from collections.abc import Mapping as Plain

    from pydantic import TypeAdapter

    from conductor.domain.config import Mapping
    from conductor.domain.triggers import Trigger

ONE_TIME_ACTION_NAME = "an action that was performed once"


def format_mapping_name(
    scope: str, index: int, mapping: "Mapping", names: ControlNames = NO_CONTROL_NAMES
) -> str:
    """Return the name of a mapping with its place, such as `Undo, mapping 2 of mode Default`."""
    if scope == PERFORMED_ONCE:
        return ONE_TIME_ACTION_NAME
    words = mapping.description or format_trigger_name(mapping.trigger, names)
    return f"{words}, {format_place_name(scope, index)}"


def format_trigger_name(trigger: "Trigger", names: ControlNames = NO_CONTROL_NAMES) -> str:
    """Return a trigger with its device as text, such as `Hold 36 (C1) 600 ms on pads`.

    A control with a name keeps its number: `Hold Pad 1 (note 36) 600 ms on pads`.
    """
    # Imported here, because the command line rarely needs it.
    from conductor.domain.row_phrases import format_trigger_phrase

    device = f" on {trigger.device}" if trigger.device else ""
    return f"{format_trigger_phrase(trigger, names, with_numbers=True)}{device}"


def format_place_name(scope: str, index: int) -> str:
    """Return the place of a mapping as text, such as `mapping 2 of mode Default`."""
    kind, owner = parse_scope(scope)
    return f"mapping {index + 1} of {f'{kind} {owner}' if owner else 'all modes'}"


def format_row_name(row: "Plain[str, Any]") -> str:
    """Return the name of a mapping in JSON data, for example in a trace or a failure."""
    if row["scope"] == PERFORMED_ONCE:
        return ONE_TIME_ACTION_NAME
    place = format_place_name(row["scope"], row["index"])
    if row["mapping"] != format_mapping_key(row["scope"], row["index"]):
        return f"{row['mapping']}, {place}"
    trigger = row.get("trigger")
    return place if trigger is None else f"{format_trigger_name(parse_trigger(trigger))}, {place}"


def format_mapping_key(scope: str, index: int) -> str:
    """Return the place of a mapping in the form for programs, such as `mode:Default #1`, counted from 0."""
    return f"{scope} #{index}"


def parse_trigger(plain: Any) -> "Trigger":
    """Return the trigger of a mapping in JSON data."""
    return _build_trigger_adapter().validate_python(plain)


@cache
def _build_trigger_adapter() -> "TypeAdapter[Trigger]":
    from pydantic import TypeAdapter

    from conductor.domain.triggers import Trigger

    return TypeAdapter(Trigger)
