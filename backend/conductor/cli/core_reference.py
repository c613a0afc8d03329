"""The core reference (L1): its written text, with the kinds and their fields put in from the schemas.

A block stands between `<!-- begin NAME -->` and `<!-- end -->`; `conductor generate` writes what is in it.
"""

import re
from collections.abc import Mapping
from typing import Any, get_args, get_origin

from conductor.cli.reference import kinds_of, sentence
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
    """Return the reference with every block as the code has it now.

    Raises:
        ConfigError: a block has a name that nothing is known for.
    """
    return BLOCK.sub(lambda found: found[1] + _block(found[2]), text)


def _block(name: str) -> str:
    kinds: dict[str, Mapping[str, type[Value]]] = {
        "triggers": TRIGGER_KINDS,
        "actions": ACTION_KINDS,
        "conditions": kinds_of(Condition),
        "curves": kinds_of(AnyCurve),
    }
    if name not in kinds:
        known = ", ".join(kinds)
        raise ConfigError(f"core-reference.md: there is no block `{name}`; there are {known}")
    # the options of gestures are in the guide: half of a small window has no room for them
    common = {*TriggerBase.model_fields, *GESTURE_OPTIONS}
    leave_out = common if name == "triggers" else set[str]()
    return "".join(f"{_line(tag, kind, leave_out)}\n" for tag, kind in kinds[name].items())


def _line(tag: str, kind: type[Value], leave_out: set[str]) -> str:
    schema = kind.model_json_schema(by_alias=True)
    own = schema if "properties" in schema else schema["$defs"][kind.__name__]
    fields = [
        f"{field.alias or name}{_range(own['properties'][field.alias or name])}{_default(field)}"
        for name, field in kind.model_fields.items()
        if name != "type" and name not in leave_out
    ]
    shown = f" {{{', '.join(fields)}}}" if fields else ""
    return f"- `{tag}`{shown}: {sentence(kind)}"


def _default(field: Any) -> str:
    """Say that a field may be left out, and what it is then."""
    if field.is_required():
        return ""
    default = field.default
    is_literal = get_origin(field.annotation) is not None and default in get_args(field.annotation)
    plain = isinstance(default, int | float) or is_literal
    return f"={str(default).lower()}" if plain and default is not None else "?"


def _range(schema: dict[str, Any]) -> str:
    """Return what values a field takes, where they are few or a range."""
    options = schema.get("enum")
    if options is not None and len(options) <= 6:
        return f"({'|'.join(str(option) for option in options)})"
    for one in (schema, *schema.get("anyOf", ())):
        low, high = one.get("minimum"), one.get("maximum")
        if low is not None and high is not None and high not in (127, 16_383) and high < 32_767:
            return f"({low:g}-{high:g})"
    return ""
