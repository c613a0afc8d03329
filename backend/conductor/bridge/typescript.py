"""Generates the TypeScript types of the page from the JSON schemas of all models that cross the bridge.

A model that is also a parameter may have two types: the page receives a `Trigger` with every field, and
sends a `TriggerInput` in which fields with a default are optional.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from conductor.base.json_types import JsonObject
from conductor.bridge.commands import COMMANDS
from conductor.bridge.topics import TOPIC_MODELS
from conductor.domain.actions import Action
from conductor.domain.conditions import Condition
from conductor.domain.curves import AnyCurve
from conductor.domain.devices import Matcher
from conductor.domain.settings import LlmA2a, LlmMcp, Settings
from conductor.domain.triggers import Trigger
from conductor.tools.catalog import REGISTRY

GENERATED_FILE_HEADER = (
    "// Written by `conductor generate` from the bridge's models. Do not edit.\n"
)
FORM_SCHEMA_MODELS: JsonObject = {
    "Trigger": Trigger,
    "Action": Action,
    "Condition": Condition,
    "Matcher": Matcher,
    "Curve": AnyCurve,
    "Settings": Settings,
    "Mcp": LlmMcp,
    "A2a": LlmA2a,
}
_DEFS_PREFIX = "#/$defs/"
_IDENTIFIER_PATTERN = re.compile(r"[A-Za-z_$][\w$]*")
_SCALAR_TYPES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_SchemaKey = tuple[str, JsonSchemaMode]


def render_types() -> str:
    """Return the content of `generated.ts`."""
    roots, definitions = _build_schemas()
    models = [
        _render_definition(_format_type_name(name), schema)
        for name, schema in sorted(definitions.items())
    ]
    commands = [
        f'\t"{name}": {{ params: {_render_type(roots[name, "validation"])};'
        f" result: {_render_type(roots[name, 'serialization'])} }};"
        for name in sorted(COMMANDS)
    ]
    topics = [
        f'\t"{name}": {_render_type(roots[f"topic {name}", "serialization"])};'
        for name in TOPIC_MODELS
    ]
    return "\n".join(
        [
            GENERATED_FILE_HEADER,
            *models,
            "/** Every command with its parameters and result. */",
            "export interface Commands {",
            *commands,
            "}\n",
            "/** Every event with its payload. */",
            "export interface Topics {",
            *topics,
            "}\n",
            "export type Method = keyof Commands;",
            "export type Topic = keyof Topics;\n",
            "/** The title of every built-in tool by its name and aliases. */",
            "export const TOOL_TITLES: Readonly<Record<string, string>> = {",
            *(f'\t"{name}": {json.dumps(title)},' for name, title in _list_tool_titles()),
            "};\n",
        ]
    )


def render_form_schemas() -> str:
    """Return the content of `schemas.json`, from which the page builds forms."""
    forms = {name: TypeAdapter(kind).json_schema() for name, kind in FORM_SCHEMA_MODELS.items()}
    return json.dumps(forms, indent="\t", sort_keys=True, ensure_ascii=False) + "\n"


def _list_tool_titles() -> list[tuple[str, str]]:
    tools = REGISTRY.list_tools()
    return sorted((name, tool.title) for tool in tools for name in (tool.name, *tool.aliases))


def _build_schemas() -> tuple[dict[_SchemaKey, JsonObject], JsonObject]:
    inputs: list[tuple[str, JsonSchemaMode, Any]] = []
    for name, command in COMMANDS.items():
        inputs.append((name, "validation", _get_core_schema(command.params)))
        inputs.append((name, "serialization", _get_core_schema(command.result)))
    for name, model in TOPIC_MODELS.items():
        inputs.append((f"topic {name}", "serialization", _get_core_schema(model)))
    for name, kind in FORM_SCHEMA_MODELS.items():
        core = TypeAdapter(kind).core_schema
        inputs.append((f"form {name}", "validation", core))
        inputs.append((f"form {name}", "serialization", core))
    generator = GenerateJsonSchema(by_alias=True, ref_template=_DEFS_PREFIX + "{model}")
    roots, definitions = generator.generate_definitions(inputs)
    named = {str(name): schema for name, schema in definitions.items()}
    return {(str(name), mode): schema for (name, mode), schema in roots.items()}, named


def _get_core_schema(model: type) -> Any:
    assert issubclass(model, BaseModel)
    return TypeAdapter(model).core_schema


def _format_type_name(definition: str) -> str:
    """Return the name of the TypeScript type for a definition in the JSON schema.

    The suffix `-Output` of a definition is removed, and `-Input` becomes `Input`.
    """
    plain = definition.rsplit("__", 1)[-1]
    if plain.endswith("-Input"):
        return plain.removesuffix("-Input") + "Input"
    return plain.removesuffix("-Output")


def _render_definition(name: str, schema: JsonObject) -> str:
    comment = _render_comment(schema, "")
    if schema.get("type") == "object" and "properties" in schema:
        return "\n".join([f"{comment}export interface {name} {{", *_render_fields(schema), "}\n"])
    if schema.get("type") == "object" and schema.get("additionalProperties") is False:
        return f"{comment}export type {name} = Record<string, never>;\n"
    return f"{comment}export type {name} = {_render_type(schema)};\n"


def _render_fields(schema: JsonObject) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        key = name if _IDENTIFIER_PATTERN.fullmatch(name) else json.dumps(name)
        mark = "" if name in required else "?"
        yield f"{_render_comment(field, chr(9))}\t{key}{mark}: {_render_type(field)};"


def _render_comment(schema: JsonObject, indent: str) -> str:
    text = " ".join(str(schema.get("description", "")).split()).replace("*/", "* /")
    return f"{indent}/** {text} */\n" if text else ""


def _render_type(schema: JsonObject) -> str:
    if "tsType" in schema:
        return str(schema["tsType"])
    if "$ref" in schema:
        return _format_type_name(schema["$ref"].removeprefix(_DEFS_PREFIX))
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " | ".join(dict.fromkeys(_render_type(option) for option in schema[key]))
    if "allOf" in schema:
        return " & ".join(_render_type(option) for option in schema["allOf"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(option) for option in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return _render_array(schema)
    if kind == "object":
        inner = schema.get("additionalProperties", True)
        return f"Record<string, {_render_type(inner) if isinstance(inner, dict) else 'unknown'}>"
    return _SCALAR_TYPES.get(str(kind), "unknown")


def _render_array(schema: JsonObject) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(_render_type(item) for item in schema['prefixItems'])}]"
    inner = _render_type(schema.get("items", {}))
    return f"({inner})[]" if " | " in inner else f"{inner}[]"
