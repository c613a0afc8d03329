"""The bridge between the app and all pages: commands in, events out, over any transport."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from conductor.base.json_types import JsonObject
from conductor.bridge.dispatch import Dispatch
from conductor.bridge.emitter import Emitter, Listener, Sink, send_batches
from conductor.bridge.services import Services
from conductor.bridge.tokens import PageSession
from conductor.bridge.topics import TOPICS
from conductor.runtime.open_pages import OpenPages


class Bridge:
    """Connects all pages with the app. `on_watch` is called with whether any page wants traces."""

    def __init__(
        self, services: Services, pages: OpenPages, on_watch: Callable[[bool], None]
    ) -> None:
        self._services = services
        self._dispatch = Dispatch(services)
        self._emitter = Emitter(pages, on_watch)

    async def app_page(self, request: Request) -> Response:
        """Return the response for the UI page of an MCP server."""
        return await self._services.servers.apps.pages.answer(request)

    def close(self) -> None:
        self._dispatch.close()

    def join(self, session: PageSession | None = None) -> Listener:
        """Return the listener of a new page; a page in a browser has a session."""
        return self._emitter.join(session)

    def leave(self, page: Listener) -> None:
        self._emitter.leave(page)

    async def pump(self, page: Listener, sink: Sink) -> None:
        """Send a page its batches until cancelled."""
        await send_batches(page, sink)

    async def call(self, method: Any, params: Any, page: Listener) -> JsonObject:
        """Run a command of a page; never raises."""
        return await self._dispatch.call(method, params, page)

    def publish(self, topic: str, payload: JsonObject) -> None:
        """Send an event of a topic that pages know to every page; thread-safe."""
        if topic in TOPICS:
            self._emitter.publish(topic, payload)
