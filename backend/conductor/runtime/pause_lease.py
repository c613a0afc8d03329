"""Pauses all mappings while the user records a device profile or learns. Expires unless it is renewed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from functools import partial

from conductor.domain.engine_replies import PauseReply
from conductor.errors import ConductorError

log = logging.getLogger(__name__)

PAUSE_LEASE_S = 10.0
"""Seconds until the pause expires. A page renews it every second; if a hidden tab is slower, its next
renewal pauses the mappings again."""


class PauseLease:
    """Pauses all mappings for a limited time that can be extended, as long as one of its holders needs it.

    A pause that the user started is left alone. Not thread-safe: call all methods on the event loop.
    """

    def __init__(
        self,
        pause: Callable[[bool], Awaitable[PauseReply]],
        duration_s: float = PAUSE_LEASE_S,
    ) -> None:
        self._pause = pause
        self._duration_s = duration_s
        self._holders: set[Hashable] = set()
        """Those whose pause has begun and not ended, also while it has expired."""
        self._timers: dict[Hashable, asyncio.TimerHandle] = {}
        """When the pause of each holder expires."""
        self._is_running = False
        """Whether a pause has begun, and not ended or expired for all holders."""
        self._is_paused_by_lease = False
        """Whether this lease has paused the mappings, and must therefore resume them."""
        self._lock = asyncio.Lock()
        """Held while the engine is asked, so that an end does not overtake its beginning."""
        self._expiry_task: asyncio.Task[None] | None = None

    async def begin_pause(self, holder: Hashable) -> None:
        """Pause all mappings until `end_pause` is called or no `renew_pause` follows within `duration_s`."""
        self._holders.add(holder)
        await self.renew_pause(holder)

    async def renew_pause(self, holder: Hashable) -> None:
        """Extend the pause by `duration_s`; this has no effect before `begin_pause` and after `end_pause`."""
        if holder not in self._holders:
            return
        self._restart_timer(holder)
        async with self._lock:
            if not self._is_running:
                reply = await self._pause(True)
                self._is_running = True
                self._is_paused_by_lease = not reply["was_paused"]

    async def end_pause(self, holder: Hashable) -> None:
        """Resume the mappings, but only if this lease has paused them and nobody else holds it."""
        self._holders.discard(holder)
        self._cancel_timer(holder)
        await self._resume_mappings()

    def drop_holders(self) -> None:
        """End the pause of all holders without a message to the engine: the user resumes the mappings."""
        for holder in list(self._timers):
            self._cancel_timer(holder)
        self._holders.clear()
        self._is_running = self._is_paused_by_lease = False

    async def _resume_mappings(self) -> None:
        async with self._lock:
            if self._timers or not self._is_running:
                return
            if self._is_paused_by_lease:
                await self._pause(False)
            self._is_running = self._is_paused_by_lease = False

    def _restart_timer(self, holder: Hashable) -> None:
        self._cancel_timer(holder)
        loop = asyncio.get_running_loop()
        self._timers[holder] = loop.call_later(self._duration_s, partial(self._on_timer, holder))

    def _cancel_timer(self, holder: Hashable) -> None:
        timer = self._timers.pop(holder, None)
        if timer is not None:
            timer.cancel()

    def _on_timer(self, holder: Hashable) -> None:
        del self._timers[holder]
        self._expiry_task = asyncio.ensure_future(self._on_expired(holder))

    async def _on_expired(self, holder: Hashable) -> None:
        try:
            await self._resume_mappings()
        except ConductorError as error:  # the engine may be restarting; the timer tries again
            log.warning("mappings stay paused, because the engine does not respond: %s", error)
            self._restart_timer(holder)
