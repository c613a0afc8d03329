"""Where the user's browser comes back to after signing in: an address on this computer, for one answer."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

from conductor.base.http_server import HttpServer
from conductor.base.loopback import HOST

PATH = "/signed-in"
LONGEST = 8_000
Answer = dict[str, str]
DONE = "You can close this page and go back to Conductor."
NOT_ASKED = "Conductor did not ask for this, or has its answer already."
_HEADERS = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"connection", b"close"),
]


class Redirect:
    """Takes the one answer that has the state it waits for; any page could send others here."""

    def __init__(self) -> None:
        self.port = 0
        self._state: str | None = None
        self._answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}{PATH}"

    def expect(self, state: str) -> None:
        """Take an answer with this state from now on."""
        self._state = state

    async def answer(self) -> Answer:
        """Wait for the browser."""
        return await self._answer

    async def __call__(self, scope: Any, _receive: Any, send: Any) -> None:
        """Speak ASGI."""
        if scope["type"] != "http":
            return
        answer = self._taken(scope)
        words = NOT_ASKED if answer is None else DONE
        body = words.encode()
        headers = [*_HEADERS, (b"content-length", str(len(body)).encode())]
        status = 400 if answer is None else 200
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        if answer is not None:
            self._answer.set_result(answer)

    def _taken(self, scope: Any) -> Answer | None:
        """Return the answer of a request, if it is the one that is waited for: the next one is not."""
        query = scope["query_string"]
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        is_ours = host == f"{HOST}:{self.port}" and scope["path"] == PATH
        if not is_ours or scope["method"] != "GET" or len(query) > LONGEST:
            return None
        fields = parse_qs(query.decode("latin-1"))
        if any(len(values) > 1 for values in fields.values()):
            return None
        answer = {name: values[0] for name, values in fields.items()}
        if self._state is None or answer.get("state") != self._state:
            return None
        self._state = None
        return answer


@asynccontextmanager
async def listen_for_redirect(port: int) -> AsyncGenerator[Redirect]:
    """Listen on loopback; port 0 takes a free one.

    Raises:
        NotAvailable: the port is taken.
    """
    redirect = Redirect()
    server = HttpServer(
        redirect,
        port,
        taken="port {} is taken",
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    await server.start()
    redirect.port = server.port
    try:
        yield redirect
    finally:
        await server.stop()
