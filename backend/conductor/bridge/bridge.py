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
    """Connects all open pages with the app.

    `on_watch` is called with True when a page starts to show the traces of events, and with False when no
    page shows them any more. The engine then stops sending them.
    """

    def __init__(
        self, services: Services, pages: OpenPages, on_watch: Callable[[bool], None]
    ) -> None:
        self._services = services
        self._dispatch = CommandDispatcher(services)
        self._emitter = Emitter(pages, on_watch)

    async def serve_app_page(self, request: Request) -> Response:
        """Respond to an HTTP request for the page of an MCP server."""
        return await self._services.servers.app_pages.serve_page(request)

    def close(self) -> None:
        self._dispatch.close()

    def add_page(self, session: PageSession | None = None) -> Listener:
        """Register a page that has just been opened, and return the queue of its events.

        `session` is None for the page in the window, which needs no token.
        """
        return self._emitter.add_page(session)

    def remove_page(self, page: Listener) -> None:
        self._emitter.remove_page(page)

    async def send_events(self, page: Listener, sink: BatchSink) -> None:
        """Send the queued events of a page in batches until the task is cancelled."""
        await send_batches(page, sink)

    async def run_command(self, method: Any, params: Any, page: Listener) -> JsonObject:
        """Run a command that a page calls, and return the response.

        Errors are part of the response and never raised.
        """
        return await self._dispatch.run_command(method, params, page)

    def publish(self, topic: str, payload: JsonObject) -> None:
        """Send an event to every page.

        Topics that pages do not know are ignored. Safe to call from any thread.
        """
        if topic in TOPIC_MODELS:
            self._emitter.publish(topic, payload)
