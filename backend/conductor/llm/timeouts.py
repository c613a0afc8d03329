"""Limits the duration of requests to a provider and raises `AnswerTooSlow`, whose message tells the user
what to do.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from conductor.domain.chat.messages import StreamEvent
from conductor.llm.problems import AnswerTooSlow


@asynccontextmanager
async def cancel_at_deadline(ends_at: float) -> AsyncGenerator[None]:
    """Cancel the `async with` block at the time `ends_at` of the event loop's clock.

    Raises:
        AnswerTooSlow: The block was still running at that time.
    """
    limit = asyncio.timeout_at(ends_at)
    try:
        async with limit:
            yield
    except TimeoutError as problem:
        raise AnswerTooSlow if limit.expired() else problem from None


async def limit_stream_duration(
    events: AsyncGenerator[StreamEvent], timeout_s: float
) -> AsyncGenerator[StreamEvent]:
    """Yield the events of a stream until `timeout_s` seconds have passed since the first one was awaited.

    The limit is set for each event separately, because the caller may await each in a different task.

    Raises:
        AnswerTooSlow: The stream did not end in time.
    """
    ends_at = asyncio.get_running_loop().time() + timeout_s
    async with aclosing(events):
        while True:
            async with cancel_at_deadline(ends_at):
                event = await anext(events, None)
            if event is None:
                return
            yield event
