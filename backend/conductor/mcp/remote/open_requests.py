"""Ends the open requests of agents on other computers when their access is revoked or their token expires.

An agent may keep a response open for hours, to receive notifications. Checking its token at the start of each
request would leave such a response open after the user has revoked the access.
"""

import asyncio
from collections.abc import Awaitable


class OpenRequests:
    """The requests in progress, by grant. Use it on the event loop only."""

    def __init__(self) -> None:
        self._tasks: dict[str, set[asyncio.Task[None]]] = {}

    async def run_request(self, grant_id: str, work: Awaitable[None], timeout_s: float) -> None:
        """Run a request until it is complete, its token expires, or its grant is revoked."""
        task = asyncio.ensure_future(work)
        tasks = self._tasks.setdefault(grant_id, set())
        tasks.add(task)
        try:
            await asyncio.wait({task}, timeout=timeout_s)
        finally:
            tasks.discard(task)
            if not tasks:
                self._tasks.pop(grant_id, None)
            if not task.done():
                task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error

    def end_requests(self, grant_id: str) -> int:
        """Cancel all requests of a grant, and return how many there were."""
        tasks = list(self._tasks.get(grant_id, ()))
        for task in tasks:
            task.cancel()
        return len(tasks)
