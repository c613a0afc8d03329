"""A server at an address: headers only to it, no endless answers, and what the status meant."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from conductor.mcp.client.values import Server

LARGEST_ANSWER = 12_000_000
MOST_PIECES = 100_000
"""Commas and brackets of an answer in JSON: so many take a twentieth of a second to read."""
LONGEST_CHALLENGE = 4_000
TOO_LARGE = "its answer was too large to be read"
PACKED = "its answer came compressed, which it was not asked for: it could be too large to be read"
PLAIN = {"accept-encoding": "identity"}
"""A megabyte of zeros is a kilobyte on the way, and is unpacked before anybody can count it."""
CHECK_HEADERS = "it wants to know who you are (401): check the headers of this server"
SIGN_IN = "it wants you to sign in, with your browser: choose Sign in"
MORE_RIGHTS = "it wants more rights for this than you have given it: choose Sign in to give them"
OURS = "conductor.sign-in"
"""Marks requests that are none of MCP's: what they are answered says nothing about the server."""
_TIMES = httpx2.Timeout(15.0, read=300.0)
_WORDS = {
    401: CHECK_HEADERS,
    403: "it refuses these headers (403)",
    404: "there is no MCP server at this path (404): check the address",
    405: "it does not take MCP's requests at this path (405): check the address",
    429: "it has too much to do (429)",
}
_FINAL = (301, 302, 303, 307, 308, 401, 403, 404, 405)


@dataclass(frozen=True, slots=True)
class Challenge:
    """How a server refused: what a sign-in begins with."""

    status: int
    words: str
    """Its `WWW-Authenticate` header."""

    @property
    def is_for_more(self) -> bool:
        return self.status == 403


class Status:
    """What the server answered last, below MCP."""

    def __init__(self, server: Server) -> None:
        names = {name.lower() for name in server.headers}
        self._has_own, self._has_headers = "authorization" in names, bool(names)
        self.problem: str | None = None
        self.is_final = False
        """Nothing will change before the user changes something."""
        self.challenge: Challenge | None = None
        """What a sign-in would mend, if the last answer was such."""
        self.more: Challenge | None = None
        """The last call that wanted more rights."""

    @property
    def refused(self) -> Challenge | None:
        """Return the refusal of a server that does not know the user, or not any more."""
        return None if self.challenge is None or self.challenge.is_for_more else self.challenge

    async def look(self, response: httpx2.Response) -> None:
        """Take note of a response before its body is read, and bound that."""
        ours = OURS in response.request.extensions
        if response.request.method == "POST" and not ours:  # a server may well refuse the others
            self._look(response)
        response.stream = Bounded(
            response.stream,
            events="event-stream" in response.headers.get("content-type", ""),
            packed=is_packed(response),
        )

    def _look(self, response: httpx2.Response) -> None:
        code = response.status_code
        if code >= 300 and self.refused is not None:
            return  # who was refused in one era is asked in the other too, which the server may not know
        self.challenge = self._challenge(code, response.headers.get("www-authenticate", ""))
        self.problem = _WORDS.get(code, f"it answered with status {code}") if code >= 300 else None
        self.is_final = code in _FINAL
        if self.challenge is not None:
            self.problem = MORE_RIGHTS if self.challenge.is_for_more else SIGN_IN
            self.more = self.challenge if self.challenge.is_for_more else self.more

    def _challenge(self, code: int, words: str) -> Challenge | None:
        """Return what a sign-in would mend; who has typed a token of their own has to look at that."""
        is_asked = words[:6].lower() == "bearer" or not (words or self._has_headers)
        is_for_more = code == 403 and "insufficient_scope" in words
        if self._has_own or not (is_for_more or (code == 401 and is_asked)):
            return None
        return Challenge(code, words[:LONGEST_CHALLENGE])


class Bounded(httpx2.AsyncByteStream):
    """A body that is given up when an answer in it gets too long, or cannot be measured."""

    def __init__(
        self, stream: Any, *, events: bool, packed: bool, largest: int = LARGEST_ANSWER
    ) -> None:
        self._stream, self._events, self._largest = stream, events, largest
        self._packed = packed
        self._size = self._pieces = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._packed:
            raise TooLarge(PACKED)
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
        if self._size > self._largest or self._pieces > MOST_PIECES:
            raise TooLarge(TOO_LARGE)


def is_packed(response: httpx2.Response) -> bool:
    """Check whether a body is larger than it looks."""
    return response.headers.get("content-encoding", "identity").strip().lower() != "identity"


class TooLarge(httpx2.StreamError):
    """An answer that nobody reads."""


def pieces(data: bytes | bytearray) -> int:
    """Say of how many pieces some JSON is, about; what takes time to read is not its length."""
    return data.count(b",") + data.count(b"{") + data.count(b"[")


@asynccontextmanager
async def connect(
    server: Server, status: Status, auth: httpx2.Auth | None
) -> AsyncGenerator[tuple[Any, Any]]:
    """Return the streams of a connection; redirects to other hosts are not followed by the library."""
    assert server.url is not None
    async with (
        httpx2.AsyncClient(
            headers={**server.headers, **PLAIN},
            timeout=_TIMES,
            auth=auth,
            event_hooks={"response": [status.look]},
        ) as client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=LARGEST_ANSWER
        ) as streams,
    ):
        yield streams
