"""One attempt at a request: yields the answer's events, or records why it failed."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from conductor.domain.chat.messages import (
    ChatFailure,
    Done,
    Part,
    StreamEvent,
    UsageReport,
)
from conductor.llm.exchange import Exchange
from conductor.llm.failures import Place
from conductor.llm.prices import Price
from conductor.llm.timeouts import stream_deadline
from conductor.llm.usage import usage_of

BROKE_OFF = "the answer broke off"


class Attempt:
    """One attempt to get an answer from a model. If `events` ends without `Done`, `failure` holds the reason
    and `kept` the parts received so far.
    """

    def __init__(
        self, place: Place, exchange: Callable[[], Exchange], listed: Price | None, whole_s: float
    ) -> None:
        """`exchange` creates the request, `listed` is the price in the provider's model list, and `whole_s` is
        the time limit for the whole answer.
        """
        self._place, self._make, self._listed = place, exchange, listed
        self._whole_s = whole_s
        self.failure: ChatFailure | None = None
        self.problem: Exception | None = None
        self.kept: tuple[Part, ...] = ()
        self.has_events = False
        """Whether any event of this attempt was yielded."""

    async def events(self) -> AsyncGenerator[StreamEvent]:
        """Yield the answer's events, its usage and, on success, `Done`."""
        exchange: Exchange | None = None
        try:
            exchange = self._make()
            async with aclosing(stream_deadline(exchange.events(), self._whole_s)) as events:
                async for event in events:
                    self.has_events = True
                    yield event
        except Exception as problem:  # noqa: BLE001 - every error becomes a message for the user
            self.problem, self.failure = problem, self._place.of(problem)
        if exchange is None:
            return
        async for event in self._finish_stream(exchange):
            yield event

    async def _finish_stream(self, exchange: Exchange) -> AsyncGenerator[StreamEvent]:
        response = exchange.response
        if response is not None:
            place = self._place
            used = usage_of(place.kind, place.model, response, exchange.headers, self._listed)
            yield UsageReport(usage=used)
        stop = None if self.failure else exchange.stop()
        if stop is not None:
            yield Done(stop=stop, parts=exchange.parts())
            return
        self.failure = self.failure or self._place.failure("network", BROKE_OFF)
        self.kept = exchange.kept()
