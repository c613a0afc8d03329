"""Serves an ASGI app over HTTP inside the app's own event loop, beyond this computer only with TLS.

The time for a request and the number of connections without a complete request are limited: otherwise a client
that sends a byte a minute, or opens hundreds of silent connections, would lock others out.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Generator
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from conductor.base.loopback import LOOPBACK_HOST, is_loopback_host, open_listening_socket
from conductor.base.tls_listener import TlsListener
from conductor.errors import NotAvailable

REQUEST_TIMEOUT_S = 10.0
MAX_INCOMPLETE_CONNECTIONS = 128
CONNECTION_STATE_KEY = "connection"
"""The key, in the state of a request, of a dict that all requests on one connection share."""


class HttpServer:
    """A uvicorn server. With `port` 0, `start` picks a free port and sets `port` to it.

    `host` is the IP address to listen on; one that other computers can reach needs `tls`. `port_in_use_error`
    is the start of the error message for a port in use, with `{}` for the port. If more than
    `max_incomplete` connections have sent no complete request, the oldest of them is closed.
    """

    def __init__(
        self,
        app: Any,
        port: int,
        *,
        port_in_use_error: str,
        host: str = LOOPBACK_HOST,
        tls: ssl.SSLContext | None = None,
        request_timeout_s: float = REQUEST_TIMEOUT_S,
        max_incomplete: int = MAX_INCOMPLETE_CONNECTIONS,
        **options: Any,
    ) -> None:
        self.port = port
        self._host = host
        self._tls = tls
        self._port_in_use_error = port_in_use_error
        protocol: Any = partial(_RequestDeadlineProtocol, request_timeout_s, max_incomplete, {})
        self._app = app
        # Callers are identified by their connection, so a proxy header must not replace its address.
        self.config = uvicorn.Config(
            self._serve_connection,
            interface="asgi3",
            log_config=None,
            access_log=False,
            http=protocol,
            proxy_headers=False,
            ssl_context_factory=None if tls is None else self._get_tls,
            **options,
        )
        self._uvicorn = _Server(self.config, request_timeout_s, max_incomplete)
        self._serve_task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start to listen.

        Raises:
            NotAvailable: the port is in use, or other computers could connect without TLS.
        """
        if self._tls is None and not is_loopback_host(self._host):
            raise NotAvailable(
                f"{self._port_in_use_error.format(self.port)}: {self._host} is reachable from other computers,"
                f" which is possible only with TLS; listen on {LOOPBACK_HOST}, or switch on TLS"
            )
        try:
            listening = open_listening_socket(self.port, self._host)
        except OSError as error:
            raise NotAvailable(
                f"{self._port_in_use_error.format(self.port)}: {error.strerror}"
            ) from error
        self.port = listening.getsockname()[1]
        self._serve_task = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))

    def replace_tls(self, context: ssl.SSLContext) -> None:
        """Use another certificate for new connections. Open ones keep the certificate that they have."""
        self._tls = context
        self._uvicorn.replace_tls(context)

    async def stop(self) -> None:
        """Close all connections and stop; requests in progress have uvicorn's `timeout_graceful_shutdown`."""
        self._uvicorn.should_exit = True
        if self._serve_task is not None:
            await asyncio.gather(self._serve_task, return_exceptions=True)
        # Uvicorn leaves a connection open whose client does not read what was sent last.
        for connection in list(self._uvicorn.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # transports close their sockets in the next iteration of the loop

    async def _serve_connection(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            # Only a stop cancels connections. Uvicorn would log each as a failure, with a traceback.
            if not self._uvicorn.should_exit:
                raise

    def _get_tls(self, *_: object) -> ssl.SSLContext:
        assert self._tls is not None
        return self._tls


class _Server(uvicorn.Server):
    """A uvicorn server that installs no signal handlers, and limits TLS handshakes."""

    def __init__(
        self, config: uvicorn.Config, handshake_timeout_s: float, max_handshakes: int
    ) -> None:
        super().__init__(config)
        self._handshake_timeout_s = handshake_timeout_s
        self._max_handshakes = max_handshakes
        self._tls_listeners: list[TlsListener] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        context = self.config.ssl
        if context is None:
            await super().startup(sockets)
            return
        await super().startup([])
        for listening in sockets or ():
            listener = TlsListener(
                listening,
                context,
                self._create_protocol,
                handshake_timeout_s=self._handshake_timeout_s,
                max_handshakes=self._max_handshakes,
            )
            self._tls_listeners.append(listener)
            listener.start()

    def replace_tls(self, context: ssl.SSLContext) -> None:
        for listener in self._tls_listeners:
            listener.context = context

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self._tls_listeners:
            await listener.stop()
        await super().shutdown(sockets)

    def _create_protocol(self) -> asyncio.Protocol:
        protocol: Any = self.config.http_protocol_class
        return protocol(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

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
