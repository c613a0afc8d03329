"""Who may use a skill: the step of the executor that asks the user, or remembers the answer."""

from dataclasses import dataclass
from typing import Any, Protocol

from conductor.domain.plan import Requester
from conductor.domain.settings import SkillsSettings
from conductor.errors import NotAllowed
from conductor.tools.registry import Tool


@dataclass(frozen=True)
class PermissionRequest:
    """A call of a skill, with its whole arguments, that waits for a yes."""

    tool: Tool
    arguments: dict[str, Any]
    by: Requester


class Permission(Protocol):
    """Implemented by the desk of approvals; `Nobody` where there is no user to ask."""

    async def require(self, request: PermissionRequest) -> str:
        """Return when the call is allowed, with how, for the log: `not needed`, `once`, `always`...

        Raises:
            NotAllowed: the user said no, never says yes, closed the question, or nobody answered in time.
        """
        ...


class Nobody:
    """Lets through what needs no approval."""

    async def require(self, request: PermissionRequest) -> str:
        if request.tool.requires_approval:
            raise NotAllowed(f"{request.tool.title or request.tool.name} needs the user's approval")
        return "not needed"


def is_on(tool: Tool, settings: SkillsSettings) -> bool:
    """Say whether a skill is switched on: the user's word on just this one goes before its tier."""
    said = settings.tools.get(tool.skill_id or "")
    return bool(getattr(settings.tiers, tool.skill_tier)) if said is None else said


def off_because(tool: Tool, settings: SkillsSettings) -> str | None:
    """Say why a skill is switched off, or None when it is on."""
    if tool.skill_id is None:
        return None
    if is_on(tool, settings):
        return None
    name = tool.title or tool.skill_id
    return f"{name} is switched off; only the user can switch it on, in Settings > Skills"
