"""Spending limits of the chat, checked before, during and after each request."""

import asyncio
from datetime import datetime
from typing import NamedTuple

from conductor.agent.deps import ChatDeps
from conductor.domain.chat.messages import ChatFailure
from conductor.domain.settings import LlmBudget

ROUNDING = 1e-9
"""Dollars; absorbs floating-point error at a limit."""


class Spent(NamedTuple):
    """Dollars spent so far."""

    today: float
    conversation: float


class Budget:
    """The spending limits that apply to a conversation."""

    def __init__(self, deps: ChatDeps, conversation_id: str) -> None:
        self._deps = deps
        self._conversation_id = conversation_id

    @property
    def limits(self) -> LlmBudget:
        return self._deps.config().llm.budget

    @property
    def is_hard(self) -> bool:
        """Return whether any configured spending limit stops the chat when it is reached."""
        return self.left(Spent(0, 0)) is not None

    async def spent(self) -> Spent:
        return await asyncio.to_thread(self._sum_spending)

    def _sum_spending(self) -> Spent:
        usage = self._deps.usage
        return Spent(
            usage.sum_cost(start_of_day(self._deps.clock())),
            usage.sum_conversation_cost(self._conversation_id),
        )

    def left(self, spent: Spent) -> float | None:
        """Return how many dollars may still be spent, or None if there is no limit."""
        limits = self.limits
        remaining = [
            limit - used
            for limit, used in (
                (limits.stop_usd_per_day, spent.today),
                (limits.stop_usd_per_conversation, spent.conversation),
            )
            if limit is not None
        ]
        return min(remaining) if remaining else None

    def refusal(self, spent: Spent, next_usd: float) -> ChatFailure | None:
        """Return a failure if a request of this price would exceed a spending limit, else None."""
        limits = self.limits
        per_day = limits.stop_usd_per_day
        per_conversation = limits.stop_usd_per_conversation
        if per_day is not None and spent.today + next_usd > per_day - ROUNDING:
            limit, otherwise = f"today's limit of ${per_day:.2f}", "continue tomorrow"
            return _build_failure(limit, spent.today, "stop_usd_per_day", otherwise)
        if (
            per_conversation is not None
            and spent.conversation + next_usd > per_conversation - ROUNDING
        ):
            name = "stop_usd_per_conversation"
            limit = f"this conversation's limit of ${per_conversation:.2f}"
            return _build_failure(limit, spent.conversation, name, "start a new chat")
        return None

    def warning(self, before: Spent, after: Spent) -> str | None:
        """Return a warning if an answer raised today's cost to the warning level, else None."""
        warn = self.limits.warn_usd_per_day
        if not before.today < warn <= after.today:
            return None
        return (
            f"The chat has cost ${after.today:.2f} today, above your warning level of ${warn:.2f}."
        )


def start_of_day(at: datetime) -> datetime:
    """Return the last midnight in the local time zone."""
    return at.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def _build_failure(limit: str, spent: float, setting: str, otherwise: str) -> ChatFailure:
    return ChatFailure(
        kind="budget",
        message=f"The chat stops here: the next request could go past {limit} (${spent:.2f} so far). "
        f"Raise it in Settings > Providers (`llm.budget.{setting}`), choose a model on your own "
        f"computer, or {otherwise}.",
    )
