"""Decides which tools an agent on another computer may call, by the scopes that the user has granted to it."""

from conductor.domain.plan import Requester
from conductor.domain.remote_access import RemoteScope
from conductor.tools.registry import Tier, Tool, ToolRegistry

SCOPE_BY_TIER: dict[Tier, RemoteScope] = {
    "read_only": "look",
    "stateful": "operate",
    "config_change": "propose",
    "privileged": "propose",
    "request": "propose",
    "hardware_io": "hardware",
    "skill": "skills",
}


def find_required_scope(registry: ToolRegistry, name: str) -> RemoteScope | None:
    """Return the scope that a tool needs, or None if there is no such tool."""
    tool = registry.find_tool(name)
    return None if tool is None else SCOPE_BY_TIER[tool.tier]


def explain_missing_scope(tool: Tool, by: Requester) -> str | None:
    """Return why an agent on another computer may not call a tool, or None if it may.

    Other callers are not limited by scopes.
    """
    needed = SCOPE_BY_TIER[tool.tier]
    if by.caller != "remote" or needed in (by.scopes or ()):
        return None
    return (
        f"{tool.name} needs the scope `{needed}`, which the user has not granted to this agent; sign in again"
        " and request it, so that the user can decide"
    )
