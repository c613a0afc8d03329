"""Generates the blocks of the core reference that list the kinds of triggers, actions, conditions and curves.

A block is the text between `<!-- begin NAME -->` and `<!-- end -->`.
"""

import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from conductor.base.json_types import JsonObject
from conductor.cli.reference import map_classes_by_tag, read_docstring
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.conditions import Condition
from conductor.domain.curves import AnyCurve
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.options import GESTURE_OPTIONS
from conductor.domain.value import Value
from conductor.errors import ConfigError

RARE_FIELDS = {"encoding", "in_min", "in_max", "timeout_s", "rate_per_s"}
"""Fields with a default that nearly always fits."""
GENERATED_BLOCK_PATTERN = re.compile(r"(<!-- begin (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def fill_core_reference(text: str) -> str:
    """Return the text of the core reference with all blocks generated from the current code.

    Raises:
        ConfigError: A block has an unknown name.
    """
    return GENERATED_BLOCK_PATTERN.sub(lambda found: found[1] + _render_block(found[2]), text)


def _render_block(name: str) -> str:
    kinds: dict[str, Mapping[str, type[Value]]] = {
        "triggers": TRIGGER_KINDS,
        "actions": ACTION_KINDS,
        "conditions": map_classes_by_tag(Condition),
        "curves": map_classes_by_tag(AnyCurve),
    }
    if name not in kinds:
        known = ", ".join(kinds)
        raise ConfigError(f"core-reference.md: unknown block `{name}`; use one of {known}")
    # The guide explains the options of gestures. With them, the reference would fill more than half
    # of a small context window.
    trigger_fields = {*TriggerBase.model_fields, *GESTURE_OPTIONS}
    omitted_fields = trigger_fields if name == "triggers" else set[str]()
    return "".join(
        f"{_render_kind(tag, kind, omitted_fields)}\n" for tag, kind in kinds[name].items()
    )


def _render_kind(tag: str, kind: type[Value], omitted_fields: set[str]) -> str:
    schema = kind.model_json_schema(by_alias=True)
    kind_schema = schema if "properties" in schema else schema["$defs"][kind.__name__]
    properties = kind_schema["properties"]
    fields = [
        f"{field.alias or name}{_format_range(properties[field.alias or name])}{_format_default(field)}"
        for name, field in kind.model_fields.items()
        if name != "type" and name not in omitted_fields
    ]
    shown = f" {{{', '.join(fields)}}}" if fields else ""
    return f"- `{tag}`{shown}: {read_docstring(kind)}"


def _format_default(field: Any) -> str:
    """Return what follows the name of an optional field: `=` with the default, or `?` if the default is
    not shown.
    """
    if field.is_required():
        return ""
    default = field.default
    is_literal = get_origin(field.annotation) is not None and default in get_args(field.annotation)
    is_shown = isinstance(default, int | float) or is_literal
    return f"={str(default).lower()}" if is_shown and default is not None else "?"


def _format_range(schema: JsonObject) -> str:
    """Return the allowed values of a field, such as `(a|b)` or `(1-16)`.

    Return an empty string for more than 6 values, and for the full range of a MIDI value.
    """
    options = schema.get("enum")
    if options is not None and len(options) <= 6:
        return f"({'|'.join(str(option) for option in options)})"
    for option in (schema, *schema.get("anyOf", ())):
        low, high = option.get("minimum"), option.get("maximum")
        if low is not None and high is not None and high not in (16, 127, 16_383) and high <= 100:
            return f"({low:g}-{high:g})"
    return ""
