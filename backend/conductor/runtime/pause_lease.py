"""Pauses all mappings while the user records a device profile. The pause expires unless it is renewed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from conductor.errors import ConductorError

log = logging.getLogger(__name__)

LEASE_S = 10.0
"""A page renews the pause every second. A hidden tab may be slower; its next renewal then starts the pause
again.
"""


class PauseLease:
    """A pause that expires. It does not affect a pause that the user started. Use it on the event loop."""

    def __init__(
        self,
        is_paused: Callable[[], bool],
        pause: Callable[[bool], Awaitable[object]],
        lasts_s: float = LEASE_S,
    ) -> None:
        self._is_paused = is_paused
        self._pause = pause
        self._lasts_s = lasts_s
        self._under_way = False
        self._is_paused_by_lease = False
        """Whether this lease has paused the mappings and must therefore resume them."""
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Pause all mappings until `end` is called, or until `renew` has not been called for `lasts_s`
        seconds.
        """
        self._under_way = True
        await self.renew()

    async def renew(self) -> None:
        """Extend the pause. Does nothing before `begin` or after `end`."""
        if not self._under_way:
            return
        self._wait()
        if not self._is_paused():
            self._is_paused_by_lease = True
            await self._pause(True)

    async def end(self) -> None:
        """Resume the mappings if this lease paused them."""
        self._under_way = False
        self._cancel_timer()
        await self._resume_mappings()

    async def _resume_mappings(self) -> None:
        if self._is_paused_by_lease:
            await self._pause(False)
            self._is_paused_by_lease = False

    def _wait(self) -> None:
        self._cancel_timer()
        self._timer = asyncio.get_running_loop().call_later(self._lasts_s, self._start_expiry)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_expiry(self) -> None:
        self._ending = asyncio.ensure_future(self._on_expired())

    async def _on_expired(self) -> None:
        try:
            await self._resume_mappings()
        except ConductorError as error:  # an engine that starts again just now
            log.warning("mappings stay paused, because the engine does not respond: %s", error)
            self._wait()
