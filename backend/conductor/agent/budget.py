"""The spending limits of the chat, which are checked before, during and after each model request."""

import asyncio
from datetime import datetime
from typing import NamedTuple

from conductor.agent.deps import ChatDeps
from conductor.domain.chat.messages import ChatFailure
from conductor.domain.settings import LlmBudget

ROUNDING_TOLERANCE_USD = 1e-9
"""The tolerance in a comparison with a spending limit, because sums of small amounts have rounding errors."""


class SpentAmounts(NamedTuple):
    """The dollars that the chat has spent today and in this conversation."""

    today: float
    conversation: float


class Budget:
    """Checks the costs of a conversation against the spending limits in the settings."""

    def __init__(self, deps: ChatDeps, conversation_id: str) -> None:
        self._deps = deps
        self._conversation_id = conversation_id

    @property
    def configured_limits(self) -> LlmBudget:
        return self._deps.config().llm.budget

    @property
    def has_hard_limit(self) -> bool:
        """Return whether the settings contain a limit that stops the chat, in contrast to a warning."""
        return self.compute_remaining_usd(SpentAmounts(0, 0)) is not None

    async def sum_spending(self) -> SpentAmounts:
        return await asyncio.to_thread(self._query_spending)

    def _query_spending(self) -> SpentAmounts:
        usage = self._deps.usage
        return SpentAmounts(
            usage.sum_cost(get_start_of_day(self._deps.clock())),
            usage.sum_conversation_cost(self._conversation_id),
        )

    def compute_remaining_usd(self, spent: SpentAmounts) -> float | None:
        """Return how many dollars may still be spent before the first limit is reached, or None if there is
        no limit.
        """
        limits = self.configured_limits
        remaining = [
            limit - used
            for limit, used in (
                (limits.stop_usd_per_day, spent.today),
                (limits.stop_usd_per_conversation, spent.conversation),
            )
            if limit is not None
        ]
        return min(remaining) if remaining else None

    def check_price(self, spent: SpentAmounts, next_usd: float) -> ChatFailure | None:
        """Return a failure for the user if the next request would exceed a spending limit, otherwise None.

        `next_usd` is the expected price of that request in dollars.
        """
        limits = self.configured_limits
        per_day = limits.stop_usd_per_day
        per_conversation = limits.stop_usd_per_conversation
        if per_day is not None and spent.today + next_usd > per_day - ROUNDING_TOLERANCE_USD:
            limit, advice = f"today's limit of ${per_day:.2f}", "continue tomorrow"
            return _build_limit_failure(limit, spent.today, "stop_usd_per_day", advice)
        if (
            per_conversation is not None
            and spent.conversation + next_usd > per_conversation - ROUNDING_TOLERANCE_USD
        ):
            name = "stop_usd_per_conversation"
            limit = f"this conversation's limit of ${per_conversation:.2f}"
            return _build_limit_failure(limit, spent.conversation, name, "start a new chat")
        return None

    def build_warning(self, before: SpentAmounts, after: SpentAmounts) -> str | None:
        """Return a warning if today's cost was below the warning level before the answer and is above it
        now, otherwise None.
        """
        warn = self.configured_limits.warn_usd_per_day
        if not before.today < warn <= after.today:
            return None
        return (
            f"The chat has cost ${after.today:.2f} today, above your warning level of ${warn:.2f}."
        )


def get_start_of_day(at: datetime) -> datetime:
    """Return the midnight, in the local time zone, at which the day of a time began.

    Daily limits start there.
    """
    return at.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def _build_limit_failure(limit: str, spent: float, setting: str, advice: str) -> ChatFailure:
    return ChatFailure(
        kind="budget",
        message=f"The chat stops here: the next request could go past {limit} (${spent:.2f} so far). "
        f"Raise it in Settings > Providers (`llm.budget.{setting}`), choose a model on your own "
        f"computer, or {advice}.",
    )
