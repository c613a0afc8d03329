"""The bridge between the app and all pages: commands in, events out, over any transport."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from conductor.bridge.dispatch import Dispatch, Envelope
from conductor.bridge.emitter import Emitter, Listener, Sink, pump
from conductor.bridge.services import Services
from conductor.bridge.tokens import PageSession


class Bridge:
    """Connects all pages with the app. `on_watch` is called with whether any page wants traces."""

    def __init__(self, desk: Services, on_watch: Callable[[bool], None]) -> None:
        self._dispatch = Dispatch(desk)
        self._desk = desk
        self._emitter = Emitter(on_watch)
        self.on_leave: list[Callable[[Listener], None]] = []
        """Called on the event loop with each page that has disconnected."""

    @property
    def pages(self) -> int:
        """Return how many pages are open."""
        return self._emitter.pages

    async def app_page(self, request: Request) -> Response:
        """Return the response for the UI page of an MCP server."""
        return await self._desk.apps.pages.answer(request)

    def close(self) -> None:
        self._dispatch.close()

    def join(self, session: PageSession | None = None) -> Listener:
        """Return the listener of a new page; a page in a browser has a session."""
        return self._emitter.join(session)

    def leave(self, page: Listener) -> None:
        self._emitter.leave(page)
        for notify in self.on_leave:
            notify(page)

    async def pump(self, page: Listener, sink: Sink) -> None:
        """Send a page its batches until cancelled."""
        await pump(page, sink)

    async def call(self, method: Any, params: Any, page: Listener) -> Envelope:
        """Run a command of a page; never raises."""
        return await self._dispatch.call(method, params, page)

    def tell(self, topic: str, payload: dict[str, Any]) -> None:
        """Send an event to every page; thread-safe."""
        self._emitter.tell(topic, payload)
