"""Runs work that may hang in a limited number of separate threads."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from conductor.base.detached import run_detached

Result = TypeVar("Result")


class Workers:
    """A limited pool of threads. Work that hangs occupies a thread even after its caller stopped waiting."""

    def __init__(self, at_most: int) -> None:
        self._places = asyncio.Semaphore(at_most)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run work in a thread as soon as a place is free, and return its result."""
        await self._places.acquire()
        doing = asyncio.ensure_future(run_detached(work))
        doing.add_done_callback(lambda _: self._places.release())
        return await asyncio.shield(doing)
