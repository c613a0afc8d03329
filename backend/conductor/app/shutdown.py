"""How a part of the app ends: in its time, whatever becomes of it."""

import asyncio
import logging
from collections.abc import Awaitable

log = logging.getLogger(__name__)

ENDS_WITHIN_S = 10.0
"""What one part may take to end: then it is left behind, and the others end."""


async def shutdown_with_timeout(ending: Awaitable[None]) -> None:
    """Wait for a part to end; what goes wrong is logged, and keeps no other from ending."""
    try:
        async with asyncio.timeout(ENDS_WITHIN_S):
            await ending
    except Exception:  # the engine must end, and let keys go, whatever else fails
        log.exception("a part did not end in order")
