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

REQUEST_WITHIN_S = 10.0
ASKING_AT_MOST = 128
CONNECTION = "connection"
"""Key in the state of a request: a dict that all requests of one connection share."""


class HttpServer:
    """A uvicorn server on loopback. With `port` 0, `start` picks a free port and sets `port` to it.

    `taken` is the start of the error message for a port in use, with `{}` for the port. Of more than
    `asking_at_most` connections without a complete request, the oldest is closed.
    """

    def __init__(
        self,
        app: Any,
        port: int,
        *,
        taken: str,
        request_within_s: float = REQUEST_WITHIN_S,
        asking_at_most: int = ASKING_AT_MOST,
        **options: Any,
    ) -> None:
        self.port = port
        self._taken = taken
        protocol: Any = partial(_RequestDeadlineProtocol, request_within_s, asking_at_most, {})
        # Callers are told apart by their connection: no header of theirs may name another one.
        self.config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            http=protocol,
            proxy_headers=False,
            **options,
        )
        self._uvicorn = _ServerWithoutSignals(self.config)
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start to listen.

        Raises:
            NotAvailable: the port is in use.
        """
        try:
            listening = open_listening_socket(self.port)
        except OSError as error:
            raise NotAvailable(f"{self._taken.format(self.port)}: {error.strerror}") from error
        self.port = listening.getsockname()[1]
        self._serving = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))

    async def stop(self) -> None:
        """Close all connections and stop; requests in progress have uvicorn's `timeout_graceful_shutdown`."""
        self._uvicorn.should_exit = True
        if self._serving is not None:
            await asyncio.gather(self._serving, return_exceptions=True)


class _ServerWithoutSignals(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signal handling to the app."""
        yield


class _RequestDeadlineProtocol(H11Protocol):
    """An HTTP/1.1 connection with a deadline for each complete request.

    Uvicorn's own timeout covers only an idle connection after a response, and ends at the next byte.
    `asking` holds the server's connections without a complete request, the oldest first.
    """

    def __init__(
        self,
        request_within_s: float,
        asking_at_most: int,
        asking: dict["_RequestDeadlineProtocol", asyncio.TimerHandle],
        *args: Any,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._request_within_s = request_within_s
        self._asking_at_most = asking_at_most
        self._asking = asking

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # Uvicorn copies this state into each request; the copy is shallow, so that the dict is shared.
        self.app_state = {**self.app_state, CONNECTION: {}}
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
        """Start the deadline when the connection has no complete request, cancel it when it has one."""
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            return
        cycle: Any = self.cycle  # None before the first request
        if cycle is not None and not (cycle.more_body or cycle.response_complete):
            self._cancel_deadline()
        elif self not in self._asking:
            self._asking[self] = self.loop.call_later(self._request_within_s, self.close_connection)
            if len(self._asking) > self._asking_at_most:
                next(iter(self._asking)).close_connection()

    def _cancel_deadline(self) -> None:
        deadline = self._asking.pop(self, None)
        if deadline is not None:
            deadline.cancel()
