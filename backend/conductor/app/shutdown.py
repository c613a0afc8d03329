"""Shuts down one part of the app within a time limit."""

import asyncio
import logging
from collections.abc import Awaitable

log = logging.getLogger(__name__)

ENDS_WITHIN_S = 10.0
"""The limit for one part; after it the next part is shut down."""


async def shut_down_with_timeout(ending: Awaitable[None]) -> None:
    """Wait for a part to shut down. Errors are logged, so that the other parts still shut down."""
    try:
        async with asyncio.timeout(ENDS_WITHIN_S):
            await ending
    except Exception:  # the engine must still stop and release its keys
        log.exception("a component failed to shut down")
