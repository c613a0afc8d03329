"""Tells pages what happens: in batches, at most 30 a second to each, never faster than it reads."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from conductor.base.clock import now
from conductor.bridge.chat_view import event_for_page
from conductor.bridge.outbox import Batch, Outbox
from conductor.bridge.tokens import PageSession
from conductor.bridge.traces import shown

BATCHES_A_SECOND = 30
AT_ONCE = 3
"""So many go out one behind the other: what follows a rest, such as a first word, does not wait."""
GAP_S = 1 / (BATCHES_A_SECOND - AT_ONCE)
"""Between batches that never stop coming."""

Sink = Callable[[Batch], Awaitable[None]]
Wait = Callable[[float], Awaitable[Any]]


class Listener:
    """One page: its outbox, and whether it wants to see traces. Implements `desk.Page`."""

    def __init__(
        self, on_watch: Callable[[], None] = lambda: None, session: PageSession | None = None
    ) -> None:
        self.session = session
        self.outbox = Outbox()
        self.watching = False
        self.wake: Callable[[], None] = lambda: None
        self._on_watch = on_watch

    def watch(self, *, on: bool) -> None:
        self.watching = on
        self._on_watch()


class Emitter:
    """Hands news to every listener. `on_watch` is told whether any of them wants traces."""

    def __init__(self, on_watch: Callable[[bool], None]) -> None:
        self._on_watch = on_watch
        self._listeners: tuple[Listener, ...] = ()
        self._status: dict[str, Any] | None = None

    @property
    def pages(self) -> int:
        """Return how many pages are told."""
        return len(self._listeners)

    def join(self, session: PageSession | None = None) -> Listener:
        """Return a new page's listener, which is told the status first; for the event loop only."""
        listener = Listener(self._watched, session)
        if self._status is not None:
            listener.outbox.put("status", self._status)
        self._listeners = (*self._listeners, listener)
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners = tuple(one for one in self._listeners if one is not listener)
        self._watched()

    def tell(self, topic: str, payload: dict[str, Any]) -> None:
        """Tell every page; from any thread."""
        if topic == "status":
            self._status = payload
        listeners = self._listeners
        if topic in ("trace", "skipped"):
            listeners = tuple(one for one in listeners if one.watching)
        if not listeners:
            return
        if topic == "trace":
            payload = shown(payload)
        elif topic == "chat":
            payload = event_for_page(payload)
        for listener in listeners:
            listener.outbox.put(topic, payload)
            listener.wake()

    def _watched(self) -> None:
        self._on_watch(any(one.watching for one in self._listeners))


async def pump(
    listener: Listener,
    sink: Sink,
    clock: Callable[[], float] = now,
    wait: Wait = asyncio.sleep,
) -> None:
    """Send a listener's batches until cancelled. While `sink` waits, what comes is joined or dropped."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        if not news.is_set():
            try:
                loop.call_soon_threadsafe(news.set)
            except RuntimeError:  # the loop has ended
                pass

    listener.wake = wake
    spent_until = float("-inf")
    while True:
        if not listener.outbox:
            await news.wait()
        rest_s = spent_until - (AT_ONCE - 1) * GAP_S - clock()
        if rest_s > 0:
            await wait(rest_s)
        news.clear()
        batch = listener.outbox.take()
        if batch:
            spent_until = max(spent_until, clock()) + GAP_S
            await sink(batch)
