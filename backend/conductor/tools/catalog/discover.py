"""The tool that finds other tools.

A model is sent only a few tools and asks for more by what it wants to do.
"""

import asyncio
from typing import Literal

from pydantic import Field

from conductor.domain.value import Value
from conductor.tools.context import SkillContext
from conductor.tools.discovery import CATEGORIES, find_tools
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY

NO_MATCH = "Nothing matches. Try other words, or tell the user that no such skill exists or that it is off."


class DiscoverParams(Params):
    query: str = Field(min_length=1, max_length=300)
    """What is to be done, in a few words"""
    category: Literal[
        "all", "conductor", "productivity", "developer", "network", "integrations"
    ] = "all"


class SkillEntry(Value):
    name: str
    """As it is called."""
    title: str
    description: str
    asks: bool
    """Whether the user is asked before it runs."""


class DiscoveryResult(Value):
    skills: tuple[SkillEntry, ...]
    others: tuple[str, ...] = ()
    """Less near; whoever wants one searches for its name"""
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
    found = await asyncio.to_thread(find_tools, tools, params.query, category)
    skills = tuple(
        SkillEntry(
            name=one.wire_name,
            title=one.title,
            description=one.description[:200],
            asks=one.requires_approval,
        )
        for one in found.fit
    )
    if not skills:
        return DiscoveryResult(
            skills=(), message=f"{NO_MATCH} Categories: {', '.join(CATEGORIES)}."
        )
    others = tuple(one.wire_name for one in found.others)
    more = " To call one of `others`, search for its name first." if others else ""
    count = f"Found {len(skills)}; call them from now on.{more}"
    return DiscoveryResult(skills=skills, others=others, message=count)
