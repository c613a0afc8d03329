"""Pauses all mappings while the user records a device profile. The pause expires unless it is renewed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from conductor.errors import ConductorError

log = logging.getLogger(__name__)

PAUSE_LEASE_S = 10.0
"""Seconds until the pause expires. A page renews it every second; if a hidden tab is slower, its next
renewal pauses the mappings again."""


class PauseLease:
    """Pauses all mappings for a limited time that can be extended.

    A pause that the user started is left alone. Not thread-safe: call all methods on the event loop.
    """

    def __init__(
        self,
        is_paused: Callable[[], bool],
        pause: Callable[[bool], Awaitable[object]],
        duration_s: float = PAUSE_LEASE_S,
    ) -> None:
        self._is_paused = is_paused
        self._pause = pause
        self._duration_s = duration_s
        self._is_active = False
        self._is_paused_by_lease = False
        """Whether this lease has paused the mappings, and must therefore resume them."""
        self._timer: asyncio.TimerHandle | None = None
        self._expiry_task: asyncio.Task[None] | None = None

    async def begin_pause(self) -> None:
        """Pause all mappings until `end_pause` is called or no `renew_pause` follows within `duration_s`."""
        self._is_active = True
        await self.renew_pause()

    async def renew_pause(self) -> None:
        """Extend the pause by `duration_s`; this has no effect before `begin_pause` and after `end_pause`."""
        if not self._is_active:
            return
        self._restart_timer()
        if not self._is_paused():
            self._is_paused_by_lease = True
            await self._pause(True)

    async def end_pause(self) -> None:
        """Resume the mappings, but only if this lease has paused them."""
        self._is_active = False
        self._cancel_timer()
        await self._resume_mappings()

    async def _resume_mappings(self) -> None:
        if self._is_paused_by_lease:
            await self._pause(False)
            self._is_paused_by_lease = False

    def _restart_timer(self) -> None:
        self._cancel_timer()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._duration_s, self._on_timer)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._expiry_task = asyncio.ensure_future(self._on_expired())

    async def _on_expired(self) -> None:
        try:
            await self._resume_mappings()
        except ConductorError as error:  # the engine may be restarting; the timer tries again
            log.warning("mappings stay paused, because the engine does not respond: %s", error)
            self._restart_timer()
