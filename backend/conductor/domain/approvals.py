"""Defines approval requests for calls of skills, and saved answers of the user, as
page and terminal show them.
"""

from datetime import datetime
from typing import Literal

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value

ApprovalState = Literal["pending", "allowed", "denied", "expired"]
Decision = Literal["once", "conversation", "always", "deny", "never"]
GrantVerdict = Literal["allow", "never"]
GrantScope = Literal["conversation", "always"]


class ApprovalView(Value):
    """A tool call that needs the user's approval, and the status of this request."""

    approval_id: str
    state: ApprovalState
    skill_id: str
    tool: str
    title: str
    description: str
    tier: str
    """The access that the tool needs: core, enhanced, network or integration."""
    origin: str | None
    """The MCP server of the tool; None for Conductor's own tools."""
    arguments: JsonObject
    """All arguments, exactly as they will be sent."""
    shape: str
    """A description of the calls that the decisions `conversation` and `always` would cover."""
    choices: tuple[Decision, ...]
    """The decisions that the user can choose from; `always` is missing if the tool
    cannot be identified reliably."""
    requester: str
    caller: str
    conversation_id: str | None
    requested_at: datetime
    expires_at: datetime
    warnings: tuple[str, ...]


class GrantView(Value):
    """An answer of the user that was saved and applies to later calls."""

    grant_id: str
    skill_id: str
    tool: str
    title: str
    origin: str | None
    verdict: GrantVerdict
    scope: GrantScope
    shape: str
    """A description of the calls that the answer covers."""
    requester: str
    """A description of the callers whose calls the answer covers."""
    conversation_id: str | None
    created_at: datetime
    last_used_at: datetime | None
    uses: int
