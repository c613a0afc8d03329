"""Serves an ASGI app over HTTP on loopback, inside the app's own loop; the doors say what and to whom."""

import asyncio
import contextlib
from collections.abc import Generator
from typing import Any

import uvicorn

from conductor.base.loopback import listen
from conductor.errors import NotAvailable


class HttpServer:
    """`port` 0 takes a free one; it is known once `start` is done.

    `taken` begins the sentence of a port that is in use; the port is put in its braces.
    """

    def __init__(self, app: Any, port: int, *, taken: str, **options: Any) -> None:
        self.port = port
        self._taken = taken
        self.config = uvicorn.Config(app, log_config=None, access_log=False, **options)
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
