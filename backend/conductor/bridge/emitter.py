"""Sends events to pages in batches: at most 30 a second per page, and never faster than a page reads."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, cast

from conductor.base.clock import now
from conductor.base.json_types import JsonObject
from conductor.bridge.chat_view import strip_event_for_page
from conductor.bridge.outbox import Batch, Outbox
from conductor.bridge.tokens import PageSession
from conductor.bridge.traces import describe_trace
from conductor.domain.wire_rows import TraceRow
from conductor.runtime.events import CHAT_TOPIC, SKIPPED_TRACES_TOPIC, STATUS_TOPIC, TRACE_TOPIC
from conductor.runtime.open_pages import OpenPages

BATCHES_PER_SECOND = 30
MAX_BURST_BATCHES = 3
"""Number of batches that are sent without delay after an idle period, so that an answer begins at once."""
BATCH_INTERVAL_S = 1 / (BATCHES_PER_SECOND - MAX_BURST_BATCHES)
"""Seconds between the batches of a continuous stream; even after a burst, the rate stays below the limit."""

BatchSink = Callable[[Batch], Awaitable[None]]
SleepFunction = Callable[[float], Awaitable[Any]]


class Listener:
    """The queue of events for one page, which also stores whether the page receives traces.

    Implements `services.Page`.
    """

    def __init__(
        self, on_watch: Callable[[], None] = lambda: None, session: PageSession | None = None
    ) -> None:
        self.session = session
        self.outbox = Outbox()
        self.is_watching_traces = False
        self._on_watch = on_watch
        self._has_events = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop that sends the batches; None until the first call of `wait`."""

    def set_trace_watching(self, *, on: bool) -> None:
        self.is_watching_traces = on
        self._on_watch()

    def queue_event(self, topic: str, payload: JsonObject) -> None:
        """Add an event to the next batch. Thread-safe."""
        self.outbox.queue_event(topic, payload)
        if self._loop is not None and not self._has_events.is_set():
            try:
                self._loop.call_soon_threadsafe(self._has_events.set)
            except RuntimeError:  # the loop is closed
                pass

    async def wait_for_events(self) -> None:
        """Wait until there are events to send."""
        self._loop = asyncio.get_running_loop()
        if not self.outbox:
            await self._has_events.wait()

    def take_batch(self) -> Batch:
        """Remove all queued events and return them as a batch."""
        self._has_events.clear()
        return self.outbox.take_batch()


class Emitter:
    """Queues events for all pages.

    `on_watch` is called with True while at least one page shows the traces of events, otherwise with False.
    """

    def __init__(self, pages: OpenPages, on_watch: Callable[[bool], None]) -> None:
        self._pages = pages
        self._on_watch = on_watch
        self._listeners: tuple[Listener, ...] = ()
        self._status: JsonObject | None = None
        self._join_lock = threading.Lock()
        """Held while a page joins, so that a status published meanwhile is queued after the current status."""

    def add_page(self, session: PageSession | None = None) -> Listener:
        """Register a new page, queue the current status for it, and return its listener.

        Call it on the event loop.
        """
        listener = Listener(self._notify_watch_change, session)
        with self._join_lock:
            if self._status is not None:
                listener.outbox.queue_event(STATUS_TOPIC, self._status)
            self._listeners = (*self._listeners, listener)
        self._pages.add_page()
        return listener

    def remove_page(self, listener: Listener) -> None:
        if listener not in self._listeners:
            return
        self._listeners = tuple(page for page in self._listeners if page is not listener)
        self._notify_watch_change()
        self._pages.remove_page(listener)

    def publish(self, topic: str, payload: JsonObject) -> None:
        """Queue an event for every page, or a trace for every page that shows traces. Thread-safe."""
        with self._join_lock:
            if topic == STATUS_TOPIC:
                self._status = payload
            listeners = self._listeners
        if topic in (TRACE_TOPIC, SKIPPED_TRACES_TOPIC):
            listeners = tuple(page for page in listeners if page.is_watching_traces)
        if not listeners:
            return
        if topic == TRACE_TOPIC:
            payload = describe_trace(cast(TraceRow, payload))
        elif topic == CHAT_TOPIC:
            payload = strip_event_for_page(payload)
        for listener in listeners:
            listener.queue_event(topic, payload)

    def _notify_watch_change(self) -> None:
        self._on_watch(any(page.is_watching_traces for page in self._listeners))


async def send_batches(
    listener: Listener,
    sink: BatchSink,
    clock: Callable[[], float] = now,
    wait: SleepFunction = asyncio.sleep,
) -> None:
    """Send the queued events of a page in batches until the task is cancelled.

    While `sink` waits, the outbox merges or drops new events, so a slow page cannot fill the memory.
    """
    # A token bucket: each batch costs one gap, and up to MAX_BURST_BATCHES gaps can be spent in advance.
    spent_until = float("-inf")
    while True:
        await listener.wait_for_events()
        delay_s = spent_until - (MAX_BURST_BATCHES - 1) * BATCH_INTERVAL_S - clock()
        if delay_s > 0:
            await wait(delay_s)
        batch = listener.take_batch()
        if batch:
            spent_until = max(spent_until, clock()) + BATCH_INTERVAL_S
            await sink(batch)
