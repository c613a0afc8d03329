"""A call of a skill, allowed by a form in the agent's client: once only, after all arguments were shown."""

import asyncio
import json
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from conductor.base.hidden import shown
from conductor.domain.approvals import ApprovalView
from conductor.domain.plan import Requester
from conductor.errors import ConductorError
from conductor.mcp.desk import Desk, Outcome
from conductor.mcp.forms import Forms, may_ask


class SkillApproval:
    """Asks, and passes the user's word to the desk of approvals."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._forms = Forms("Allow this call", "Yes allows it this once; no refuses it")

    def waiting(
        self, params: types.CallToolRequestParams, by: Requester, outcome: Outcome
    ) -> ApprovalView | None:
        """Give the question of a call that was not made only because the user has not been asked yet."""
        if outcome.error is None or outcome.error.code != "not_approved":
            return None
        return self._desk.approvals.asked(params.name, params.arguments or {}, by)

    async def ask(
        self,
        ctx: ServerRequestContext[Any],
        params: types.CallToolRequestParams,
        view: ApprovalView,
        by: Requester,
    ) -> bool | types.InputRequiredResult:
        """Ask, or take the answer that came with the call; says whether anything was decided."""
        if not may_ask(ctx, by, self._desk.settings()):
            return False
        given = await self._forms.ask(ctx, params, view.approval_id, by, message_for(view))
        if isinstance(given, types.InputRequiredResult):
            return given
        if given.is_open:
            return False
        decide, word = self._desk.approvals.decide, "once" if given.is_yes else "deny"
        try:
            await asyncio.to_thread(decide, view.approval_id, word, by)
        except (
            ConductorError
        ):  # decided elsewhere meanwhile: that word counts, as the next call shows
            return True
        return True


def message_for(view: ApprovalView) -> str:
    """Say all that the user needs to decide: who asks, for what, and all that would be sent."""
    whose = f" of {view.origin}" if view.origin else ""
    arguments = json.dumps(view.arguments, indent=2, ensure_ascii=False)
    return "\n".join(
        [
            f"{view.requester} asks to call {view.title} ({shown(view.tool)}){shown(whose)} once.",
            f"What it does: {shown(view.description)}",
            *(f"Warning: {shown(text)}" for text in view.warnings),
            "With these arguments, and no others:",
            *(shown(line) for line in arguments.split("\n")),
        ]
    )
