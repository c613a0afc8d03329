"""Checks whether a tool call needs the user's permission, and which tools a caller may use."""

from dataclasses import dataclass
from typing import Protocol

from conductor.base.json_types import JsonObject
from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp, SkillsSettings, ToolRules
from conductor.errors import NotAllowed
from conductor.tools.approval.remote_scopes import explain_missing_scope
from conductor.tools.registry import Tool

USER_OWNED_CALLERS = ("window", "page", "pad")
"""Callers that act for the user, through a page or a mapping. They may call tools that no model sees."""
UNCHANGING_TIERS = ("read_only",)
INTERNAL_CALLERS = (*USER_OWNED_CALLERS, "chat")
"""Callers inside Conductor. All other callers are programs outside it."""


@dataclass(frozen=True)
class PermissionRequest:
    """A tool call with all its arguments, for which the user's permission may be needed."""

    tool: Tool
    arguments: JsonObject
    by: Requester


class Permission(Protocol):
    """Decides whether a tool call is allowed, implemented by `Approvals` and `DenyWithoutUser`."""

    async def require_permission(self, request: PermissionRequest) -> str:
        """Wait until the call is allowed, and return how it was allowed: `not needed`, `once`, `always`
        and so on.

        Raises:
            NotAllowed: The user refused, always refuses, closed the request or did not answer in time.
        """
        ...


class DenyWithoutUser:
    """Refuses every tool call that needs approval, for a Conductor without a user who could be asked."""

    async def require_permission(self, request: PermissionRequest) -> str:
        if request.tool.needs_permission(request.by):
            raise NotAllowed(f"{request.tool.title} needs the user's approval")
        return "not needed"


def is_skill_enabled(tool: Tool, settings: SkillsSettings) -> bool:
    """Return whether a skill is switched on.

    The setting for this skill takes precedence over the one for its tier.
    """
    own = settings.tools.get(tool.skill_id or "")
    return bool(getattr(settings.tiers, tool.skill_tier)) if own is None else own


def explain_disabled_skill(tool: Tool, settings: SkillsSettings) -> str | None:
    """Return why a skill cannot be used, or None if it is switched on."""
    if tool.skill_id is None:
        return None
    if is_skill_enabled(tool, settings):
        return None
    return f"{tool.skill_label} is switched off; only the user can switch it on, in Settings > Assistant tools"


def explain_denied_tool(tool: Tool, section: str, rules: ToolRules) -> str | None:
    """Return why the user's rules in a section of the config do not allow a tool, or None if they do."""
    names = {tool.name, *tool.aliases}
    if rules.read_only and tool.tier not in UNCHANGING_TIERS:
        return f"`{section}.read_only` is on, and {tool.name} changes something"
    if rules.toolsets is not None and tool.toolset not in rules.toolsets:
        return (
            f"{tool.name} is in the toolset `{tool.toolset}`, which `{section}.toolsets` leaves out"
        )
    if names.intersection(rules.denied_tools):
        return f"{tool.name} is in `{section}.denied_tools`"
    if rules.allowed_tools is not None and not names.intersection(rules.allowed_tools):
        return f"{tool.name} is not in `{section}.allowed_tools`"
    return None


def explain_unavailable_tool(tool: Tool, by: Requester, settings: LlmMcp) -> str | None:
    """Return why a caller may neither see nor call a tool, or None if it may do both."""
    if not tool.for_model and by.caller not in USER_OWNED_CALLERS:
        return f"only the page of the server that offers {tool.name} may call it"
    if by.caller not in INTERNAL_CALLERS and not is_offered_to_programs(tool, settings):
        return (
            f"{tool.name} is a skill of the assistant in Conductor; other programs may call it"
            " only while the user's `llm.mcp.toolsets` names `skills`"
        )
    return explain_missing_scope(tool, by)


def is_offered_to_programs(tool: Tool, settings: LlmMcp) -> bool:
    """Return whether programs outside Conductor may see a tool.

    Skills are shown only if the user named the toolset `skills`.
    """
    return tool.tier != "skill" or "skills" in (settings.toolsets or ())
