"""Connects to an MCP server over HTTP.

Redirects are not followed, the size of responses is limited, and HTTP errors are explained to the user.
"""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from conductor.mcp.client.values import ConsentedServer

MAX_MESSAGE_BYTES = 12_000_000
MAX_JSON_SEPARATORS = 100_000
"""The maximum number of commas and opening brackets in a JSON message. More would take over 50 ms to parse."""
MAX_CHALLENGE_LENGTH = 4_000
ANSWER_TOO_LARGE_MESSAGE = "its answer is too large"
COMPRESSED_ANSWER_MESSAGE = (
    "it sent a compressed answer without being asked to: it might be too large"
)
NO_COMPRESSION_HEADER = {"accept-encoding": "identity"}
"""Switches compression off. A kilobyte can unpack to a megabyte before the size of the body is known."""
CHECK_HEADERS_MESSAGE = "it requires authentication (401): check the headers of this server"
SIGN_IN_NEEDED_MESSAGE = "it requires you to sign in with your browser: choose Sign in"
MORE_PERMISSIONS_NEEDED_MESSAGE = (
    "it needs more permissions for this than you have granted: choose Sign in to grant them"
)
AUTH_REQUEST_MARKER = "conductor.sign-in"
"""A request extension that marks requests for tokens, whose status says nothing about the MCP server."""
_HTTP_TIMEOUT = httpx2.Timeout(15.0, read=300.0)
_PROBLEM_BY_STATUS = {
    401: CHECK_HEADERS_MESSAGE,
    403: "it rejected the headers of this server (403): check them",
    404: "there is no MCP server at this path (404): check the address",
    405: "it does not accept MCP requests at this path (405): check the address",
    429: "it limits the rate of requests (429): try again later",
}
_PERMANENT_STATUSES = (301, 302, 303, 307, 308, 401, 403, 404, 405)


@dataclass(frozen=True, slots=True)
class AuthChallenge:
    """An HTTP response that refuses access and asks for a sign-in."""

    status: int
    header: str
    """The `WWW-Authenticate` header of the response."""

    @property
    def needs_more_permissions(self) -> bool:
        return self.status == 403


class HttpStatus:
    """The last HTTP status of a server, and what it means for the user."""

    def __init__(self, server: ConsentedServer) -> None:
        names = {name.lower() for name in server.headers}
        self._has_own_token, self._has_headers = "authorization" in names, bool(names)
        self.problem: str | None = None
        self.is_permanent = False
        """Whether the problem persists until the user changes something."""
        self.challenge: AuthChallenge | None = None
        """The last refusal that a sign-in would resolve, or None after a successful request."""
        self.permission_challenge: AuthChallenge | None = None
        """The last refusal of a request that needs more permissions than the user has granted."""

    @property
    def access_challenge(self) -> AuthChallenge | None:
        """The challenge of a server that requires a sign-in or rejects the current one, or None."""
        return (
            None
            if self.challenge is None or self.challenge.needs_more_permissions
            else self.challenge
        )

    async def on_response(self, response: httpx2.Response) -> None:
        """Record the HTTP status of a response and limit the size of its body, which has not been read yet."""
        is_auth_request = AUTH_REQUEST_MARKER in response.request.extensions
        # GET and DELETE are optional in MCP, so a server may reject them and still work.
        if response.request.method == "POST" and not is_auth_request:
            self._record_response(response)
        response.stream = SizeLimitedStream(
            response.stream,
            is_event_stream="event-stream" in response.headers.get("content-type", ""),
            is_compressed=is_compressed_response(response),
        )

    def _record_response(self, response: httpx2.Response) -> None:
        code = response.status_code
        if code >= 300 and self.access_challenge is not None:
            # After a refusal, the library tries the other protocol era. If the server does not know
            # that era, its error must not hide the refusal.
            return
        self.challenge = self._parse_challenge(code, response.headers.get("www-authenticate", ""))
        self.problem = (
            _PROBLEM_BY_STATUS.get(code, f"it answered with status {code}") if code >= 300 else None
        )
        self.is_permanent = code in _PERMANENT_STATUSES
        if self.challenge is not None:
            self.problem = (
                MORE_PERMISSIONS_NEEDED_MESSAGE
                if self.challenge.needs_more_permissions
                else SIGN_IN_NEEDED_MESSAGE
            )
            self.permission_challenge = (
                self.challenge
                if self.challenge.needs_more_permissions
                else self.permission_challenge
            )

    def _parse_challenge(self, code: int, header: str) -> AuthChallenge | None:
        """Return the challenge of a refusal that a sign-in would resolve, or None.

        A sign-in never replaces a token that the user has written into the headers.
        """
        asks_to_sign_in = header[:6].lower() == "bearer" or not (header or self._has_headers)
        needs_more_permissions = code == 403 and "insufficient_scope" in header
        if self._has_own_token or not (needs_more_permissions or (code == 401 and asks_to_sign_in)):
            return None
        return AuthChallenge(code, header[:MAX_CHALLENGE_LENGTH])


class SizeLimitedStream(httpx2.AsyncByteStream):
    """A response body with limited size.

    Reading raises `ResponseTooLarge` if the body is compressed, or if one of its messages is too long.
    """

    def __init__(
        self,
        stream: Any,
        *,
        is_event_stream: bool,
        is_compressed: bool,
        max_bytes: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self._stream, self._is_event_stream, self._max_bytes = stream, is_event_stream, max_bytes
        self._is_compressed = is_compressed
        self._size = self._separators = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._is_compressed:
            raise ResponseTooLarge(COMPRESSED_ANSWER_MESSAGE)
        async for chunk in self._stream:
            self._count_bytes(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()

    def _count_bytes(self, chunk: bytes) -> None:
        # A stream of events may last for hours, so the limit applies to each event, which ends with
        # an empty line.
        if self._is_event_stream and (b"\n\n" in chunk or b"\r\n\r\n" in chunk):
            self._size = self._separators = 0
        self._size += len(chunk)
        self._separators += count_json_separators(chunk)
        if self._size > self._max_bytes or self._separators > MAX_JSON_SEPARATORS:
            raise ResponseTooLarge(ANSWER_TOO_LARGE_MESSAGE)


def is_compressed_response(response: httpx2.Response) -> bool:
    """Return whether a response body is compressed, so that its size after unpacking is unknown."""
    return response.headers.get("content-encoding", "identity").strip().lower() != "identity"


class ResponseTooLarge(httpx2.StreamError):
    """Raised if a response is too large, or if its size cannot be determined."""


def count_json_separators(data: bytes | bytearray) -> int:
    """Return the approximate number of values in a JSON text.

    The time for parsing depends on the number of values more than on the number of bytes.
    """
    return data.count(b",") + data.count(b"{") + data.count(b"[")


@cache
def load_certificates() -> ssl.SSLContext:
    """Return the certificate authorities that the system trusts.

    The first call loads them, which blocks the event loop for 25 ms.
    """
    return httpx2.create_ssl_context()


@asynccontextmanager
async def connect_over_http(
    server: ConsentedServer, status: HttpStatus, auth: httpx2.Auth | None
) -> AsyncGenerator[tuple[Any, Any]]:
    """Open an HTTP connection to a server and yield its streams for reading and writing.

    Redirects are not followed, because the headers may contain secrets.
    """
    assert server.url is not None
    async with (
        httpx2.AsyncClient(
            headers={**server.headers, **NO_COMPRESSION_HEADER},
            timeout=_HTTP_TIMEOUT,
            verify=load_certificates(),
            auth=auth,
            event_hooks={"response": [status.on_response]},
        ) as client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=MAX_MESSAGE_BYTES
        ) as streams,
    ):
        yield streams
