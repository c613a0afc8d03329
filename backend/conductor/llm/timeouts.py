"""Ends what takes too long, in words for the user."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from conductor.domain.chat.messages import StreamEvent
from conductor.llm.problems import TooSlow


@asynccontextmanager
async def deadline(ends_at: float) -> AsyncGenerator[None]:
    """Bound what is waited for in the block, by the time of the loop.

    Raises:
        TooSlow: it was not done in time.
    """
    limit = asyncio.timeout_at(ends_at)
    try:
        async with limit:
            yield
    except TimeoutError as problem:
        raise TooSlow if limit.expired() else problem from None


async def stream_deadline(
    events: AsyncGenerator[StreamEvent], within_s: float
) -> AsyncGenerator[StreamEvent]:
    """Return all events, unless they take too long; each may be waited for in another task.

    Raises:
        TooSlow: the last one did not come in time.
    """
    ends_at = asyncio.get_running_loop().time() + within_s
    async with aclosing(events):
        while True:
            async with deadline(ends_at):
                event = await anext(events, None)
            if event is None:
                return
            yield event
