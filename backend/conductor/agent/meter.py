"""What requests to models cost: each is checked before it, counted while it streams, priced and logged."""

import asyncio
from collections.abc import Callable

from conductor.agent import tokens
from conductor.agent.budget import Budget, Spent
from conductor.agent.choice import Choice
from conductor.agent.deps import ChatDeps
from conductor.base.token_estimate import BYTES_PER_TOKEN
from conductor.domain.chat.messages import ChatFailure, ChatRequest, StreamEvent, Usage

CHECK_EVERY = 20
"""Pieces of an answer."""
CONTENT = frozenset({"text_delta", "thinking_delta", "tool_call_start", "tool_call_end"})
PAST_LIMIT = "The answer was stopped: it reached the limit in Settings > Providers (`llm.budget`)."
NO_PRICE = "The price of {model} is not known: the limit in Settings > Providers (`llm.budget`) cannot hold it."


class Halt(Exception):
    """A request must not be made, or must not go on."""

    def __init__(self, failure: ChatFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Watch:
    """Counts one request, so that a limit is not only noticed afterwards."""

    def __init__(
        self, choice: Choice, tokens_in: int, is_dear: Callable[[int], bool] | None
    ) -> None:
        self.choice = choice
        self._tokens_in = tokens_in
        self._is_dear = is_dear
        self._characters = 0
        self._seen = 0
        self._told = Usage()
        self._has_content = False

    def see(self, event: StreamEvent) -> None:
        """Take note of a piece.

        Raises:
            Halt: it costs more than is allowed.
        """
        if event.type == "usage":
            self._told = self._told.plus(event.usage)
        self._has_content = self._has_content or event.type in CONTENT
        self._characters += len(getattr(event, "text", ""))
        self._seen += 1
        if self._is_dear is not None and self._seen % CHECK_EVERY == 0:
            self._check(self._is_dear)

    def used(self) -> Usage | None:
        """Return what it took: as told, else estimated; None where it gave nothing."""
        used = self._told
        if not used.input_tokens + used.output_tokens:
            if not self._has_content:
                return None
            estimated = {"input_tokens": self._tokens_in, "output_tokens": self._tokens_out}
            used = used.model_copy(update=estimated)
        return used.model_copy(update={"requests": 1})

    @property
    def _tokens_out(self) -> int:
        return self._characters // BYTES_PER_TOKEN

    def _check(self, is_dear: Callable[[int], bool]) -> None:
        if is_dear(self._tokens_out):
            raise Halt(ChatFailure(kind="budget", message=PAST_LIMIT))


class Meter:
    """Every request of a conversation goes through it, a summary's too."""

    def __init__(self, desk: ChatDeps, conversation_id: str) -> None:
        self._desk = desk
        self._conversation_id = conversation_id
        self._budget = Budget(desk, conversation_id)
        self._began: Spent | None = None
        self._counted = False
        self.spent_usd = 0.0
        """By this conversation."""

    async def watch(self, choice: Choice, request: ChatRequest) -> Watch:
        """Return what counts a request that is about to be made.

        Raises:
            Halt: a limit is reached.
        """
        spent = await self._budget.spent()
        self._began = self._began or spent
        self.spent_usd = spent.conversation
        tokens_in = tokens.of_request(request)
        left = self._budget.left(spent)
        if left is None or await asyncio.to_thread(self._is_free, choice):
            return Watch(choice, tokens_in, None)
        price = await asyncio.to_thread(self._price, choice, tokens_in, 0)
        if (failure := self._budget.refusal(spent, price)) is not None:
            raise Halt(failure)
        return Watch(choice, tokens_in, lambda out: self._price(choice, tokens_in, out) > left)

    async def count(self, watch: Watch, message_id: str) -> Usage | None:
        """Put what a request used into the log, with its price, and give it; None where that is nothing."""
        used = watch.used()
        if used is None:
            return None
        used = await asyncio.to_thread(self._logged, watch.choice, used, message_id)
        self.spent_usd += used.cost_usd or 0.0
        self._counted = True
        return used

    async def unlimited(self, choice: Choice) -> str | None:
        """Say that a limit is set and cannot hold this model, if so."""
        if not self._budget.is_hard or choice.is_local:
            return None
        if await asyncio.to_thread(self._cost, choice, 1_000, 0):
            return None
        return NO_PRICE.format(model=choice.model or choice.name)

    async def warning(self) -> str | None:
        """Say that the day's soft limit was crossed meanwhile, if so."""
        if self._began is None or not self._counted:
            return None
        return self._budget.warning(self._began, await self._budget.spent())

    def _is_free(self, choice: Choice) -> bool:
        """Check for a model of the user's own computer or network, which nobody bills."""
        return choice.is_local and not self._cost(choice, 1_000, 1_000)

    def _price(self, choice: Choice, tokens_in: int, tokens_out: int) -> float:
        return self._cost(choice, tokens_in, tokens_out) or 0.0

    def _cost(self, choice: Choice, tokens_in: int, tokens_out: int) -> float | None:
        usage = Usage(requests=1, input_tokens=tokens_in, output_tokens=tokens_out)
        return self._desk.cost(choice.kind, choice.model or "", usage)

    def _logged(self, choice: Choice, used: Usage, message_id: str) -> Usage:
        if used.cost_usd is None:
            price = self._desk.cost(choice.kind, choice.model or "", used)
            if price is not None:
                used = used.model_copy(update={"cost_usd": price, "cost_from": "prices"})
        self._desk.usage.add(
            used,
            provider=choice.name,
            kind=choice.kind,
            model=choice.model or "",
            conversation_id=self._conversation_id,
            message_id=message_id,
        )
        return used
