"""Defines the base of all records that are saved, sent or shown, and the wording of validation errors."""

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from conductor.base.field_docs import find_field_doc
from conductor.base.json_types import JsonObject


class Value(BaseModel):
    """An immutable record, which rejects unknown keys and is serialized with the aliases of its fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the JSON schema of the record, with `type` as a required field and the docstrings
        of fields as descriptions.

        Models leave out fields that have a default, so `type` must be required.
        """
        schema = handler(core_schema)
        target = handler.resolve_ref_schema(schema)
        properties: dict[str, JsonSchemaValue] = target.get("properties", {})
        if "type" in properties:
            required: list[str] = target.setdefault("required", [])
            if "type" not in required:
                required.insert(0, "type")
        for name, field in cls.model_fields.items():
            part = properties.get(field.alias or name, properties.get(name))
            if part is not None and field.description is None:
                _add_description(part, find_field_doc(cls, name), handler)
        return schema

    def to_plain(self) -> JsonObject:
        """Return the record in the form of a config file: with its tag and aliases, without default values."""
        fields = self.__dict__
        return {
            written: convert_to_plain(fields[name])
            for name, written, default in _list_serialized_fields(type(self))
            if name == "type" or not _equals_default(fields[name], default)
        }


def _add_description(part: JsonSchemaValue, doc: str | None, handler: GetJsonSchemaHandler) -> None:
    """Add the docstring of a field to its schema, unless the schema refers to a class
    with the same docstring.
    """
    try:
        is_repeated = "$ref" in part and handler.resolve_ref_schema(part).get("description") == doc
    except LookupError:  # the schema of a class that contains itself is not ready yet
        is_repeated = False
    if doc and not is_repeated:
        part["description"] = doc


@cache
def _list_serialized_fields(kind: type[Value]) -> tuple[tuple[str, str, Any], ...]:
    """Return the name, the alias and the default of each field of a record class; the
    field `type` comes first.
    """
    fields = kind.model_fields
    tag_first = sorted(fields, key=lambda name: name != "type")
    return tuple((name, fields[name].alias or name, fields[name].default) for name in tag_first)


def _equals_default(item: Any, default: Any) -> bool:
    """Return whether a value equals its default, with 1 and true as different values."""
    return item is default or (
        item == default and isinstance(item, bool) == isinstance(default, bool)
    )


_SCALAR_TYPES = frozenset((str, int, float, bool, type(None)))


def convert_to_plain(item: Any) -> Any:
    """Return a value as plain dicts, lists and scalars, in the form of a config file."""
    # a fast path, because most values are scalars and `isinstance` is slow for pydantic classes
    if type(item) in _SCALAR_TYPES:
        return item
    if isinstance(item, tuple | list):
        return [convert_to_plain(each) for each in item]
    if isinstance(item, dict):
        return {key: convert_to_plain(each) for key, each in item.items()}
    return item.to_plain() if isinstance(item, Value) else item


def reword_message(message: str) -> str:
    """Return a message of pydantic in the wording of Conductor: without its prefix, and with "must
    be" for "Input should be".
    """
    for prefix in ("Value error, ", "Assertion failed, "):
        message = message.removeprefix(prefix)
    return message.replace("Input should be", "must be")
