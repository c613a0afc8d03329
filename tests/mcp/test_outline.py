"""The schemas of results that a manifest shows: short, and never stricter than the results."""

import json

import pytest
from jsonschema import Draft202012Validator

from conductor.mcp.outline import outline
from conductor.tools.catalog import REGISTRY
from conductor.tools.registry import Tool

LONGEST = 4_000


@pytest.mark.parametrize("tool", REGISTRY.all(), ids=lambda tool: tool.name)
def test_every_field_of_a_result_is_in_its_outline(tool: Tool):
    shown = outline(tool.output_schema)
    Draft202012Validator.check_schema(shown)
    assert set(shown.get("properties", {})) == set(tool.output_schema.get("properties", {}))
    assert "$ref" not in json.dumps(shown)
    assert len(json.dumps(shown)) < LONGEST
