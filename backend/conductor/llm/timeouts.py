"""Time limits that raise errors with messages for the user."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

from conductor.domain.chat.messages import StreamEvent
from conductor.llm.problems import AnswerTooSlow


@asynccontextmanager
async def cancel_at_deadline(ends_at: float) -> AsyncGenerator[None]:
    """Cancel the block if it has not finished by `ends_at` on the event loop's clock.

    Raises:
        TooSlow: The block did not finish in time.
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
    """Yield all events of a stream within a time limit. Each event may be awaited in a different task.

    Raises:
        TooSlow: The last event did not arrive in time.
    """
    ends_at = asyncio.get_running_loop().time() + timeout_s
    async with aclosing(events):
        while True:
            async with cancel_at_deadline(ends_at):
                event = await anext(events, None)
            if event is None:
                return
            yield event
