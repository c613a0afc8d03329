"""Accepts TLS connections, and limits the time and the number of handshakes in progress.

`loop.create_server` limits neither well: a client that connects and stays silent occupies a file descriptor for
a minute, and a thousand of them would leave none for the rest of the program.
"""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable

log = logging.getLogger(__name__)

ACCEPT_RETRY_S = 1.0
"""Seconds to wait after a failed accept, such as for want of a file descriptor."""


class TlsListener:
    """Accepts the connections of a listening socket. Each gets a protocol once its handshake is complete.

    If more than `max_handshakes` are in progress, the oldest is closed.
    """

    def __init__(
        self,
        listening: socket.socket,
        context: ssl.SSLContext,
        create_protocol: Callable[[], asyncio.Protocol],
        *,
        handshake_timeout_s: float,
        max_handshakes: int,
    ) -> None:
        self._listening = listening
        self.context = context
        """The certificate for new connections. It may be replaced."""
        self._create_protocol = create_protocol
        self._handshake_timeout_s = handshake_timeout_s
        self._max_handshakes = max_handshakes
        self._handshakes: dict[asyncio.Task[None], None] = {}
        """The handshakes in progress, the oldest first."""
        self._accepting: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start to accept connections."""
        self._listening.setblocking(False)
        self._accepting = asyncio.create_task(self._accept_connections())

    async def stop(self) -> None:
        """Accept no more connections, and close those whose handshake is in progress."""
        tasks = [*self._handshakes, *([self._accepting] if self._accepting else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._listening.close()

    async def _accept_connections(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listening)
            except OSError as error:
                log.warning("a connection could not be accepted: %s", error)
                await asyncio.sleep(ACCEPT_RETRY_S)
                continue
            task = loop.create_task(self._shake_hands(connection))
            self._handshakes[task] = None
            task.add_done_callback(self._forget_handshake)
            if len(self._handshakes) > self._max_handshakes:
                oldest = next(iter(self._handshakes))
                self._handshakes.pop(oldest)
                oldest.cancel()
            # `sock_accept` does not wait while connections are pending, and a flood must not stop the loop.
            await asyncio.sleep(0)

    async def _shake_hands(self, connection: socket.socket) -> None:
        # without it, replies are delayed by 40 ms; asyncio sets it only for sockets that it opens
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A client without TLS, or one that does not trust the certificate, is no error of ours.
        with contextlib.suppress(OSError, ssl.SSLError):
            await asyncio.get_running_loop().connect_accepted_socket(
                self._create_protocol,
                connection,
                ssl=self.context,
                ssl_handshake_timeout=self._handshake_timeout_s,
            )

    def _forget_handshake(self, task: asyncio.Task[None]) -> None:
        self._handshakes.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("a TLS connection failed: %s", type(error).__name__)
