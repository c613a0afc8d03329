"""Serves an ASGI app over HTTP on loopback, inside the app's own event loop.

The time for a request and the number of connections without a complete request are limited: otherwise a client
that sends a byte a minute, or opens hundreds of silent connections, would lock others out.
"""

import asyncio
import contextlib
from collections.abc import Generator
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from conductor.base.loopback import open_listening_socket
from conductor.errors import NotAvailable

REQUEST_TIMEOUT_S = 10.0
MAX_INCOMPLETE_CONNECTIONS = 128
CONNECTION_STATE_KEY = "connection"
"""The key, in the state of a request, of a dict that all requests on one connection share."""


class HttpServer:
    """A uvicorn server on loopback. With `port` 0, `start` picks a free port and sets `port` to it.

    `port_in_use_error` is the start of the error message for a port in use, with `{}` for the port. If more
    than `max_incomplete` connections have sent no complete request, the oldest of them is closed.
    """

    def __init__(
        self,
        app: Any,
        port: int,
        *,
        port_in_use_error: str,
        request_timeout_s: float = REQUEST_TIMEOUT_S,
        max_incomplete: int = MAX_INCOMPLETE_CONNECTIONS,
        **options: Any,
    ) -> None:
        self.port = port
        self._port_in_use_error = port_in_use_error
        protocol: Any = partial(_RequestDeadlineProtocol, request_timeout_s, max_incomplete, {})
        # Callers are identified by their connection, so a proxy header must not replace its address.
        self.config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            http=protocol,
            proxy_headers=False,
            **options,
        )
        self._uvicorn = _ServerWithoutSignals(self.config)
        self._serve_task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start to listen.

        Raises:
            NotAvailable: the port is in use.
        """
        try:
            listening = open_listening_socket(self.port)
        except OSError as error:
            raise NotAvailable(
                f"{self._port_in_use_error.format(self.port)}: {error.strerror}"
            ) from error
        self.port = listening.getsockname()[1]
        self._serve_task = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))

    async def stop(self) -> None:
        """Close all connections and stop; requests in progress have uvicorn's `timeout_graceful_shutdown`."""
        self._uvicorn.should_exit = True
        if self._serve_task is not None:
            await asyncio.gather(self._serve_task, return_exceptions=True)
        # Uvicorn leaves a connection open whose client does not read what was sent last.
        for connection in list(self._uvicorn.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # transports close their sockets in the next iteration of the loop


class _ServerWithoutSignals(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Install no signal handlers, unlike uvicorn, because the app handles signals itself."""
        yield


class _RequestDeadlineProtocol(H11Protocol):
    """An HTTP/1.1 connection with a deadline for each complete request.

    Uvicorn's own timeout covers only an idle connection after a response, and ends at the next byte.
    `incomplete` holds the server's connections without a complete request, the oldest first.
    """

    def __init__(
        self,
        request_timeout_s: float,
        max_incomplete: int,
        incomplete: dict["_RequestDeadlineProtocol", asyncio.TimerHandle],
        *args: Any,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._request_timeout_s = request_timeout_s
        self._max_incomplete = max_incomplete
        self._incomplete = incomplete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # Uvicorn copies this state into each request; the copy is shallow, so that the dict is shared.
        self.app_state = {**self.app_state, CONNECTION_STATE_KEY: {}}
        super().connection_made(transport)
        self._update_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_deadline()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._cancel_deadline()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update_deadline()

    def close_connection(self) -> None:
        """Close the connection without a response."""
        self._cancel_deadline()
        self.transport.abort()

    def _update_deadline(self) -> None:
        """Start the deadline if the connection has no complete request, and cancel it if the connection has
        one.
        """
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            return
        cycle: Any = self.cycle  # it is None before the first request
        if cycle is not None and not (cycle.more_body or cycle.response_complete):
            self._cancel_deadline()
        elif self not in self._incomplete:
            self._incomplete[self] = self.loop.call_later(
                self._request_timeout_s, self.close_connection
            )
            if len(self._incomplete) > self._max_incomplete:
                next(iter(self._incomplete)).close_connection()

    def _cancel_deadline(self) -> None:
        deadline = self._incomplete.pop(self, None)
        if deadline is not None:
            deadline.cancel()
