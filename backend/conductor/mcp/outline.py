"""A result's JSON schema, cut down to what a reader of a manifest needs: its own fields and their types.

Whole, the schema of a plan alone has 6 kB, and twenty tools give a plan.
"""

from typing import Any

Schema = dict[str, Any]
KEPT = ("type", "enum", "const", "description", "anyOf")


def outline(schema: Schema) -> Schema:
    """Give a schema that all valid results still fit: the fields of the outermost object, and no deeper."""
    inner: dict[str, Schema] = schema.get("$defs", {})
    fields: dict[str, Schema] = schema.get("properties", {})
    outer = {key: schema[key] for key in ("type", "required", "description") if key in schema}
    if fields:
        outer["properties"] = {name: _field(field, inner) for name, field in fields.items()}
    return {"type": "object", **outer}


def _field(field: Schema, inner: dict[str, Schema]) -> Schema:
    target = str(field.get("$ref", "")).rpartition("/")[2]
    if target:
        field = {**inner[target], **field}
    kept = {key: field[key] for key in KEPT if key in field}
    if "anyOf" in kept:
        kept["anyOf"] = [_field(kind, inner) for kind in kept["anyOf"]]
    return kept
