"""What the chat may cost: looked at before each request, while an answer streams in, and after it."""

import asyncio
from datetime import datetime
from typing import NamedTuple

from conductor.agent.deps import ChatDeps
from conductor.domain.chat.messages import ChatFailure
from conductor.domain.settings import LlmBudget

CALM = 1e-9


class Spent(NamedTuple):
    """Dollars until now."""

    today: float
    conversation: float


class Budget:
    """The limits of one conversation."""

    def __init__(self, desk: ChatDeps, conversation_id: str) -> None:
        self._desk = desk
        self._conversation_id = conversation_id

    @property
    def limits(self) -> LlmBudget:
        return self._desk.config().llm.budget

    @property
    def is_hard(self) -> bool:
        """Return whether any limit stops the chat."""
        return self.left(Spent(0, 0)) is not None

    async def spent(self) -> Spent:
        return await asyncio.to_thread(self._spent)

    def _spent(self) -> Spent:
        usage = self._desk.usage
        return Spent(
            usage.spent_usd(start_of_day(self._desk.clock())),
            usage.spent_in(self._conversation_id),
        )

    def left(self, spent: Spent) -> float | None:
        """Return what may still be spent; None without a limit."""
        limits = self.limits
        rests = [
            limit - used
            for limit, used in (
                (limits.stop_usd_per_day, spent.today),
                (limits.stop_usd_per_conversation, spent.conversation),
            )
            if limit is not None
        ]
        return min(rests) if rests else None

    def refusal(self, spent: Spent, next_usd: float) -> ChatFailure | None:
        """Return why a request that costs this must not be made, if so."""
        limits = self.limits
        day, one = limits.stop_usd_per_day, limits.stop_usd_per_conversation
        if day is not None and spent.today + next_usd > day - CALM:
            limit, else_ = f"today's limit of ${day:.2f}", "go on tomorrow"
            return _failure(limit, spent.today, "stop_usd_per_day", else_)
        if one is not None and spent.conversation + next_usd > one - CALM:
            name = "stop_usd_per_conversation"
            limit, else_ = f"this conversation's limit of ${one:.2f}", "start a new chat"
            return _failure(limit, spent.conversation, name, else_)
        return None

    def warning(self, before: Spent, after: Spent) -> str | None:
        """Warn when an answer crosses the day's soft limit: that is once a day."""
        warn = self.limits.warn_usd_per_day
        if not before.today < warn <= after.today:
            return None
        return f"The chat has cost ${after.today:.2f} today, more than the ${warn:.2f} you want to be told of."


def start_of_day(at: datetime) -> datetime:
    """Return the last midnight where the user is."""
    return at.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)


def _failure(limit: str, spent: float, setting: str, otherwise: str) -> ChatFailure:
    return ChatFailure(
        kind="budget",
        message=f"The chat stops here: the next request could go past {limit} (${spent:.2f} so far). "
        f"Raise it in Settings > Providers (`llm.budget.{setting}`), choose a model on your own "
        f"computer, or {otherwise}.",
    )
