"""Shortens the JSON schemas of tool results in `tools/list` to their top-level fields and types.

The complete schema of a plan takes 6 kB, and twenty tools return a plan. Therefore only the tool that reads
a plan lists the fields of a plan, and the other tools refer to that tool.
"""

from conductor.base.json_types import JsonObject

KEPT_SCHEMA_KEYWORDS = ("type", "enum", "const", "description", "anyOf")
PLAN_READER_TOOL = "conductor_get_plan"
KEPT_PLAN_FIELDS = ("plan_id", "status")
PLAN_MARKER_FIELD = "diff_preview"
"""The field by which the schema of a plan is recognised, because only plans have it."""


def outline_schema(schema: JsonObject) -> JsonObject:
    """Return a shorter schema with only the fields of the outermost object.

    It accepts every result that the complete schema accepts.
    """
    inner: dict[str, JsonObject] = schema.get("$defs", {})
    fields: dict[str, JsonObject] = schema.get("properties", {})
    outer = {key: schema[key] for key in ("type", "required", "description") if key in schema}
    if fields:
        outer["properties"] = {name: _outline_field(field, inner) for name, field in fields.items()}
    return {"type": "object", **outer}


def outline_tool_schema(name: str, schema: JsonObject) -> JsonObject:
    """Return the shortened result schema of a tool, in which a plan is reduced to its id and its status.

    Only the tool that reads a plan keeps all fields of the plan.
    """
    outline = outline_schema(schema)
    if name == PLAN_READER_TOOL or PLAN_MARKER_FIELD not in outline.get("properties", {}):
        return outline
    fields = {field: outline["properties"][field] for field in KEPT_PLAN_FIELDS}
    return {
        "type": "object",
        "description": f"A plan; {PLAN_READER_TOOL} lists all of its fields.",
        "properties": fields,
        "required": [*KEPT_PLAN_FIELDS],
    }


def _outline_field(field: JsonObject, inner: dict[str, JsonObject]) -> JsonObject:
    target = str(field.get("$ref", "")).rpartition("/")[2]
    if target:
        field = {**inner[target], **field}
    outlined = {key: field[key] for key in KEPT_SCHEMA_KEYWORDS if key in field}
    if "anyOf" in outlined:
        outlined["anyOf"] = [_outline_field(option, inner) for option in outlined["anyOf"]]
    return outlined
