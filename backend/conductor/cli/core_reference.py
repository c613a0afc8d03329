"""Generates the blocks of the core reference (L1) that list the kinds and fields of the schemas.

A block is the text between `<!-- begin NAME -->` and `<!-- end -->`; `conductor generate` writes it.
"""

import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from conductor.base.json_types import JsonObject
from conductor.cli.reference import map_kinds, read_docstring
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.conditions import Condition
from conductor.domain.curves import AnyCurve
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.options import GESTURE_OPTIONS
from conductor.domain.value import Value
from conductor.errors import ConfigError

BLOCK = re.compile(r"(<!-- begin (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def fill_reference(text: str) -> str:
    """Return the reference with the content of every block generated from the current code.

    Raises:
        ConfigError: a block has an unknown name.
    """
    return BLOCK.sub(lambda found: found[1] + _render_block(found[2]), text)


def _render_block(name: str) -> str:
    kinds: dict[str, Mapping[str, type[Value]]] = {
        "triggers": TRIGGER_KINDS,
        "actions": ACTION_KINDS,
        "conditions": map_kinds(Condition),
        "curves": map_kinds(AnyCurve),
    }
    if name not in kinds:
        known = ", ".join(kinds)
        raise ConfigError(f"core-reference.md: unknown block `{name}`; use one of {known}")
    # The options of gestures are left to the guide: with them the reference would not fit into half of
    # a small context window.
    common = {*TriggerBase.model_fields, *GESTURE_OPTIONS}
    leave_out = common if name == "triggers" else set[str]()
    return "".join(f"{_render_kind(tag, kind, leave_out)}\n" for tag, kind in kinds[name].items())


def _render_kind(tag: str, kind: type[Value], leave_out: set[str]) -> str:
    schema = kind.model_json_schema(by_alias=True)
    own = schema if "properties" in schema else schema["$defs"][kind.__name__]
    fields = [
        f"{field.alias or name}{_format_range(own['properties'][field.alias or name])}{_format_default(field)}"
        for name, field in kind.model_fields.items()
        if name != "type" and name not in leave_out
    ]
    shown = f" {{{', '.join(fields)}}}" if fields else ""
    return f"- `{tag}`{shown}: {read_docstring(kind)}"


def _format_default(field: Any) -> str:
    """Format the suffix of an optional field: `=default`, or `?` for a default that is not shown."""
    if field.is_required():
        return ""
    default = field.default
    is_literal = get_origin(field.annotation) is not None and default in get_args(field.annotation)
    plain = isinstance(default, int | float) or is_literal
    return f"={str(default).lower()}" if plain and default is not None else "?"


def _format_range(schema: JsonObject) -> str:
    """Format the values that a field allows, such as `(a|b)` or `(1-16)`.

    Long lists and full ranges are left out.
    """
    options = schema.get("enum")
    if options is not None and len(options) <= 6:
        return f"({'|'.join(str(option) for option in options)})"
    for option in (schema, *schema.get("anyOf", ())):
        low, high = option.get("minimum"), option.get("maximum")
        if low is not None and high is not None and high not in (127, 16_383) and high < 32_767:
            return f"({low:g}-{high:g})"
    return ""
