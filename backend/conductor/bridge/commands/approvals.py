"""Commands about tool calls that wait for the user's approval, and about saved grants.

They also work in the demo, whose grants are in a temporary database.
"""

from pydantic import Field

from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.approvals import ApprovalView, Decision, GrantView
from conductor.domain.value import Value


class ApprovalList(Value):
    approvals: tuple[ApprovalView, ...]
    """The tool calls that wait for a decision, oldest first."""


class DecideApprovalParams(Value):
    approval_id: str = Field(min_length=1, max_length=64)
    decision: Decision


class GrantList(Value):
    grants: tuple[GrantView, ...]
    """The saved grants, newest first."""


class RevokeGrantParams(Value):
    grant_id: str = Field(min_length=1, max_length=64)


@query("approvals.list")
def list_approvals(params: Empty, call: Call) -> ApprovalList:
    """Return the tool calls that wait for the user's approval."""
    return ApprovalList(approvals=tuple(call.services.gate.approvals.list_pending()))


@command("approvals.decide", "privileged")
def decide_approval(params: DecideApprovalParams, call: Call) -> ApprovalView:
    """Record the user's decision on a tool call. The first decision counts, and later ones are ignored."""
    services = call.services
    return services.gate.approvals.decide_request(
        params.approval_id, params.decision, call.requester
    )


@query("grants.list")
def list_grants(params: Empty, call: Call) -> GrantList:
    """Return the saved decisions, which apply to similar calls in a conversation or permanently."""
    return GrantList(grants=tuple(call.services.gate.approvals.list_grants()))


@command("grants.revoke", "privileged")
def revoke_grant(params: RevokeGrantParams, call: Call) -> GrantList:
    """Delete a saved decision, so that the user is asked again about such calls."""
    call.services.gate.approvals.revoke_grant(params.grant_id)
    return list_grants(Empty(), call)
