"""Shortens the JSON schemas of tools, and defines types with a short schema."""

from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import WithJsonSchema

from conductor.base.json_types import JsonObject
from conductor.domain.actions import ACTION_KINDS, TopAction
from conductor.domain.devices import Matcher
from conductor.domain.triggers import TRIGGER_KINDS, Trigger
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.options import GESTURE_OPTIONS
from conductor.domain.value import Value

MAX_OPTIONS = 8
_COMMON = frozenset((*TriggerBase.model_fields, *GESTURE_OPTIONS))
"""Fields that are described once for all kinds, or (options of gestures) only in the guide."""


def compact_schema(schema: JsonObject) -> JsonObject:
    """Remove titles, `null` alternatives and null defaults from a schema, at any depth."""
    return _compact_item(schema, names=False)


def _compact_item(item: Any, *, names: bool) -> Any:
    if isinstance(item, list):
        return [_compact_item(each, names=False) for each in item]
    if not isinstance(item, dict):
        return item
    if names:
        return {name: _compact_item(each, names=False) for name, each in item.items()}
    item = {key: each for key, each in item.items() if key != "title" or isinstance(each, dict)}
    return {
        key: _compact_item(each, names=key in ("properties", "$defs")) for key, each in item.items()
    }


def compact_inputs(schema: JsonObject) -> JsonObject:
    """Remove `null` alternatives and null defaults from the optional fields of a schema."""
    properties: JsonObject = schema.get("properties", {})
    for name, field in properties.items():
        kinds = [kind for kind in field.pop("anyOf", ()) if kind != {"type": "null"}]
        if len(kinds) == 1:
            properties[name] = {**kinds[0], **field}
        elif kinds:
            field["anyOf"] = kinds
        if properties[name].get("default", "") is None:
            del properties[name]["default"]
    return schema


def _describe_fields(kind: type[Value], leave_out: frozenset[str]) -> str:
    names: list[str] = []
    for name, field in kind.model_fields.items():
        if name != "type" and name not in leave_out:
            options = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            shown = f":{'|'.join(options)}" if options and len(options) < MAX_OPTIONS else ""
            names.append(f"{field.alias or name}{'' if field.is_required() else '?'}{shown}")
    tag: str = kind.model_fields["type"].default
    return f"{tag}{{{','.join(names)}}}" if names else tag


FULL = "conductor_create_mapping"
"""The tool whose schema lists all kinds. It is always sent together with those that refer to it."""
TRIGGER_FIELDS = " ".join(_describe_fields(kind, _COMMON) for kind in TRIGGER_KINDS.values())
ACTION_FIELDS = " ".join(_describe_fields(kind, frozenset()) for kind in ACTION_KINDS.values())


def _describe_object(description: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "object", "description": description})


FullTrigger = Annotated[
    Trigger,
    _describe_object(
        f"One of: {TRIGGER_FIELDS}. All also take device?,channel?(1-16),when?. ?: optional. Defaults,"
        " when, from, keys: conductor_describe_types"
    ),
]
FullAction = Annotated[TopAction, _describe_object(f"One of: {ACTION_FIELDS}")]
ShortTrigger = Annotated[Trigger, _describe_object(f"As in {FULL}")]
ShortAction = Annotated[TopAction, _describe_object(f"As in {FULL}")]
Matchers = Annotated[
    tuple[Matcher, ...],
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "object"},
            "description": "Any fits: ExactName|NameContains|NameRegex {type,pattern}, "
            "UsbIdentifier {type,vendor_id,product_id}, CoreMidiUniqueId {type,unique_id}",
        }
    ),
]
