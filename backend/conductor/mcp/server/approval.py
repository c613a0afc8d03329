"""Asks the user to approve a plan in a form of the agent's client.

A form is shown only for harmless changes of the config, over the socket, and by clients that the user has
listed in the settings. An answer counts only if its question was asked. If the user declines, the plan is
rejected. If the form is cancelled or not answered, the plan stays pending.
"""

import asyncio
from datetime import UTC, datetime
from typing import Any, Literal

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated

from conductor.base.json_types import JsonObject
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.plan_text import can_approve_in_form, format_approval_text
from conductor.errors import UnknownPlan
from conductor.mcp.server.deps import Outcome, ServerDeps
from conductor.mcp.server.forms import (
    APPROVE_FIELD,
    MAX_FORM_MESSAGE_LENGTH,
    ApprovalForms,
    FormAnswer,
    can_ask_user,
)
from conductor.mcp.server.task import ToolCallTask

APPLY_PLAN_TOOL = "conductor_apply_plan"
PLAN_URI_PREFIX = "conductor://plans/"
PlanDecision = Literal["accepted", "declined", "open"]


class PlanApproval:
    """Asks the user to approve a plan, and approves or rejects it according to the answer."""

    def __init__(self, deps: ServerDeps, bus: InMemorySubscriptionBus) -> None:
        self._deps = deps
        self._bus = bus
        self._forms = ApprovalForms("Apply this change", "Yes applies it; no rejects the plan")

    async def find_pending_plan(self, arguments: JsonObject, outcome: Outcome) -> ConfigPlan | None:
        """Return the pending plan of a call that failed only because the user has not approved the plan."""
        plan_id = arguments.get("plan_id")
        if outcome.error is None or outcome.error.code != "not_approved":
            return None
        if not isinstance(plan_id, str):
            return None
        try:
            plan = await asyncio.to_thread(self._deps.plans.get_plan, plan_id)
        except UnknownPlan:
            return None
        return plan if plan.status == "pending" else None

    async def ask_user(
        self,
        ctx: ServerRequestContext[Any],
        params: types.CallToolRequestParams,
        plan: ConfigPlan,
        by: Requester,
    ) -> PlanDecision | types.InputRequiredResult:
        """Ask the user to approve the plan, or read the answer that came with the call.

        Return "open" if the user has not decided.

        Raises:
            ConductorError: The plan cannot be approved, or was decided elsewhere in the meantime.
        """
        if not self._can_ask_user(ctx, plan, by):
            return "open"
        answer = await self._forms.ask_user(
            ctx, params, plan.plan_id, by, format_approval_text(plan)
        )
        if isinstance(answer, types.InputRequiredResult):
            return answer
        return await self._record_decision(answer, plan, by)

    def _can_ask_user(
        self, ctx: ServerRequestContext[Any], plan: ConfigPlan, by: Requester
    ) -> bool:
        return can_ask_user(ctx, by, self._deps.settings()) and can_approve_in_form(
            plan, by, self._deps.settings()
        )

    async def wait_for_decision(
        self, ctx: ServerRequestContext[Any], task: ToolCallTask, plan: ConfigPlan, by: Requester
    ) -> PlanDecision:
        """Wait in a task until the user decides on the plan: in the window, at a terminal, or in a form if
        one is allowed.

        Raises:
            ConductorError: The plan cannot be approved, or was decided elsewhere in the meantime.
        """
        message = format_approval_text(plan)
        shows_form = self._can_ask_user(ctx, plan, by) and len(message) <= MAX_FORM_MESSAGE_LENGTH
        task.set_waiting_message(f"Waiting for the user to decide on plan {plan.plan_id}")
        decided = asyncio.ensure_future(self._wait_until_decided(plan))
        asked = (
            asyncio.ensure_future(task.ask_user(APPROVE_FIELD, self._forms.build_form(message)))
            if shows_form
            else None
        )
        waits = {wait for wait in (decided, asked) if wait is not None}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if asked is not None and asked.done() and not decided.done():
                answer = FormAnswer(asked.result(), message)
                decision = await self._record_decision(answer, plan, by)
                if decision != "open":
                    return decision
            # A cancelled form is no decision, because the user can still decide in the window or at
            # a terminal.
            await decided
            return "open"
        finally:
            for wait in waits:
                wait.cancel()

    async def _wait_until_decided(self, plan: ConfigPlan) -> None:
        """Wait until the user has decided on a plan, or until the plan has expired."""
        changed = asyncio.Event()
        uri = f"{PLAN_URI_PREFIX}{plan.plan_id}"

        def on_event(event: object) -> None:
            if isinstance(event, ResourceUpdated) and event.uri == uri:
                changed.set()

        # subscribed before the first check, so that a change in between is not missed
        unsubscribe = self._bus.subscribe(on_event)
        try:
            async with asyncio.timeout(plan.get_seconds_left(datetime.now(UTC))):
                while (
                    await asyncio.to_thread(self._deps.plans.get_plan, plan.plan_id)
                ).status == "pending":
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            return
        finally:
            unsubscribe()

    async def _record_decision(
        self, answer: FormAnswer, plan: ConfigPlan, by: Requester
    ) -> PlanDecision:
        if answer.is_undecided:
            return "open"
        if answer.is_accepted:
            await asyncio.to_thread(self._deps.plans.approve_plan, plan.plan_id, by, answer.message)
            return "accepted"
        reason = f"declined in {by.client or 'the client'}"
        await asyncio.to_thread(self._deps.plans.reject_plan, plan.plan_id, by, reason)
        return "declined"
