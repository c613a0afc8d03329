"""Closes idle socket connections, so that abandoned ones do not use up the file descriptors.

Debian's `nc -U` stays connected until it is cut off. A connection that sends nothing for `IDLE_TIMEOUT_S` is closed; so
is the one idle for longest when more than `MAX_IDLE_CONNECTIONS` are. Sessions of agents, watchers, the `conductor` command
(its user may be reading a plan) and connections that wait for an answer are never counted as idle.
"""

import asyncio
from collections.abc import Callable

from conductor.base import clock

IDLE_TIMEOUT_S = 300.0
MAX_IDLE_CONNECTIONS = 256
SWEEP_INTERVAL_S = 15.0

Close = Callable[[], None]


class IdleConnections:
    """The idle connections, ordered by how long they have been idle, longest first."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._now = now
        self._idle_since: dict[Close, float] = {}

    def add(self, close: Close) -> None:
        """Add a connection that starts waiting for a line."""
        self._idle_since[close] = self._now()
        if len(self._idle_since) > MAX_IDLE_CONNECTIONS:
            self._close_oldest()

    def remove(self, close: Close) -> None:
        """Remove a connection that has received a line or has closed."""
        self._idle_since.pop(close, None)

    def sweep(self) -> None:
        """Close the connections that have been idle for longer than the limit."""
        while (
            self._idle_since
            and self._now() - next(iter(self._idle_since.values())) >= IDLE_TIMEOUT_S
        ):
            self._close_oldest()

    async def sweep_forever(self) -> None:
        """Close idle connections at regular intervals until cancelled."""
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            self.sweep()

    def _close_oldest(self) -> None:
        close = next(iter(self._idle_since))
        del self._idle_since[close]
        close()
