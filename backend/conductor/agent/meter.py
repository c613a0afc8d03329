"""Checks the spending limits before and during each model request, and logs the request with its price."""

import asyncio
from collections.abc import Callable

from conductor.agent import tokens
from conductor.agent.budget import Budget, SpentAmounts
from conductor.agent.choice import ModelChoice
from conductor.agent.deps import ChatDeps
from conductor.base.token_estimate import BYTES_PER_TOKEN
from conductor.domain.chat.messages import ChatFailure, ChatRequest, StreamEvent, Usage

LIMIT_CHECK_INTERVAL_EVENTS = 20
"""The spending limit is checked once in this many stream events, because each check computes the price of
the request.
"""
CONTENT_EVENT_TYPES = frozenset(
    {"text_delta", "thinking_delta", "tool_call_start", "tool_call_end"}
)
SPENDING_LIMIT_REACHED_MESSAGE = (
    "The answer was stopped: it reached the limit in Settings > Providers (`llm.budget`)."
)
UNKNOWN_PRICE_MESSAGE = (
    "The price of {model} is unknown, so no limit in Settings > Providers (`llm.budget`) applies."
)


class RequestHalted(Exception):
    """Raised when a model request must not be sent or must be aborted. `failure` tells the user why."""

    def __init__(self, failure: ChatFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class RequestMeter:
    """Counts the tokens of one model request while the answer streams, so that a spending limit can stop
    the request.
    """

    def __init__(
        self, choice: ModelChoice, tokens_in: int, is_over_limit: Callable[[int], bool] | None
    ) -> None:
        self.choice = choice
        self._tokens_in = tokens_in
        self._is_over_limit = is_over_limit
        self._characters = 0
        self._events = 0
        self._reported = Usage()
        self._has_content = False

    def count_event(self, event: StreamEvent) -> None:
        """Count the tokens of a stream event and check the spending limit.

        Raises:
            RequestHalted: The request has reached the limit and must be aborted.
        """
        if event.type == "usage":
            self._reported = self._reported.add(event.usage)
        self._has_content = self._has_content or event.type in CONTENT_EVENT_TYPES
        self._characters += len(getattr(event, "text", ""))
        self._events += 1
        if self._is_over_limit is not None and self._events % LIMIT_CHECK_INTERVAL_EVENTS == 0:
            self._check_limit(self._is_over_limit)

    def build_usage(self) -> Usage | None:
        """Return the token usage that the provider reported, or else an estimate.

        Return None if nothing was streamed.
        """
        usage = self._reported
        if not usage.input_tokens + usage.output_tokens:
            if not self._has_content:
                return None
            estimated = {
                "input_tokens": self._tokens_in,
                "output_tokens": self._estimated_output_tokens,
            }
            usage = usage.model_copy(update=estimated)
        return usage.model_copy(update={"requests": 1})

    @property
    def _estimated_output_tokens(self) -> int:
        return self._characters // BYTES_PER_TOKEN

    def _check_limit(self, is_over_limit: Callable[[int], bool]) -> None:
        if is_over_limit(self._estimated_output_tokens):
            raise RequestHalted(ChatFailure(kind="budget", message=SPENDING_LIMIT_REACHED_MESSAGE))


class ConversationMeter:
    """Measures the cost of all model requests of a conversation, including the requests for summaries."""

    def __init__(self, deps: ChatDeps, conversation_id: str) -> None:
        self._deps = deps
        self._conversation_id = conversation_id
        self._budget = Budget(deps, conversation_id)
        self._spent_at_start: SpentAmounts | None = None
        self._counted = False
        self.spent_usd = 0.0
        """The dollars that this conversation has cost so far."""

    async def start_request(self, choice: ModelChoice, request: ChatRequest) -> RequestMeter:
        """Check the spending limits before a model request is sent, and return a meter for the request.

        Raises:
            RequestHalted: The request would exceed a limit.
        """
        spent = await self._budget.sum_spending()
        self._spent_at_start = self._spent_at_start or spent
        self.spent_usd = spent.conversation
        tokens_in = tokens.estimate_request_tokens(request)
        left = self._budget.compute_remaining_usd(spent)
        if left is None or await asyncio.to_thread(self._is_free_model, choice):
            return RequestMeter(choice, tokens_in, None)
        price = await asyncio.to_thread(self._estimate_price, choice, tokens_in, 0)
        if (failure := self._budget.check_price(spent, price)) is not None:
            raise RequestHalted(failure)
        return RequestMeter(
            choice, tokens_in, lambda out: self._estimate_price(choice, tokens_in, out) > left
        )

    async def finish_request(self, request: RequestMeter, message_id: str) -> Usage | None:
        """Log the token usage and the price of a model request.

        Return the usage, or None if nothing was streamed.
        """
        usage = request.build_usage()
        if usage is None:
            return None
        usage = await asyncio.to_thread(self._log_usage, request.choice, usage, message_id)
        self.spent_usd += usage.cost_usd or 0.0
        self._counted = True
        return usage

    async def build_missing_price_warning(self, choice: ModelChoice) -> str | None:
        """Return a warning for the user if there is a spending limit but the price of the model is unknown,
        otherwise None.
        """
        if not self._budget.has_hard_limit or choice.is_local:
            return None
        if await asyncio.to_thread(self._compute_cost, choice, 1_000, 0):
            return None
        return UNKNOWN_PRICE_MESSAGE.format(model=choice.model or choice.name)

    async def build_cost_warning(self) -> str | None:
        """Return a warning if today's cost has passed the warning level since this meter was created,
        otherwise None.
        """
        if self._spent_at_start is None or not self._counted:
            return None
        return self._budget.build_warning(self._spent_at_start, await self._budget.sum_spending())

    def _is_free_model(self, choice: ModelChoice) -> bool:
        """Return whether the model costs nothing, because it runs locally and has no price."""
        return choice.is_local and not self._compute_cost(choice, 1_000, 1_000)

    def _estimate_price(self, choice: ModelChoice, tokens_in: int, tokens_out: int) -> float:
        return self._compute_cost(choice, tokens_in, tokens_out) or 0.0

    def _compute_cost(self, choice: ModelChoice, tokens_in: int, tokens_out: int) -> float | None:
        usage = Usage(requests=1, input_tokens=tokens_in, output_tokens=tokens_out)
        return self._deps.cost(choice.kind, choice.model or "", usage)

    def _log_usage(self, choice: ModelChoice, usage: Usage, message_id: str) -> Usage:
        if usage.cost_usd is None:
            price = self._deps.cost(choice.kind, choice.model or "", usage)
            if price is not None:
                usage = usage.model_copy(update={"cost_usd": price, "cost_from": "prices"})
        self._deps.usage.add_request(
            usage,
            provider=choice.name,
            kind=choice.kind,
            model=choice.model or "",
            conversation_id=self._conversation_id,
            message_id=message_id,
        )
        return usage
