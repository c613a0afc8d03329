"""The base of everything that is saved, sent or shown."""

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from conductor.base import field_docs


class Value(BaseModel):
    """A frozen record that refuses unknown keys and spells its fields one way."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        use_attribute_docstrings=field_docs.are_read,
        json_schema_serialization_defaults_required=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Mark the tag as required: with a default, models may leave it out of a tool call."""
        schema = handler(core_schema)
        target = handler.resolve_ref_schema(schema)
        if "type" in target.get("properties", {}):
            required: list[str] = target.setdefault("required", [])
            if "type" not in required:
                required.insert(0, "type")
        return schema

    def to_plain(self) -> dict[str, Any]:
        """Return the record as written in a config: aliases used, defaults left out, tag kept."""
        fields = self.__dict__
        return {
            written: plain(fields[name])
            for name, written, default in _layout(type(self))
            if name == "type" or not _is_same(fields[name], default)
        }


@cache
def _layout(kind: type[Value]) -> tuple[tuple[str, str, Any], ...]:
    """Return the name, the spelling and the default of each field, the tag first."""
    fields = kind.model_fields
    tag_first = sorted(fields, key=lambda name: name != "type")
    return tuple((name, fields[name].alias or name, fields[name].default) for name in tag_first)


def _is_same(item: Any, default: Any) -> bool:
    """Check whether a value is the default; 1 is not true, which Python holds to be equal."""
    return item is default or (
        item == default and isinstance(item, bool) == isinstance(default, bool)
    )


_AS_WRITTEN = frozenset((str, int, float, bool, type(None)))


def plain(item: Any) -> Any:
    """Return a value as plain dicts, lists and scalars, the way a config file spells it."""
    # most values are scalars, and for a pydantic class `isinstance` is slow
    if type(item) in _AS_WRITTEN:
        return item
    if isinstance(item, tuple | list):
        return [plain(each) for each in item]
    if isinstance(item, dict):
        return {key: plain(each) for key, each in item.items()}
    return item.to_plain() if isinstance(item, Value) else item
