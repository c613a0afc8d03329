"""Shortens the JSON schemas of tools, and defines types whose schemas are short."""

from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import WithJsonSchema

from conductor.base.json_types import JsonObject
from conductor.domain.actions import ACTION_KINDS, TopLevelAction
from conductor.domain.devices import Matcher
from conductor.domain.triggers import TRIGGER_KINDS, Trigger
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.options import GESTURE_OPTIONS
from conductor.domain.value import Value

MAX_LISTED_OPTIONS = 7
"""A field lists its options up to this number. `conductor_describe_types` lists all of them."""
_COMMON_TRIGGER_FIELDS = frozenset((*TriggerBase.model_fields, *GESTURE_OPTIONS))
"""Fields that are described once for all triggers, and options of gestures, which only the guide describes."""


def compact_schema(schema: JsonObject) -> JsonObject:
    """Return a copy of a schema without titles, at any depth. A model does not need them."""
    return _compact_schema_item(schema, is_name_map=False)


def _compact_schema_item(item: Any, *, is_name_map: bool) -> Any:
    if isinstance(item, list):
        return [_compact_schema_item(element, is_name_map=False) for element in item]
    if not isinstance(item, dict):
        return item
    if is_name_map:
        return {
            name: _compact_schema_item(field, is_name_map=False) for name, field in item.items()
        }
    return {
        key: _compact_schema_item(value, is_name_map=key in ("properties", "$defs"))
        for key, value in item.items()
        if key != "title" or isinstance(value, dict)
    }


def compact_optional_fields(schema: JsonObject) -> JsonObject:
    """Remove the alternative `null` and the default null from the optional fields of a schema."""
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


def _describe_fields(kind: type[Value], excluded: frozenset[str]) -> str:
    names: list[str] = []
    for name, field in kind.model_fields.items():
        if name != "type" and name not in excluded:
            options = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            shown = f":{'|'.join(options)}" if 0 < len(options) <= MAX_LISTED_OPTIONS else ""
            names.append(f"{field.alias or name}{'' if field.is_required() else '?'}{shown}")
    tag: str = kind.model_fields["type"].default
    return f"{tag}{{{','.join(names)}}}" if names else tag


FULL_SCHEMA_TOOL = "conductor_create_mapping"
"""The tool whose schema lists all kinds. It is always offered together with the tools that refer to it."""
TRIGGER_FIELDS_TEXT = " ".join(
    _describe_fields(kind, _COMMON_TRIGGER_FIELDS) for kind in TRIGGER_KINDS.values()
)
ACTION_FIELDS_TEXT = " ".join(_describe_fields(kind, frozenset()) for kind in ACTION_KINDS.values())


def _describe_object(description: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "object", "description": description})


FullTrigger = Annotated[
    Trigger,
    _describe_object(
        f"One of: {TRIGGER_FIELDS_TEXT}. All also take device?,channel?(1-16),when?. ?: optional. Defaults,"
        " when, from, keys: conductor_describe_types"
    ),
]
FullAction = Annotated[TopLevelAction, _describe_object(f"One of: {ACTION_FIELDS_TEXT}")]
ShortTrigger = Annotated[Trigger, _describe_object(f"As in {FULL_SCHEMA_TOOL}")]
ShortAction = Annotated[TopLevelAction, _describe_object(f"As in {FULL_SCHEMA_TOOL}")]
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
