"""Generates the tables of fields on the pages of the reference from the JSON schema of a model."""

import json
from collections.abc import Iterable
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value

REFERENCE_LINK_BY_TYPE = {
    "Trigger": "[trigger](triggers.md)",
    "Action": "[action](actions.md)",
    "Condition": "[condition](conditions.md)",
    "AnyCurve": "[curve](curves.md)",
    "Matcher": "[matcher](matchers.md)",
    "FromControl": '[`{ from = "value" }`](curves.md#values-from-a-control)',
    "Mapping": "[mapping](config.md#mapping)",
    "Mode": "[mode](config.md#mode)",
    "Profile": "[profile](config.md#profile)",
    "ProfileMatch": "[match](config.md#profilematch)",
    "DeviceIdentity": "[device](config.md#deviceidentity)",
    "Settings": "[settings](settings.md)",
    "LlmSettings": "[settings](settings.md#llm)",
    "KnowledgeSettings": "[settings](settings.md#knowledge)",
    "SkillsSettings": "[settings](settings.md#skills)",
    "EngineSettings": "[settings](settings.md#settingsengine)",
    "UiSettings": "[settings](settings.md#settingsui)",
    "LearnSettings": "[settings](settings.md#settingslearn)",
    "VoiceSettings": "[settings](settings.md#settingsvoice)",
    "LlmMcp": "[settings](settings.md#llmmcp)",
    "LlmA2a": "[settings](settings.md#llma2a)",
}
NAME_BY_JSON_TYPE = {"string": "text", "boolean": "true or false", "object": "table", "null": ""}


def render_field_table(model: type[Value], leave_out: Iterable[str] = ()) -> list[str]:
    """Return a Markdown table of the fields of a model, or an empty list if it has no fields."""
    schema = model.model_json_schema()
    definitions: JsonObject = schema.get("$defs", {})
    model_schema = schema if "properties" in schema else definitions[model.__name__]
    hidden = {"type", *leave_out}
    rows = [
        _render_row(name, field, name in model_schema.get("required", ()), definitions)
        for name, field in model_schema["properties"].items()
        if name not in hidden
    ]
    if not rows:
        return []
    return ["\n".join(["| field | type | default | meaning |", "|---|---|---|---|", *rows])]


def _render_row(name: str, field: JsonObject, required: bool, definitions: JsonObject) -> str:  # noqa: FBT001
    meaning = field.get("description") or _find_type_docstring(field, definitions)
    default = "required" if required else format_default(field.get("default"))
    cells = (f"`{name}`", describe_type(field), default, meaning)
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def _find_type_docstring(field: JsonObject, definitions: JsonObject) -> str:
    """Return the docstring of a field's type, which describes a field that has no description of its own."""
    name = field.get("$ref", "").removeprefix("#/$defs/")
    return str(definitions.get(name, {}).get("description", ""))


def format_default(default: Any) -> str:
    """Return a default value as TOML, or a dash if it is a list, a table or missing."""
    if default is None or default in ([], {}) or isinstance(default, dict | list):
        return "-"
    return f"`{json.dumps(default, ensure_ascii=False)}`"


def describe_type(field: JsonObject) -> str:
    """Return the type of a field in words, such as `whole number 0-127` or `list of text`."""
    if "$ref" in field:
        name = field["$ref"].removeprefix("#/$defs/")
        return REFERENCE_LINK_BY_TYPE.get(name, "table")
    if "anyOf" in field:
        texts = dict.fromkeys(describe_type(option) for option in field["anyOf"])
        return " or ".join(text for text in texts if text)
    if "enum" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    kind = field.get("type")
    if kind in ("integer", "number"):
        return _describe_number(field)
    if kind == "array":
        return f"list of {describe_type(field['items'])}"
    if kind == "object" and isinstance(field.get("additionalProperties"), dict):
        return "tables by name"
    return NAME_BY_JSON_TYPE.get(str(kind), "anything")


def _describe_number(field: JsonObject) -> str:
    word = "whole number" if field["type"] == "integer" else "number"
    low = field.get("minimum", field.get("exclusiveMinimum"))
    high = field.get("maximum", field.get("exclusiveMaximum"))
    if low is None and high is None:
        return word
    if low == high:
        return f"{low}"
    if high is None:
        return f"{word} from {low:g}"
    start = f"over {low:g} up to" if "exclusiveMinimum" in field else f"{low} to"
    end = f"under {high:g}" if "exclusiveMaximum" in field else f"{high}"
    return f"{word} {start} {end}"
