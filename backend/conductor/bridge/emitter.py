"""Sends events to pages in batches: at most 30 a second to each page, and never faster than the page reads
them.
"""

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
"""How many batches are sent without delay after an idle period, so that an answer appears at once."""
BATCH_INTERVAL_S = 1 / (BATCHES_PER_SECOND - MAX_BURST_BATCHES)
"""The seconds between two batches of a stream, so that a second has at most 30 batches even after a burst."""

BatchSink = Callable[[Batch], Awaitable[None]]
SleepFunction = Callable[[float], Awaitable[Any]]


class Listener:
    """The queue of events for one page, and whether that page shows traces. Implements `services.Page`."""

    def __init__(
        self, on_watch: Callable[[], None] = lambda: None, session: PageSession | None = None
    ) -> None:
        self.session = session
        self.outbox = Outbox()
        self.is_watching_traces = False
        self._on_watch = on_watch
        self._has_events = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop that sends the batches, or None before the first call of `wait_for_events`."""

    def set_trace_watching(self, *, on: bool) -> None:
        self.is_watching_traces = on
        self._on_watch()

    def queue_event(self, topic: str, payload: JsonObject) -> None:
        """Add an event to the next batch. Safe to call from any thread."""
        self.outbox.queue_event(topic, payload)
        if self._loop is not None and not self._has_events.is_set():
            try:
                self._loop.call_soon_threadsafe(self._has_events.set)
            except RuntimeError:  # the loop is closed because Conductor is ending
                pass

    async def wait_for_events(self) -> None:
        """Wait until at least one event is queued for this page."""
        self._loop = asyncio.get_running_loop()
        if not self.outbox:
            await self._has_events.wait()

    def take_batch(self) -> Batch:
        """Remove all queued events and return them as a batch."""
        self._has_events.clear()
        return self.outbox.take_batch()


class Emitter:
    """Queues events for all pages.

    `on_watch` is called with True when a page starts to show the traces of events, and with False when no
    page shows them any more.
    """

    def __init__(self, pages: OpenPages, on_watch: Callable[[bool], None]) -> None:
        self._pages = pages
        self._on_watch = on_watch
        self._listeners: tuple[Listener, ...] = ()
        self._status: JsonObject | None = None
        self._join_lock = threading.Lock()
        """Held while a page joins, so that a status that is published meanwhile is queued after the
        current one.
        """

    def add_page(self, session: PageSession | None = None) -> Listener:
        """Register a page that has just been opened, queue the current status for it, and return its queue.

        Call this on the event loop.
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
        """Queue an event for every page.

        A trace is queued only for pages that show traces. Safe to call from any thread.
        """
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

    While `sink` waits for a slow page, the outbox merges or drops new events, so that they cannot fill the
    memory.
    """
    # A token bucket: each batch costs one gap, and up to MAX_BURST_BATCHES gaps can be spent in
    # advance.
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
