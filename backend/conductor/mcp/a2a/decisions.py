"""Waits until the user decides on a plan: in the window or at a terminal."""

import asyncio
from collections import defaultdict
from datetime import UTC, datetime

from conductor.domain.plan import ConfigPlan
from conductor.mcp.server.deps import Plans


class PlanDecisions:
    """Wakes the tasks that wait for a decision when the status of their plan changes."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def on_plan_changed(self, plan_id: str) -> None:
        """Wake the tasks that wait for a plan. Call this on the event loop."""
        for changed in self._waiting.get(plan_id, ()):
            changed.set()

    async def wait_until_decided(self, plan: ConfigPlan) -> None:
        """Wait until a plan is no longer pending, or has expired."""
        changed = asyncio.Event()
        # registered before the first check, so that a decision in between is not missed
        self._waiting[plan.plan_id].add(changed)
        try:
            async with asyncio.timeout(plan.get_seconds_left(datetime.now(UTC))):
                while await self._is_pending(plan.plan_id):
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            return
        finally:
            self._waiting[plan.plan_id].discard(changed)
            if not self._waiting[plan.plan_id]:
                del self._waiting[plan.plan_id]

    async def _is_pending(self, plan_id: str) -> bool:
        return (await asyncio.to_thread(self._plans.get_plan, plan_id)).status == "pending"
