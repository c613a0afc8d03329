"""Runs work that may hang in a limited number of threads."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from conductor.base.detached import run_detached

Result = TypeVar("Result")


class Workers:
    """A pool with a limited number of threads, for work that may hang. Work that hangs keeps its thread even
    when its caller has stopped waiting.
    """

    def __init__(self, at_most: int) -> None:
        self._places = asyncio.Semaphore(at_most)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run work in a thread as soon as one is free, and return its result."""
        await self._places.acquire()
        doing = asyncio.ensure_future(run_detached(work))
        doing.add_done_callback(lambda _: self._places.release())
        return await asyncio.shield(doing)
