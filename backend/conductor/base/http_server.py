"""Serves an ASGI app over HTTP on loopback, inside the app's own loop; the doors say what and to whom.

A client has little time to say what it wants, and only so many may be about to: else one that sends a
byte a minute, or opens hundreds of connections and says nothing, would keep others out.
"""

import asyncio
import contextlib
from collections.abc import Generator
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from conductor.base.loopback import listen
from conductor.errors import NotAvailable

REQUEST_WITHIN_S = 10.0
ASKING_AT_MOST = 128


class HttpServer:
    """`port` 0 takes a free one; it is known once `start` is done.

    `taken` begins the sentence of a port that is in use; the port is put in its braces. Of more than
    `asking_at_most` connections that have no whole request yet, the oldest is closed.
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
        protocol: Any = partial(_Impatient, request_within_s, asking_at_most, {})
        self.config = uvicorn.Config(
            app, log_config=None, access_log=False, http=protocol, **options
        )
        self._uvicorn = _Quiet(self.config)
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listen.

        Raises:
            NotAvailable: the port is taken.
        """
        try:
            listening = listen(self.port)
        except OSError as error:
            raise NotAvailable(f"{self._taken.format(self.port)}: {error.strerror}") from error
        self.port = listening.getsockname()[1]
        self._serving = asyncio.create_task(self._uvicorn.serve(sockets=[listening]))

    async def stop(self) -> None:
        """Close every connection, or wait for it as long as the options say, and end."""
        self._uvicorn.should_exit = True
        if self._serving is not None:
            await asyncio.gather(self._serving, return_exceptions=True)


class _Quiet(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to the app."""
        yield


class _Impatient(H11Protocol):
    """Uvicorn's own timeout is for a connection that says nothing after an answer, and ends at its first byte.

    `asking` has the connections of the server without a whole request, the oldest first.
    """

    def __init__(
        self,
        request_within_s: float,
        asking_at_most: int,
        asking: dict["_Impatient", asyncio.TimerHandle],
        *args: Any,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._request_within_s = request_within_s
        self._asking_at_most = asking_at_most
        self._asking = asking

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._forget()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def give_up(self) -> None:
        """Close it without another word."""
        self._forget()
        self.transport.abort()

    def _watch(self) -> None:
        """Count the time from the first moment without a whole request."""
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            return
        cycle: Any = self.cycle  # None until there is a request
        if cycle is not None and not (cycle.more_body or cycle.response_complete):
            self._forget()
        elif self not in self._asking:
            self._asking[self] = self.loop.call_later(self._request_within_s, self.give_up)
            if len(self._asking) > self._asking_at_most:
                next(iter(self._asking)).give_up()

    def _forget(self) -> None:
        deadline = self._asking.pop(self, None)
        if deadline is not None:
            deadline.cancel()
