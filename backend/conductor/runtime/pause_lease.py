"""Pauses all mappings while a device profile is recorded; the pause expires unless it is renewed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from conductor.errors import ConductorError

log = logging.getLogger(__name__)

LASTS_S = 10.0
"""A page renews every second. A hidden tab may be slower; its next renewal starts the pause again."""


class PauseLease:
    """A pause that expires. For the event loop. Does not change a pause that the user started."""

    def __init__(
        self,
        is_paused: Callable[[], bool],
        pause: Callable[[bool], Awaitable[object]],
        lasts_s: float = LASTS_S,
    ) -> None:
        self._is_paused = is_paused
        self._pause = pause
        self._lasts_s = lasts_s
        self._under_way = False
        self._ours = False
        """The pause is of our making, so that we end it."""
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Pause all mappings until `end`, or until `renew` has not been called for a while."""
        self._under_way = True
        await self.renew()

    async def renew(self) -> None:
        """Extend the pause; does nothing before `begin` and after `end`."""
        if not self._under_way:
            return
        self._wait()
        if not self._is_paused():
            self._ours = True
            await self._pause(True)

    async def end(self) -> None:
        """Resume mappings, if this lease paused them."""
        self._under_way = False
        self._forget_timer()
        await self._let_go()

    async def _let_go(self) -> None:
        if self._ours:
            await self._pause(False)
            self._ours = False

    def _wait(self) -> None:
        self._forget_timer()
        self._timer = asyncio.get_running_loop().call_later(self._lasts_s, self._lapse)

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _lapse(self) -> None:
        self._ending = asyncio.ensure_future(self._lapsed())

    async def _lapsed(self) -> None:
        try:
            await self._let_go()
        except ConductorError as error:  # an engine that starts again just now
            log.warning("mappings rest still, as the engine does not answer: %s", error)
            self._wait()
