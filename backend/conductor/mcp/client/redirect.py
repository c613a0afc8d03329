"""Receives the browser's redirect after a sign-in on a loopback port (RFC 8252)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

from conductor.base.http_server import HttpServer
from conductor.base.loopback import LOOPBACK_HOST

REDIRECT_PATH = "/signed-in"
MAX_REDIRECT_QUERY_BYTES = 8_000
QueryParameters = dict[str, str]
SIGN_IN_DONE_TEXT = "You can close this page and return to Conductor."
UNEXPECTED_REDIRECT_TEXT = "Conductor is not waiting for this sign-in, or it is complete already."
_RESPONSE_HEADERS = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"connection", b"close"),
]


class RedirectListener:
    """An ASGI app that accepts only the redirect with the expected state.

    Any web page can send requests to the port, so all other requests are refused.
    """

    def __init__(self) -> None:
        self.port = 0
        self._expected_state: str | None = None
        self._redirect: asyncio.Future[QueryParameters] = asyncio.get_running_loop().create_future()

    @property
    def redirect_address(self) -> str:
        return f"http://{LOOPBACK_HOST}:{self.port}{REDIRECT_PATH}"

    def expect_state(self, state: str) -> None:
        """Set the state parameter that the redirect must contain."""
        self._expected_state = state

    async def wait_for_redirect(self) -> QueryParameters:
        """Wait for the redirect and return its query parameters."""
        return await self._redirect

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        """Respond to an HTTP request. Only the expected redirect is accepted."""
        if scope["type"] != "http":
            return
        parameters = self._parse_redirect(scope)
        body = (UNEXPECTED_REDIRECT_TEXT if parameters is None else SIGN_IN_DONE_TEXT).encode()
        headers = [*_RESPONSE_HEADERS, (b"content-length", str(len(body)).encode())]
        status = 400 if parameters is None else 200
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        # last, because the sign-in then closes this server, possibly before the browser has
        # received the page
        if parameters is not None:
            self._redirect.set_result(parameters)

    def _parse_redirect(self, scope: Any) -> QueryParameters | None:
        """Return the query parameters of the expected redirect.

        Return None for any other request, or if it is repeated.
        """
        query = scope["query_string"]
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        is_here = host == f"{LOOPBACK_HOST}:{self.port}" and scope["path"] == REDIRECT_PATH
        if not is_here or scope["method"] != "GET" or len(query) > MAX_REDIRECT_QUERY_BYTES:
            return None
        fields = parse_qs(query.decode("latin-1"))
        if any(len(values) > 1 for values in fields.values()):
            return None
        parameters = {name: values[0] for name, values in fields.items()}
        if self._expected_state is None or parameters.get("state") != self._expected_state:
            return None
        self._expected_state = None  # a state is valid only once
        return parameters


@asynccontextmanager
async def listen_for_redirect(port: int) -> AsyncGenerator[RedirectListener]:
    """Listen for the redirect on a loopback port during the block. Port 0 selects a free port.

    Raises:
        NotAvailable: Another program uses the port.
    """
    listener = RedirectListener()
    server = HttpServer(
        listener,
        port,
        port_in_use_error="port {} is taken",
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    await server.start()
    listener.port = server.port
    try:
        yield listener
    finally:
        await server.stop()
