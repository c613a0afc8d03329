"""Approval by a form in the agent's client: what it shows, who may be asked, and what an answer means.

Only for harmless changes of the config, only over the socket, only for clients that the user has named, and
only in answer to a question that was really asked. A decline rejects the plan; a cancel or no answer in
time leaves it waiting.
"""

import asyncio
from datetime import UTC, datetime
from typing import Any, Literal

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated

from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.plan_text import approval_text, may_use_form
from conductor.errors import UnknownPlan
from conductor.mcp.server.deps import Outcome, ServerDeps
from conductor.mcp.server.forms import FORM, SHOWN_AT_MOST, Forms, may_ask
from conductor.mcp.server.forms import Answer as Given
from conductor.mcp.server.task import Task

APPLY = "conductor_apply_plan"
PLAN = "conductor://plans/"
Answer = Literal["accepted", "declined", "open"]


class Approval:
    """Asks, and passes the user's word to the plans."""

    def __init__(self, desk: ServerDeps, bus: InMemorySubscriptionBus) -> None:
        self._desk = desk
        self._bus = bus
        self._forms = Forms("Apply this change", "Yes applies it; no rejects the plan")

    async def waiting(self, arguments: dict[str, Any], outcome: Outcome) -> ConfigPlan | None:
        """Return the plan that could not be applied only because the user has not approved it yet."""
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
        given = await self._forms.ask(ctx, params, plan.plan_id, by, approval_text(plan))
        if isinstance(given, types.InputRequiredResult):
            return given
        return await self._decide(given, plan, by)

    def _may_ask(self, ctx: ServerRequestContext[Any], plan: ConfigPlan, by: Requester) -> bool:
        return may_ask(ctx, by, self._desk.settings()) and may_use_form(
            plan, by, self._desk.settings()
        )

    async def wait(
        self, ctx: ServerRequestContext[Any], task: Task, plan: ConfigPlan, by: Requester
    ) -> Answer:
        """Wait in a task until the user decides: in the window, at a terminal, or in a form that may be shown.

        Raises:
            ConductorError: the plan cannot be approved, or somebody else decided meanwhile.
        """
        shown = approval_text(plan)
        shows_form = self._may_ask(ctx, plan, by) and len(shown) <= SHOWN_AT_MOST
        task.wait(f"Waiting for the user to decide on plan {plan.plan_id}")
        decided = asyncio.ensure_future(self._until_decided(plan))
        asked = (
            asyncio.ensure_future(task.ask(FORM, self._forms.form(shown))) if shows_form else None
        )
        both = {one for one in (decided, asked) if one is not None}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if asked is not None and asked.done() and not decided.done():
                answer = await self._decide(Given(asked.result(), shown), plan, by)
                if answer != "open":
                    return answer
            await decided
            return "open"
        finally:
            for one in both:
                one.cancel()

    async def _until_decided(self, plan: ConfigPlan) -> None:
        """Wait until a plan is no longer pending, or has lapsed."""
        changed = asyncio.Event()
        uri = f"{PLAN}{plan.plan_id}"

        def hear(event: object) -> None:
            if isinstance(event, ResourceUpdated) and event.uri == uri:
                changed.set()

        end = self._bus.subscribe(hear)
        try:
            async with asyncio.timeout((plan.expires_at - datetime.now(UTC)).total_seconds()):
                while (
                    await asyncio.to_thread(self._desk.plans.get, plan.plan_id)
                ).status == "pending":
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            return
        finally:
            end()

    async def _decide(self, given: Given, plan: ConfigPlan, by: Requester) -> Answer:
        if given.is_open:
            return "open"
        if given.is_yes:
            await asyncio.to_thread(self._desk.plans.approve, plan.plan_id, by, given.shown)
            return "accepted"
        words = f"declined in {by.client or 'the client'}"
        await asyncio.to_thread(self._desk.plans.reject, plan.plan_id, by, words)
        return "declined"
