"""Approval by a form in the agent's client: what it shows, who may be asked, and what an answer means.

Only for plans that change the config, only over the socket, only when `llm.mcp.approval` allows it, and
only in answer to a question that was really asked: an answer that comes unasked counts for nothing.
A decline rejects the plan; a cancel or no answer in time leaves it waiting.
"""

import asyncio
import secrets
from typing import Any, Literal, NamedTuple

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from conductor.domain.plan import ConfigPlan, Requester
from conductor.errors import UnknownPlan
from conductor.mcp.desk import Desk, Outcome

APPLY = "conductor_apply_plan"
FORM = "approve"
ASK_FOR_S = 240.0
SHOWN_AT_MOST = 60_000
"""A longer message is no longer read by anybody: such a plan is for the window."""
QUESTIONS_KEPT = 256
MODERN = "2026-07-28"
SCHEMA: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {
        "approve": {
            "type": "boolean",
            "title": "Apply this change",
            "description": "Yes applies it; no rejects the plan",
        }
    },
    "required": ["approve"],
}
Answer = Literal["accepted", "declined", "open"]


class Question(NamedTuple):
    """What was asked, of whom, and the words that were shown."""

    plan_id: str
    principal: tuple[Any, ...]
    shown: str


class Approval:
    """Asks, and passes the user's word to the plans."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._questions: dict[str, Question] = {}

    async def waiting(self, arguments: dict[str, Any], outcome: Outcome) -> ConfigPlan | None:
        """Give the plan that could not be applied only because the user has not approved it yet."""
        plan_id = arguments.get("plan_id")
        if outcome.error is None or outcome.error.code != "not_approved":
            return None
        if not isinstance(plan_id, str):
            return None
        try:
            plan = await asyncio.to_thread(self._desk.plans.get, plan_id)
        except UnknownPlan:
            return None
        return plan if plan.status == "pending" else None

    async def ask(
        self,
        ctx: ServerRequestContext[Any],
        params: types.CallToolRequestParams,
        plan: ConfigPlan,
        by: Requester,
    ) -> Answer | types.InputRequiredResult:
        """Ask the user, or take the answer that came with the call; "open" when nothing is decided.

        Raises:
            ConductorError: the plan cannot be approved, or somebody else decided meanwhile.
        """
        if not self._may_ask(ctx, plan, by):
            return "open"
        shown = message_for(plan)
        if len(shown) > SHOWN_AT_MOST:
            return "open"
        if ctx.protocol_version < MODERN:
            return await self._decide(await _elicit(ctx, shown), plan, by, shown)
        question = self._asked(params, plan, by)
        if question is None:
            return self._question(plan, by, shown)
        answer = (params.input_responses or {}).get(FORM)
        result = answer if isinstance(answer, types.ElicitResult) else None
        return await self._decide(result, plan, by, question.shown)

    def _may_ask(self, ctx: ServerRequestContext[Any], plan: ConfigPlan, by: Requester) -> bool:
        able = ctx.session.client_capabilities
        return (
            by.caller == "mcp"
            and self._desk.settings().approval == "elicit_or_gui"
            and plan.kind == "config"
            and not plan.privileged
            and all(one.passed for one in plan.examples)
            and able is not None
            and _shows_forms(able.elicitation)
            and plan.requested_by.principal() == by.principal()
        )

    def _question(self, plan: ConfigPlan, by: Requester, shown: str) -> types.InputRequiredResult:
        token = secrets.token_urlsafe(24)
        self._questions[token] = Question(plan.plan_id, by.principal(), shown)
        while len(self._questions) > QUESTIONS_KEPT:
            del self._questions[next(iter(self._questions))]
        form = types.ElicitRequestFormParams(message=shown, requested_schema=SCHEMA)
        return types.InputRequiredResult(
            input_requests={FORM: types.ElicitRequest(params=form)}, request_state=token
        )

    def _asked(
        self, params: types.CallToolRequestParams, plan: ConfigPlan, by: Requester
    ) -> Question | None:
        """Give the question that a call answers: one of this very plan and client, and only once."""
        question = self._questions.pop(params.request_state or "", None)
        if question is None or question.plan_id != plan.plan_id:
            return None
        return question if question.principal == by.principal() else None

    async def _decide(
        self, answer: types.ElicitResult | None, plan: ConfigPlan, by: Requester, shown: str
    ) -> Answer:
        if answer is None or answer.action == "cancel":
            return "open"
        wants = answer.action == "accept" and (answer.content or {}).get("approve") is True
        if wants:
            await asyncio.to_thread(self._desk.plans.approve, plan.plan_id, by, shown)
            return "accepted"
        words = f"declined in {by.client or 'the client'}"
        await asyncio.to_thread(self._desk.plans.reject, plan.plan_id, by, words)
        return "declined"


def _shows_forms(able: types.ElicitationCapability | None) -> bool:
    """Say whether the client shows forms; one that names neither kind means forms."""
    return able is not None and (able.form is not None or able.url is None)


async def _elicit(ctx: ServerRequestContext[Any], shown: str) -> types.ElicitResult | None:
    if not ctx.session.can_send_request:
        return None
    with anyio.move_on_after(ASK_FOR_S):
        try:
            return await ctx.session.elicit_form(shown, SCHEMA, related_request_id=ctx.request_id)
        except MCPError:
            return None
    return None


def message_for(plan: ConfigPlan) -> str:
    """Say all that the user needs to decide: who asks, what changes, and what is known about it."""
    lines = [
        f"{plan.requested_by.words()} asks to change your Conductor config: {plan.description}"
    ]
    lines += [f"Warning: {warning}" for warning in plan.warnings]
    lines += [f"{overlap.severity}: {overlap.message}" for overlap in plan.overlaps]
    if plan.replay is not None and plan.replay.summary:
        lines.append(f"What you played lately: {plan.replay.summary}")
    failed = [one.example.name for one in plan.examples if not one.passed]
    lines += [f"Example that fails: {name}" for name in failed]
    return "\n".join([*lines, "", plan.diff_preview])
