"""Shuts down one part of the app within a time limit."""

import asyncio
import logging
from collections.abc import Awaitable

log = logging.getLogger(__name__)

PART_SHUTDOWN_TIMEOUT_S = 10.0
"""The time limit for one part, after which the next part is shut down."""


async def shut_down_with_timeout(closing: Awaitable[None]) -> None:
    """Wait for a part to shut down within a time limit, and log errors instead of raising them."""
    try:
        async with asyncio.timeout(PART_SHUTDOWN_TIMEOUT_S):
            await closing
    except Exception:  # the engine must still stop and release its keys
        log.exception("a component failed to shut down")
