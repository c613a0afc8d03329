"""The outlines of result schemas: short, and never stricter than the results."""

import json

import pytest
from jsonschema import Draft202012Validator

from conductor.base.token_estimate import estimate_token_count
from conductor.mcp.server.schema_outline import outline_schema, outline_tool_schema
from conductor.tools.catalog import REGISTRY
from conductor.tools.registry import Tool

LONGEST = 4_000
ALL_IN_TOKENS = 5_550
"""What the schemas of all results take in a listing; with the plan's in each of 22 tools it was 16,577."""


@pytest.mark.parametrize("tool", REGISTRY.list_tools(), ids=lambda tool: tool.name)
def test_every_field_of_a_result_is_in_its_outline(tool: Tool):
    shown = outline_schema(tool.output_schema)
    Draft202012Validator.check_schema(shown)
    assert set(shown.get("properties", {})) == set(tool.output_schema.get("properties", {}))
    assert "$ref" not in json.dumps(shown)
    assert len(json.dumps(shown)) < LONGEST


def test_the_schema_of_a_plan_is_listed_once():
    shown = {
        tool.name: outline_tool_schema(tool.name, tool.output_schema)
        for tool in REGISTRY.list_tools()
    }
    whole = [name for name, item in shown.items() if "diff_preview" in item.get("properties", {})]
    assert whole == ["conductor_get_plan"]
    assert "conductor_get_plan" in shown["conductor_create_mapping"]["description"]
    assert sum(estimate_token_count(json.dumps(item)) for item in shown.values()) <= ALL_IN_TOKENS


@pytest.mark.parametrize("tool", REGISTRY.list_tools(), ids=lambda tool: tool.name)
def test_a_listed_schema_is_never_stricter_than_the_results(tool: Tool):
    shown = outline_tool_schema(tool.name, tool.output_schema)
    Draft202012Validator.check_schema(shown)
    whole = outline_schema(tool.output_schema)
    assert {*shown.get("required", ())} <= {*whole.get("required", ())}
    assert shown.get("properties", {}).items() <= whole.get("properties", {}).items()
