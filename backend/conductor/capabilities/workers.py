"""Runs functions that may hang in a limited number of threads."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from conductor.base.detached import run_detached

Result = TypeVar("Result")


class LimitedThreads:
    """Runs functions that may hang, in a limited number of threads.

    A function that hangs keeps its thread, even when its caller has stopped waiting.
    """

    def __init__(self, max_threads: int) -> None:
        self._free_threads = asyncio.Semaphore(max_threads)

    async def run_in_thread(self, function: Callable[[], Result]) -> Result:
        """Run a function in a thread, as soon as one is free, and return its result."""
        await self._free_threads.acquire()
        task = asyncio.ensure_future(run_detached(function))
        task.add_done_callback(lambda _: self._free_threads.release())
        return await asyncio.shield(task)
