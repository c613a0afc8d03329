"""Simulates tools of external MCP servers for benchmark cases; each gives a fixed answer."""

from collections.abc import Sequence
from typing import Any

from pydantic import model_validator

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value
from conductor.evaluation.case import ForeignTool
from conductor.tools.context import SkillContext
from conductor.tools.registry import Tool, ToolRegistry


class ToolArguments(Value):
    """The arguments of a call of a simulated tool, which are accepted without a check."""

    arguments: JsonObject

    @model_validator(mode="before")
    @classmethod
    def _collect_arguments(cls, given: Any) -> Any:
        return {"arguments": given}


class ToolAnswer(Value):
    text: str


def add_foreign_tools(registry: ToolRegistry, foreign: Sequence[ForeignTool]) -> ToolRegistry:
    """Return a registry with Conductor's own tools and these simulated tools."""
    combined = ToolRegistry()
    for tool in (*registry.list_tools(), *map(_build_tool, foreign)):
        combined.add_tool(tool)
    return combined


def _build_tool(foreign_tool: ForeignTool) -> Tool:
    async def run(_params: ToolArguments, _context: SkillContext) -> ToolAnswer:
        return ToolAnswer(text=foreign_tool.answer)

    name = f"mcp:{foreign_tool.server}:{foreign_tool.tool}"
    return Tool(
        name=name,
        tier="skill",
        toolset="skills",
        description=f"[MCP server {foreign_tool.server}] {foreign_tool.description}",
        run=run,
        params=ToolArguments,
        result=ToolAnswer,
        foreign_input_schema={"type": "object"},
        skill_tier="integration",
        requires_approval=True,
        skill_id=name,
        title=f"{foreign_tool.server}: {foreign_tool.tool}",
        category="integrations",
        origin=f"MCP server {foreign_tool.server}",
    )
