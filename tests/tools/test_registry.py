"""The registry: what agents are shown. What a tier may be given: `tier_pairs.py`, which pyright checks."""

import json
from typing import Any

import pytest

from conductor.base.json_types import JsonObject
from conductor.domain.actions import ACTION_KINDS
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.domain.value import Value
from conductor.tools.catalog import REGISTRY
from conductor.tools.context import ReadContext
from conductor.tools.registry import ToolRegistry


def test_a_schema_is_built_when_it_is_first_read_and_only_then():
    built: list[str] = []

    class Counted(Value):
        @classmethod
        def model_json_schema(cls, *_: Any, **options: Any) -> JsonObject:
            built.append(options.get("mode", "validation"))
            return {"type": "object", "title": "Counted"}

    async def count(params: Counted, context: ReadContext) -> Counted:
        """Count."""
        return params

    registry = ToolRegistry()
    registry.tool("read_only", "status", title="Count")(count)
    [tool] = registry.list_tools()
    assert built == []
    assert tool.input_schema == tool.output_schema == {"type": "object"}
    assert tool.build_manifest_entry()["inputSchema"] is tool.input_schema
    assert built == ["validation", "serialization"]


def test_the_default_manifest_fits_its_budget():
    default = [tool for tool in REGISTRY.list_tools() if tool.tier != "skill"]
    manifest = json.dumps([tool.build_manifest_entry() for tool in default])
    assert len(manifest) / 4 < 6_000


def test_descriptions_list_every_type_of_trigger_and_action():
    shown = {tool.name: json.dumps(tool.input_schema) for tool in REGISTRY.list_tools()}
    full = "conductor_create_mapping"
    assert [kind for kind in (*TRIGGER_KINDS, *ACTION_KINDS) if kind not in shown[full]] == []
    assert f"As in {full}" in shown["conductor_update_mapping"]


def test_every_tool_says_what_it_does_and_refuses_unknown_arguments():
    for tool in REGISTRY.list_tools():
        assert tool.description.endswith("."), tool.name
        assert tool.input_schema["additionalProperties"] is False, tool.name
        assert tool.output_schema["type"] == "object", tool.name


def test_two_tools_cannot_have_one_name():
    registry, tool = ToolRegistry(), REGISTRY.list_tools()[0]
    registry.add_tool(tool)
    with pytest.raises(ValueError, match="two tools"):
        registry.add_tool(tool)


def test_a_tool_says_what_it_needs_and_whether_the_user_must_agree():
    tools = {tool.name: tool.build_risk() for tool in REGISTRY.list_tools() if tool.tier != "skill"}
    assert all(kinds["tier"] == "core" and kinds["default_enabled"] for kinds in tools.values())
    assert {name for name, kinds in tools.items() if kinds["risk_tier"] == "hardware_io"} == {
        "conductor_send_midi",
        "conductor_send_sysex",
    }
    waits = {name: kinds["requires_approval"] for name, kinds in tools.items()}
    assert waits["conductor_create_mapping"]
    assert waits["conductor_reset_config"]
    assert waits["conductor_apply_plan"]
    assert waits["conductor_send_sysex"]
    assert not waits["conductor_send_midi"]
    assert not waits["conductor_get_status"]
    assert not waits["conductor_switch_mode"]


def test_skills_of_the_core_are_on_and_what_deletes_asks():
    skills = {
        tool.name: tool.build_risk() for tool in REGISTRY.list_tools() if tool.tier == "skill"
    }
    core = {name for name, kinds in skills.items() if kinds["tier"] == "core"}
    assert {"conductor_calculate", "conductor_add_note", "conductor_recall"} <= core
    assert all(skills[name]["default_enabled"] for name in core)
    assert not any(
        kinds["default_enabled"] for kinds in skills.values() if kinds["tier"] == "network"
    )
    asks = {name for name in core if skills[name]["requires_approval"]}
    assert asks == {"conductor_delete_note", "conductor_delete_task"}
