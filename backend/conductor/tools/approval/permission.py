"""Who may use a skill: the step of the executor that asks the user, or remembers the answer."""

from dataclasses import dataclass
from typing import Any, Protocol

from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp, SkillsSettings
from conductor.errors import NotAllowed
from conductor.tools.registry import Tool

HOLDERS = ("window", "page", "pad")
"""Callers that act for a page or a mapping which the user has: they call what no model is offered."""
INSIDE = (*HOLDERS, "chat")
"""Callers that are Conductor itself; any other name is an outside program's."""


@dataclass(frozen=True)
class PermissionRequest:
    """A call of a skill, with its whole arguments, that waits for a yes."""

    tool: Tool
    arguments: dict[str, Any]
    by: Requester


class Permission(Protocol):
    """Implemented by the desk of approvals; `NoPermission` where there is no user to ask."""

    async def require(self, request: PermissionRequest) -> str:
        """Return when the call is allowed, with how, for the log: `not needed`, `once`, `always`...

        Raises:
            NotAllowed: the user said no, never says yes, closed the question, or nobody answered in time.
        """
        ...


class NoPermission:
    """Lets through what needs no approval."""

    async def require(self, request: PermissionRequest) -> str:
        if request.tool.asks(request.by):
            raise NotAllowed(f"{request.tool.title or request.tool.name} needs the user's approval")
        return "not needed"


def is_on(tool: Tool, settings: SkillsSettings) -> bool:
    """Return whether a skill is switched on: the user's word on just this one goes before its tier."""
    said = settings.tools.get(tool.skill_id or "")
    return bool(getattr(settings.tiers, tool.skill_tier)) if said is None else said


def off_because(tool: Tool, settings: SkillsSettings) -> str | None:
    """Return why a skill is switched off, or None when it is on."""
    if tool.skill_id is None:
        return None
    if is_on(tool, settings):
        return None
    name = tool.title or tool.skill_id
    return f"{name} is switched off; only the user can switch it on, in Settings > Skills"


def not_offered(tool: Tool, by: Requester, settings: LlmMcp) -> str | None:
    """Return why this caller is not offered a tool, or None; what nobody offers, nobody may call."""
    if not tool.for_model and by.caller not in HOLDERS:
        return f"only the page of its own server calls {tool.name}"
    if by.caller not in INSIDE and not offers_skills(tool, settings):
        return (
            f"{tool.name} is an ability of the assistant in Conductor; other programs may call it"
            " only while the user's `llm.mcp.toolsets` names `skills`"
        )
    return None


def offers_skills(tool: Tool, settings: LlmMcp) -> bool:
    """Check whether outside programs are offered a tool: a skill only where the user names its toolset."""
    return tool.tier != "skill" or "skills" in (settings.toolsets or ())
