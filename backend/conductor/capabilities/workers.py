"""A few threads for work that may hang: apart from those that all else shares, and never more than these."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from conductor.base.detached import run_detached

Result = TypeVar("Result")


class Workers:
    """So much at once; what hangs keeps its place, also when nobody waits for it any more."""

    def __init__(self, at_most: int) -> None:
        self._places = asyncio.Semaphore(at_most)

    async def do(self, work: Callable[[], Result]) -> Result:
        """Do it in a thread as soon as there is a place; gives what it gave."""
        await self._places.acquire()
        doing = asyncio.ensure_future(run_detached(work))
        doing.add_done_callback(lambda _: self._places.release())
        return await asyncio.shield(doing)
