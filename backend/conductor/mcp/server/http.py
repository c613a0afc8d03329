"""Serves agents over Streamable HTTP, for clients that cannot use the socket.

The server listens only on the loopback interface and requires a token. All clients share this token, so a
client is identified by the process that opened its connection, if the operating system reports it. The MCP
library checks the Host and Origin headers, so that no web page can reach the server by DNS rebinding.
"""

import asyncio
import hmac
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server

from conductor.base.http_server import CONNECTION_STATE_KEY, HttpServer
from conductor.base.loopback import LOOPBACK_HOST
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAvailable
from conductor.mcp.server.requesters import PEER_STATE_KEY
from conductor.mcp.server.tcp_peer import read_tcp_peer

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

MCP_ENDPOINT_PATH = "/mcp"
TOKEN_FILE_NAME = "mcp-token"  # noqa: S105 -- the name of a file, not a secret
MIN_TOKEN_LENGTH = 16
HTTP_SHUTDOWN_TIMEOUT_S = 3


def build_http_server(server: Server[Any], port: int, token: str, **options: Any) -> HttpServer:
    """Return the HTTP server, which is not started yet. `options` are passed to the MCP library."""
    app = server.streamable_http_app(
        host=LOOPBACK_HOST, streamable_http_path=MCP_ENDPOINT_PATH, **options
    )
    return HttpServer(
        require_http_token(add_peer_to_scope(app), token),
        port,
        port_in_use_error="HTTP for agents cannot listen on port {}; set llm.mcp.http_port to a free one",
        lifespan="on",
        timeout_graceful_shutdown=HTTP_SHUTDOWN_TIMEOUT_S,
    )


def require_http_token(app: AsgiApp, token: str) -> AsgiApp:
    """Return an ASGI app that answers requests without the token with status 401."""
    expected = f"Bearer {token}".encode()

    async def check_token(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            given = dict(scope.get("headers", ())).get(b"authorization", b"")
            if not hmac.compare_digest(given, expected):
                await _send_unauthorized(send)
                return
        await app(scope, receive, send)

    return check_token


def add_peer_to_scope(app: AsgiApp) -> AsgiApp:
    """Return an ASGI app that adds the client's process to the state of each request.

    The process is looked up once for each connection.
    """

    async def identify_client(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            state = scope["state"]
            connection = state[CONNECTION_STATE_KEY]
            if PEER_STATE_KEY not in connection:
                # in a thread, because the look-up reads the open files of all processes of the user
                connection[PEER_STATE_KEY] = await asyncio.to_thread(
                    read_tcp_peer, scope["client"], scope["server"]
                )
            state[PEER_STATE_KEY] = connection[PEER_STATE_KEY]
        await app(scope, receive, send)

    return identify_client


async def _send_unauthorized(send: Send) -> None:
    body = b'{"error":"the token is missing or wrong; send `Authorization: Bearer <token>`"}'
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def load_http_token(settings: LlmMcp, home: Path) -> str:
    """Return the token from the configured environment variable, or from a file that only the owner can read.

    If the file does not exist, it is created with a random token.

    Raises:
        NotAvailable: The token is missing, too short to be safe, or not ASCII.
    """
    if settings.auth_token_env is not None:
        token, source = os.environ.get(settings.auth_token_env, ""), f"${settings.auth_token_env}"
    else:
        path = home / TOKEN_FILE_NAME
        if not path.exists():
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w") as new:
                new.write(secrets.token_urlsafe(32))
        token, source = path.read_text(encoding="utf-8").strip(), str(path)
    if len(token) < MIN_TOKEN_LENGTH or not token.isascii():
        raise NotAvailable(
            f"HTTP for agents was not started: {source} must contain a token of at least"
            f" {MIN_TOKEN_LENGTH} ASCII characters"
        )
    return token
