"""Plain connections that wait for their next line, so that forgotten ones cannot use all of them up.

Debian's `nc -U` stays connected until it is cut off. A connection that says nothing for `IDLE_S`, or the
one that has said nothing for longest when over `IDLE_AT_MOST` wait, is closed. Agents' sessions, watchers,
the `conductor` command (its user may be reading a plan) and whoever waits for an answer are never in here.
"""

import asyncio
from collections.abc import Callable

from conductor.base import clock

IDLE_S = 300.0
IDLE_AT_MOST = 256
LOOK_EVERY_S = 15.0

Close = Callable[[], None]


class Idle:
    """Who waits, the longest first."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._now = now
        self._since: dict[Close, float] = {}

    def begin(self, close: Close) -> None:
        """Count a connection in: it waits for a line from now on."""
        self._since[close] = self._now()
        if len(self._since) > IDLE_AT_MOST:
            self._close_first()

    def end(self, close: Close) -> None:
        """Count a connection out: it has a line, or has gone."""
        self._since.pop(close, None)

    def sweep(self) -> None:
        """Close those that have waited too long."""
        while self._since and self._now() - next(iter(self._since.values())) >= IDLE_S:
            self._close_first()

    async def sweep_for_ever(self) -> None:
        """Look now and then."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self.sweep()

    def _close_first(self) -> None:
        close = next(iter(self._since))
        del self._since[close]
        close()
