"""Runs one attempt at a chat request and records why the attempt failed."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from conductor.domain.chat.messages import (
    ChatFailure,
    Done,
    Part,
    StreamEvent,
    UsageReport,
)
from conductor.llm.exchange import ModelExchange
from conductor.llm.failures import FailureContext
from conductor.llm.prices import ModelPrice
from conductor.llm.timeouts import limit_stream_duration
from conductor.llm.usage import build_usage

ANSWER_INTERRUPTED_MESSAGE = "the answer was cut off"


class AnswerAttempt:
    """One attempt to get an answer from a model.

    If `stream_events` ends without a `Done` event, `failure` holds the reason and `usable_parts` holds the
    text and thinking received so far.
    """

    def __init__(
        self,
        context: FailureContext,
        create_exchange: Callable[[], ModelExchange],
        listed_price: ModelPrice | None,
        timeout_s: float,
    ) -> None:
        """Set what the attempt sends and how its cost and duration are limited.

        `create_exchange` creates the request, `listed_price` is the price in the provider's own model list,
        and `timeout_s` limits the whole answer.
        """
        self._failure_context, self._create_exchange, self._listed_price = (
            context,
            create_exchange,
            listed_price,
        )
        self._timeout_s = timeout_s
        self.failure: ChatFailure | None = None
        self.error: Exception | None = None
        self.usable_parts: tuple[Part, ...] = ()
        self.has_events = False
        """Whether the caller has received an event, after which the request must not be retried."""

    async def stream_events(self) -> AsyncGenerator[StreamEvent]:
        """Yield the events of the answer, then its token usage and, if the answer is complete, a `Done` event.

        No exception of the provider is raised; it is stored in `error` and `failure`.
        """
        exchange: ModelExchange | None = None
        try:
            exchange = self._create_exchange()
            async with aclosing(
                limit_stream_duration(exchange.stream_events(), self._timeout_s)
            ) as events:
                async for event in events:
                    self.has_events = True
                    yield event
        except Exception as problem:  # noqa: BLE001 - every error becomes a message for the user
            self.error, self.failure = problem, self._failure_context.convert_error(problem)
        if exchange is None:
            return
        async for event in self._finish_stream(exchange):
            yield event

    async def _finish_stream(self, exchange: ModelExchange) -> AsyncGenerator[StreamEvent]:
        response = exchange.partial_response
        if response is not None:
            context = self._failure_context
            usage = build_usage(
                context.kind, context.model, response, exchange.response_headers, self._listed_price
            )
            yield UsageReport(usage=usage)
        stop = None if self.failure else exchange.find_stop_reason()
        if stop is not None:
            yield Done(stop=stop, parts=exchange.build_parts())
            return
        self.failure = self.failure or self._failure_context.build_failure(
            "network", ANSWER_INTERRUPTED_MESSAGE
        )
        self.usable_parts = exchange.build_usable_parts()
