"""Explains to models and agents how to write triggers, actions, conditions and values from a control."""

import json
from collections.abc import Mapping
from typing import Any, get_args

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.conditions import Condition
from conductor.domain.curves import AnyCurve, FromControl
from conductor.domain.keys import BUTTON_NAMES, KEY_NAMES, MODIFIER_KEYS
from conductor.domain.kind_examples import (
    ACTION_EXAMPLES,
    CONDITION_EXAMPLES,
    CURVE_EXAMPLES,
    FROM_CONTROL_EXAMPLE,
    GESTURE_EXAMPLE,
    KIND_EXAMPLES,
    TRIGGER_EXAMPLES,
)
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.options import GESTURE_OPTIONS
from conductor.domain.value import Value
from conductor.errors import InvalidParams


def _group_by_tag(union: Any) -> dict[str, type[Value]]:
    kinds = get_args(get_args(union.__value__)[0])
    return {kind.model_fields["type"].default: kind for kind in kinds}


CONDITION_KIND_BY_TAG, CURVE_KIND_BY_TAG = _group_by_tag(Condition), _group_by_tag(AnyCurve)
KIND_BY_TAG: Mapping[str, type[Value]] = {
    **TRIGGER_KINDS,
    **ACTION_KINDS,
    **CONDITION_KIND_BY_TAG,
    **CURVE_KIND_BY_TAG,
}
_COMMON_TRIGGER_FIELDS = frozenset((*TriggerBase.model_fields, *GESTURE_OPTIONS))
CONDITIONS_EXPLANATION = (
    'when: a list of conditions in a trigger; all must hold: "when":[EXAMPLE]. Types: TYPES. And and Or'
    ' take {"conditions":[..]}, Not takes {"condition":{..}}. Conditional takes one as `condition`.'
)
CONTROL_VALUES_EXPLANATION = (
    "from: a number from the control, wherever an action takes one. {fields} Example: {example}"
)
KEYS_EXPLANATION = (
    'keys: a list pressed together, such as ["cmd","shift","c"]. Any single character, or one of: {names}.'
    " Modifiers: {modifiers}; cmd is Command on macOS and Ctrl elsewhere. Older spellings such as esc and"
    " play_pause also work."
)
GAMEPAD_BUTTONS_EXPLANATION = "Gamepad buttons, by position (south is A or Cross): {names}."
GESTURES_EXPLANATION = (
    "gesture: steps joined by `;`: tap 36 | down 36 vel 90 ch 10 | up 36 | wait 600 | cc 21 64 | turn 21 +3 |"
    " bend 8192 | button south | osc /a 1. A long press: down 36; wait 600; up 36."
)
EXAMPLES_EXPLANATION = (
    "examples: proof of a change, played on the new config: EXAMPLE. The type is that of the mapping's whole"
    " action, such as Sequence or Repeat. `mode` to play in (default: the start mode), foreground `app`,"
    " `clock`: weekday 1-7 from Monday, minute of the day. expect [] means that nothing fires. A value"
    ' from the control is its number: "fields":{"value":127}.'
)


def list_explained_topics() -> dict[str, str]:
    """Return the explanations by topic. The kinds of triggers, actions and conditions are not included."""
    names = sorted(KEY_NAMES - {*MODIFIER_KEYS} - {f"f{number}" for number in range(1, 25)})
    return {
        "triggers": _format_examples(TRIGGER_EXAMPLES),
        "actions": _format_examples(ACTION_EXAMPLES),
        "when": CONDITIONS_EXPLANATION.replace("TYPES", ", ".join(CONDITION_EXAMPLES)).replace(
            "EXAMPLE", _format_json(CONDITION_EXAMPLES["AppFrontmost"])
        ),
        "from": CONTROL_VALUES_EXPLANATION.format(
            fields=_describe_fields(FromControl), example=_format_json(FROM_CONTROL_EXAMPLE)
        ),
        "curves": _format_examples(CURVE_EXAMPLES),
        "keys": KEYS_EXPLANATION.format(
            names=f"{', '.join(names)}, f1-f24", modifiers=", ".join(MODIFIER_KEYS)
        ),
        "buttons": GAMEPAD_BUTTONS_EXPLANATION.format(names=", ".join(BUTTON_NAMES)),
        "gestures": GESTURES_EXPLANATION,
        "examples": EXAMPLES_EXPLANATION.replace("EXAMPLE", _format_json(GESTURE_EXAMPLE)),
    }  # fmt: skip


def describe_topic(topic: str) -> str:
    """Return the explanation of a kind or a topic.

    Raises:
        InvalidParams: There is no such kind or topic. The message suggests a similar one.
    """
    known = list_explained_topics()
    if topic.casefold() in known:
        return known[topic.casefold()]
    kind = KIND_BY_TAG.get(topic) or next(
        (match for tag, match in KIND_BY_TAG.items() if tag.casefold() == topic.casefold()), None
    )
    if kind is None:
        hint = format_suggestion(topic[:60], [*known, *KIND_BY_TAG])
        raise InvalidParams(f"Invalid params: there is no type or topic `{topic[:60]}`{hint}")
    tag: str = kind.model_fields["type"].default
    more = " Also device, channel (1-16), when." if tag in TRIGGER_KINDS else ""
    summary = (kind.__doc__ or "").strip().partition("\n")[0]
    return f"{tag}: {summary} {_describe_fields(kind)}{more} Example: {_format_json(KIND_EXAMPLES[tag])}"


def _describe_fields(kind: type[Value]) -> str:
    schema = kind.model_json_schema(by_alias=True)
    own = schema if "properties" in schema else schema["$defs"][kind.__name__]
    parts = [
        _describe_field(field.alias or name, own["properties"][field.alias or name], field)
        for name, field in kind.model_fields.items()
        if name != "type" and not (issubclass(kind, TriggerBase) and name in _COMMON_TRIGGER_FIELDS)
    ]
    return f"Fields: {'; '.join(parts)}." if parts else "No fields."


def _describe_field(name: str, schema: JsonObject, field: Any) -> str:
    limits = _format_schema_limits(schema)
    default = "" if field.is_required() else _format_field_default(field)
    text = str(schema.get("description", "")).replace("\n", " ").rstrip(".")
    return f"{name}{limits}{default}{f' ({text})' if text else ''}"


def _format_schema_limits(schema: JsonObject) -> str:
    for option in (schema, *schema.get("anyOf", ())):
        if "enum" in option:
            return f" {'|'.join(str(item) for item in option['enum'])}"
        if "minimum" in option and "maximum" in option:
            return f" {option['minimum']}-{option['maximum']}"
    return ""


def _format_field_default(field: Any) -> str:
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Value):
        value = value.to_plain()
    return ", optional" if value in (None, (), {}, "") else f", default {_format_json(value)}"


def _format_examples(examples: JsonObject) -> str:
    return "Types, with an example of each; ask for details by name: " + " ".join(
        _format_json(example) for example in examples.values()
    )


def _format_json(item: Any) -> str:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"))
