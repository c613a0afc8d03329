"""Closes idle socket connections before abandoned ones use up the file descriptors.

Debian's `nc -U`, for example, stays connected until the server closes the connection. A connection is
closed when it has sent nothing for `IDLE_CONNECTION_TIMEOUT_S`, or when it is the longest idle of more than
`MAX_IDLE_CONNECTIONS`. Sessions of agents, watchers, the `conductor` command (whose user may be reading a
plan) and connections that wait for an answer never count as idle.
"""

import asyncio
from collections.abc import Callable

from conductor.base import clock

IDLE_CONNECTION_TIMEOUT_S = 300.0
MAX_IDLE_CONNECTIONS = 256
IDLE_CHECK_INTERVAL_S = 15.0

CloseConnection = Callable[[], None]


class IdleConnections:
    """The connections that wait for a line from their client, the longest idle first."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._now = now
        self._idle_since: dict[CloseConnection, float] = {}

    def add(self, close: CloseConnection) -> None:
        """Add a connection that starts to wait for a line from its client."""
        self._idle_since[close] = self._now()
        if len(self._idle_since) > MAX_IDLE_CONNECTIONS:
            self._close_oldest()

    def remove(self, close: CloseConnection) -> None:
        """Remove a connection that has received a line or has closed."""
        self._idle_since.pop(close, None)

    def close_expired(self) -> None:
        """Close the connections that have been idle for longer than the limit."""
        while (
            self._idle_since
            and self._now() - next(iter(self._idle_since.values())) >= IDLE_CONNECTION_TIMEOUT_S
        ):
            self._close_oldest()

    async def close_expired_repeatedly(self) -> None:
        """Close idle connections at regular intervals until cancelled."""
        while True:
            await asyncio.sleep(IDLE_CHECK_INTERVAL_S)
            self.close_expired()

    def _close_oldest(self) -> None:
        close = next(iter(self._idle_since))
        del self._idle_since[close]
        close()
