"""A server at an address: headers only to it, no endless answers, and what the status meant."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from conductor.mcp.host.values import Server

LARGEST_ANSWER = 12_000_000
MOST_PIECES = 100_000
"""Commas and brackets of an answer in JSON: so many take a twentieth of a second to read."""
TOO_LARGE = "its answer was too large to be read"
_TIMES = httpx2.Timeout(15.0, read=300.0)
_WORDS = {
    401: "it wants to know who you are (401): check the headers of this server",
    403: "it refuses these headers (403)",
    404: "there is no MCP server at this path (404): check the address",
    405: "it does not take MCP's requests at this path (405): check the address",
    429: "it has too much to do (429)",
}
_FINAL = (301, 302, 303, 307, 308, 401, 403, 404, 405)


class Status:
    """What the server answered last, below MCP."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self.is_final = False
        """Nothing will change before the user changes something."""

    async def look(self, response: httpx2.Response) -> None:
        """Take note of a response before its body is read, and bound that."""
        code = response.status_code
        if response.request.method == "POST":  # a server may well refuse the others
            is_refusal = code >= 300
            self.problem = (
                _WORDS.get(code, f"it answered with status {code}") if is_refusal else None
            )
            self.is_final = code in _FINAL
        response.stream = _Bounded(
            response.stream, events="event-stream" in response.headers.get("content-type", "")
        )


class _Bounded(httpx2.AsyncByteStream):
    """A body that is given up when an answer in it gets too long."""

    def __init__(self, stream: Any, *, events: bool) -> None:
        self._stream, self._events = stream, events
        self._size = self._pieces = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._count(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _count(self, chunk: bytes) -> None:
        if self._events and (b"\n\n" in chunk or b"\r\n\r\n" in chunk):
            self._size = self._pieces = 0
        self._size += len(chunk)
        self._pieces += pieces(chunk)
        if self._size > LARGEST_ANSWER or self._pieces > MOST_PIECES:
            raise TooLarge(TOO_LARGE)


class TooLarge(httpx2.StreamError):
    """An answer that nobody reads."""


def pieces(data: bytes | bytearray) -> int:
    """Say of how many pieces some JSON is, about; what takes time to read is not its length."""
    return data.count(b",") + data.count(b"{") + data.count(b"[")


@asynccontextmanager
async def connected(server: Server, status: Status) -> AsyncGenerator[tuple[Any, Any]]:
    """Give the streams of a connection; redirects to other hosts are not followed by the library."""
    assert server.url is not None
    async with (
        httpx2.AsyncClient(
            headers=dict(server.headers),
            timeout=_TIMES,
            event_hooks={"response": [status.look]},
        ) as client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=LARGEST_ANSWER
        ) as streams,
    ):
        yield streams
