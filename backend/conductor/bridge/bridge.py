"""Connects the app with its pages, which call commands and receive events over any transport."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from conductor.base.json_types import JsonObject
from conductor.bridge.dispatch import CommandDispatcher
from conductor.bridge.emitter import BatchSink, Emitter, Listener, send_batches
from conductor.bridge.services import Services
from conductor.bridge.tokens import PageSession
from conductor.bridge.topics import TOPIC_MODELS
from conductor.runtime.open_pages import OpenPages


class Bridge:
    """Connects all pages with the app.

    `on_watch` is called with True while at least one page shows the traces of events, otherwise with False.
    """

    def __init__(
        self, services: Services, pages: OpenPages, on_watch: Callable[[bool], None]
    ) -> None:
        self._services = services
        self._dispatch = CommandDispatcher(services)
        self._emitter = Emitter(pages, on_watch)

    async def serve_app_page(self, request: Request) -> Response:
        """Respond to an HTTP request for the UI page of an MCP server."""
        return await self._services.servers.apps.pages.serve_page(request)

    def close(self) -> None:
        self._dispatch.close()

    def add_page(self, session: PageSession | None = None) -> Listener:
        """Register a new page and return its listener.

        A page in a browser has a session; the page in the window has none.
        """
        return self._emitter.add_page(session)

    def remove_page(self, page: Listener) -> None:
        self._emitter.remove_page(page)

    async def send_events(self, page: Listener, sink: BatchSink) -> None:
        """Send the queued events of a page in batches until the task is cancelled."""
        await send_batches(page, sink)

    async def run_command(self, method: Any, params: Any, page: Listener) -> JsonObject:
        """Run the command that a page calls, and return the response; errors are part of the response."""
        return await self._dispatch.run_command(method, params, page)

    def publish(self, topic: str, payload: JsonObject) -> None:
        """Send an event to every page if pages receive events of this topic. Thread-safe."""
        if topic in TOPIC_MODELS:
            self._emitter.publish(topic, payload)
