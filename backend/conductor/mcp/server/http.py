"""Serves agents that cannot use the socket over Streamable HTTP.

It listens on loopback only and requires the token. All clients have the same token, so it does not
distinguish them: each connection belongs to the process that opened it, where the system reports it.

The MCP library checks Host and Origin, so that no web page can reach the server by DNS rebinding.
"""

import asyncio
import hmac
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server

from conductor.base.http_server import CONNECTION, HttpServer
from conductor.base.loopback import HOST
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAvailable
from conductor.mcp.server.requesters import PEER_KEY
from conductor.mcp.server.tcp_peer import read_tcp_peer

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Scope]]
Send = Callable[[Scope], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

MCP_PATH = "/mcp"
TOKEN_FILE = "mcp-token"  # noqa: S105 -- a file's name
MIN_TOKEN_LENGTH = 16
SHUTDOWN_TIMEOUT_S = 3


def build_http_server(server: Server[Any], port: int, token: str, **options: Any) -> HttpServer:
    """Build the HTTP server without starting it; `options` are passed to the MCP library."""
    app = server.streamable_http_app(host=HOST, streamable_http_path=MCP_PATH, **options)
    return HttpServer(
        require_token(identify_peer(app), token),
        port,
        taken="HTTP for agents cannot listen on port {}; set llm.mcp.http_port to a free one",
        lifespan="on",
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
    )


def require_token(app: AsgiApp, token: str) -> AsgiApp:
    """Wrap an ASGI app so that requests without the token receive status 401."""
    expected = f"Bearer {token}".encode()

    async def check_token(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            given = dict(scope.get("headers", ())).get(b"authorization", b"")
            if not hmac.compare_digest(given, expected):
                await _send_unauthorized(send)
                return
        await app(scope, receive, send)

    return check_token


def identify_peer(app: AsgiApp) -> AsgiApp:
    """Wrap an ASGI app so that each connection is identified by its process, once for all its requests."""

    async def identify_client(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            state = scope["state"]
            connection = state[CONNECTION]
            if PEER_KEY not in connection:
                # In a thread: it looks through the open files of the user's processes.
                connection[PEER_KEY] = await asyncio.to_thread(
                    read_tcp_peer, scope["client"], scope["server"]
                )
            state[PEER_KEY] = connection[PEER_KEY]
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


def load_token(settings: LlmMcp, home: Path) -> str:
    """Return the token from the configured environment variable, or from a file that only the owner can read.

    The file is created if it does not exist, with a random token.

    Raises:
        NotAvailable: the variable is empty, or the token is too short to be safe.
    """
    if settings.auth_token_env is not None:
        token, source = os.environ.get(settings.auth_token_env, ""), f"${settings.auth_token_env}"
    else:
        path = home / TOKEN_FILE
        if not path.exists():
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w") as new:
                new.write(secrets.token_urlsafe(32))
        token, source = path.read_text(encoding="utf-8").strip(), str(path)
    if len(token) < MIN_TOKEN_LENGTH or not token.isascii():
        raise NotAvailable(
            f"HTTP for agents stays closed: {source} must hold a token of at least {MIN_TOKEN_LENGTH}"
            " plain characters"
        )
    return token
