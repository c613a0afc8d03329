"""Shuts down one component of the app within a time limit."""

import asyncio
import logging
from collections.abc import Awaitable

log = logging.getLogger(__name__)

PART_SHUTDOWN_TIMEOUT_S = 10.0
"""The time for which the app waits for one component before it shuts down the next one."""


async def shut_down_with_timeout(closing: Awaitable[None]) -> None:
    """Wait for a component to shut down, but not longer than the time limit.

    Exceptions are logged, not raised.
    """
    try:
        async with asyncio.timeout(PART_SHUTDOWN_TIMEOUT_S):
            await closing
    except Exception:  # the engine must still stop and release the held keys
        log.exception("a component failed to shut down")
