"""The tool that finds other tools. A model is told only a few tools and searches for more by task."""

import asyncio
from typing import Literal

from pydantic import Field

from conductor.domain.value import Value
from conductor.tools.context import SkillContext
from conductor.tools.discovery import TOOL_CATEGORIES, find_matching_tools
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY

NO_MATCH_MESSAGE = (
    "Nothing matches. Try other words, or tell the user that no such skill exists or is enabled."
)


class DiscoverParams(Params):
    query: str = Field(min_length=1, max_length=300)
    """The task, in a few words"""
    category: Literal[
        "all", "conductor", "productivity", "developer", "network", "integrations"
    ] = "all"


class SkillEntry(Value):
    name: str
    """Name by which the tool is called."""
    title: str
    description: str
    asks: bool
    """Whether the user is asked before the tool runs."""


class DiscoveryResult(Value):
    skills: tuple[SkillEntry, ...]
    others: tuple[str, ...] = ()
    """Weaker matches. To use one of them, search for its name"""
    message: str


@REGISTRY.skill(
    "discover", "Find skills", "core", "productivity", keywords="search tools", idempotent=True
)
async def discover_skills(params: DiscoverParams, context: SkillContext) -> DiscoveryResult:
    """Find tools that are not listed, and make them callable: more of Conductor (delete or look up \
mappings, modes, profiles, devices, settings, undo, MIDI output, reference texts), calculator, notes, tasks, \
memory of past chats, files, code, the web, connected MCP servers."""
    category = None if params.category == "all" else params.category
    tools = context.abilities.list_tools()
    found = await asyncio.to_thread(find_matching_tools, tools, params.query, category)
    skills = tuple(
        SkillEntry(
            name=tool.wire_name,
            title=tool.title,
            description=tool.description[:200],
            asks=tool.requires_approval,
        )
        for tool in found.matches
    )
    if not skills:
        return DiscoveryResult(
            skills=(), message=f"{NO_MATCH_MESSAGE} Categories: {', '.join(TOOL_CATEGORIES)}."
        )
    others = tuple(tool.wire_name for tool in found.weaker_matches)
    more = " To call one of `others`, search for its name first." if others else ""
    count = f"Found {len(skills)}; call them from now on.{more}"
    return DiscoveryResult(skills=skills, others=others, message=count)
