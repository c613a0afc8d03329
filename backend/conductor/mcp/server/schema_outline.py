"""A result's JSON schema, cut down to what a reader of a manifest needs: its own fields and their types.

Whole, the schema of a plan alone has 6 kB, and twenty tools give a plan: its fields are listed once, by the
tool that reads a plan, and the others name that tool.
"""

from typing import Any

Schema = dict[str, Any]
KEPT = ("type", "enum", "const", "description", "anyOf")
READS_A_PLAN = "conductor_get_plan"
SHOWN_OF_A_PLAN = ("plan_id", "status")
ONLY_OF_A_PLAN = "diff_preview"


def outline(schema: Schema) -> Schema:
    """Return a schema that all valid results still fit: the fields of the outermost object, and no deeper."""
    inner: dict[str, Schema] = schema.get("$defs", {})
    fields: dict[str, Schema] = schema.get("properties", {})
    outer = {key: schema[key] for key in ("type", "required", "description") if key in schema}
    if fields:
        outer["properties"] = {name: _field(field, inner) for name, field in fields.items()}
    return {"type": "object", **outer}


def listed_outline(name: str, schema: Schema) -> Schema:
    """Return the outline that a listing shows for a tool of this name: of a plan in full only once."""
    whole = outline(schema)
    if name == READS_A_PLAN or ONLY_OF_A_PLAN not in whole.get("properties", {}):
        return whole
    fields = {field: whole["properties"][field] for field in SHOWN_OF_A_PLAN}
    told = f"A plan; {READS_A_PLAN} lists all of its fields."
    return {
        "type": "object",
        "description": told,
        "properties": fields,
        "required": [*SHOWN_OF_A_PLAN],
    }


def _field(field: Schema, inner: dict[str, Schema]) -> Schema:
    target = str(field.get("$ref", "")).rpartition("/")[2]
    if target:
        field = {**inner[target], **field}
    kept = {key: field[key] for key in KEPT if key in field}
    if "anyOf" in kept:
        kept["anyOf"] = [_field(kind, inner) for kind in kept["anyOf"]]
    return kept
