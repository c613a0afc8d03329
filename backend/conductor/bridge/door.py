"""The bridge as the app holds it: commands in, news out, whatever carries them."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from conductor.bridge.dispatch import Dispatch, Envelope
from conductor.bridge.emitter import Emitter, Listener, Sink, pump
from conductor.bridge.services import Services
from conductor.bridge.tokens import PageSession


class Bridge:
    """One for all pages. `on_watch` is told whether any page wants traces."""

    def __init__(self, desk: Services, on_watch: Callable[[bool], None]) -> None:
        self._dispatch = Dispatch(desk)
        self._desk = desk
        self._emitter = Emitter(on_watch)
        self.on_leave: list[Callable[[Listener], None]] = []
        """Called, on the event loop, with each page that has gone."""

    @property
    def pages(self) -> int:
        """Return how many pages are open."""
        return self._emitter.pages

    async def app_page(self, request: Request) -> Response:
        """Serve the page of an MCP server."""
        return await self._desk.apps.pages.answer(request)

    def close(self) -> None:
        self._dispatch.close()

    def join(self, session: PageSession | None = None) -> Listener:
        """Return the listener of a page that has just come; one in a browser has a session."""
        return self._emitter.join(session)

    def leave(self, page: Listener) -> None:
        self._emitter.leave(page)
        for tell in self.on_leave:
            tell(page)

    async def pump(self, page: Listener, sink: Sink) -> None:
        """Send a page its batches until cancelled."""
        await pump(page, sink)

    async def call(self, method: Any, params: Any, page: Listener) -> Envelope:
        """Answer a call; never raises."""
        return await self._dispatch.call(method, params, page)

    def tell(self, topic: str, payload: dict[str, Any]) -> None:
        """Tell every page; from any thread."""
        self._emitter.tell(topic, payload)
