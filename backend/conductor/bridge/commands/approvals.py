"""Commands about skills that wait for the user's word, and about the words that are remembered.

The demo has all of them, for its chat asks too: what it keeps is in a database of its own that ends with it.
"""

from pydantic import Field

from conductor.bridge.models import Nothing
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.approvals import ApprovalView, Decision, GrantView
from conductor.domain.value import Value


class ApprovalList(Value):
    approvals: tuple[ApprovalView, ...]
    """The oldest first."""


class DecideParams(Value):
    approval_id: str = Field(min_length=1, max_length=64)
    decision: Decision


class GrantList(Value):
    grants: tuple[GrantView, ...]
    """The newest first."""


class GrantParams(Value):
    grant_id: str = Field(min_length=1, max_length=64)


@query("approvals.list")
def listed(params: Nothing, call: Call) -> ApprovalList:
    """What waits for the user now."""
    return ApprovalList(approvals=tuple(call.desk.approvals.pending()))


@command("approvals.decide", "privileged")
def decide(params: DecideParams, call: Call) -> ApprovalView:
    """Return the user's word on a call; the first word counts."""
    desk = call.desk
    return desk.approvals.decide(params.approval_id, params.decision, call.by)


@query("grants.list")
def grants(params: Nothing, call: Call) -> GrantList:
    """What the user allowed or forbade for longer than once."""
    return GrantList(grants=tuple(call.desk.approvals.grants()))


@command("grants.revoke", "privileged")
def revoke(params: GrantParams, call: Call) -> GrantList:
    """Forget such a word: the user is asked again."""
    call.desk.approvals.revoke(params.grant_id)
    return grants(Nothing(), call)
