"""Closes idle socket connections, so that abandoned ones do not use up the file descriptors.

Debian's `nc -U` stays connected until it is cut off. A connection that sends nothing for `IDLE_S` is closed; so
is the one idle for longest when more than `MAX_IDLE` are. Sessions of agents, watchers, the `conductor` command
(its user may be reading a plan) and connections that wait for an answer are never counted as idle.
"""

import asyncio
from collections.abc import Callable

from conductor.base import clock

IDLE_S = 300.0
MAX_IDLE = 256
SWEEP_INTERVAL_S = 15.0

Close = Callable[[], None]


class IdleConnections:
    """The idle connections, ordered by how long they have been idle, longest first."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._now = now
        self._since: dict[Close, float] = {}

    def begin(self, close: Close) -> None:
        """Add a connection that starts waiting for a line."""
        self._since[close] = self._now()
        if len(self._since) > MAX_IDLE:
            self._close_oldest()

    def end(self, close: Close) -> None:
        """Remove a connection that has received a line or has closed."""
        self._since.pop(close, None)

    def sweep(self) -> None:
        """Close the connections that have been idle for longer than the limit."""
        while self._since and self._now() - next(iter(self._since.values())) >= IDLE_S:
            self._close_oldest()

    async def sweep_for_ever(self) -> None:
        """Close idle connections at regular intervals until cancelled."""
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            self.sweep()

    def _close_oldest(self) -> None:
        close = next(iter(self._since))
        del self._since[close]
        close()
