"""Questions to the user about a call of a skill, and the answers that are remembered."""

from datetime import datetime
from typing import Any, Literal

from conductor.domain.value import Value

ApprovalState = Literal["pending", "allowed", "denied", "expired"]
Decision = Literal["once", "conversation", "always", "deny", "never"]
Verdict = Literal["allow", "never"]
GrantScope = Literal["conversation", "always"]


class ApprovalView(Value):
    """A call that waits for the user's word, or what became of it."""

    approval_id: str
    state: ApprovalState
    skill_id: str
    tool: str
    title: str
    description: str
    tier: str
    """What the tool needs from the world: core, enhanced, network or integration."""
    origin: str | None
    """Whose tool it is, when it is not Conductor's."""
    arguments: dict[str, Any]
    """All of them, as they will be sent."""
    shape: str
    """In words: which calls `conversation` and `always` would cover."""
    choices: tuple[Decision, ...]
    """What can be decided here; `always` is left out where nothing tells this tool from another."""
    requester: str
    caller: str
    conversation_id: str | None
    requested_at: datetime
    expires_at: datetime
    warnings: tuple[str, ...]


class GrantView(Value):
    """An answer that is remembered."""

    grant_id: str
    skill_id: str
    tool: str
    title: str
    origin: str | None
    verdict: Verdict
    scope: GrantScope
    shape: str
    """In words: which calls it covers."""
    requester: str
    """Whose calls it covers."""
    conversation_id: str | None
    created_at: datetime
    last_used_at: datetime | None
    uses: int
