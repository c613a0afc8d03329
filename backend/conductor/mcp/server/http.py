"""Serves agents over Streamable HTTP, for clients that cannot use the socket.

The server listens only on the loopback interface and requires a token. All clients share this token, so a
client is identified by the process that opened its connection, if the operating system reports it. The MCP
library checks the Host and Origin headers, so that no web page can reach the server by DNS rebinding.
"""

import asyncio
import contextlib
import hmac
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server

from conductor.base.http_server import CONNECTION_STATE_KEY, HttpServer
from conductor.base.loopback import LOOPBACK_HOST
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAvailable
from conductor.mcp.server.asgi import AsgiApp, Receive, Scope, Send
from conductor.mcp.server.requesters import PEER_STATE_KEY
from conductor.mcp.server.tcp_peer import read_tcp_peer

MCP_ENDPOINT_PATH = "/mcp"
TOKEN_FILE_NAME = "mcp-token"  # noqa: S105 -- the name of a file, not a secret
MIN_TOKEN_LENGTH = 16
HTTP_SHUTDOWN_TIMEOUT_S = 3


class HttpToken:
    """The token that all clients over HTTP send. A changed token applies from the next request on."""

    def __init__(self, settings: Callable[[], LlmMcp], home: Path) -> None:
        self._settings = settings
        self._path = home / TOKEN_FILE_NAME
        self._loaded: tuple[tuple[int, int, int] | None, str] = (None, "")
        """The version of the file that was read last, and the token in it."""

    def load(self) -> str:
        """Return the token from the configured environment variable, or from a file that only the owner can
        read. If the file does not exist, it is created with a random token.

        Raises:
            NotAvailable: The token is missing, too short to be safe, or not ASCII.
        """
        variable = self._settings().auth_token_env
        try:
            token = self._load_file() if variable is None else os.environ.get(variable, "")
        except (OSError, ValueError) as error:
            raise NotAvailable(
                f"the token for agents in {self._path} cannot be read ({error}): correct or delete the file"
            ) from error
        if len(token) < MIN_TOKEN_LENGTH or not token.isascii():
            source = self._path if variable is None else f"${variable}"
            raise NotAvailable(
                f"agents over HTTP and A2A are not served: {source} must contain a token of at least"
                f" {MIN_TOKEN_LENGTH} ASCII characters"
            )
        return token

    def is_sent_in(self, header: bytes) -> bool:
        """Return whether an Authorization header contains the token."""
        try:
            expected = f"Bearer {self.load()}".encode()
        except NotAvailable:  # `load` reports it where the server is started or checked
            return False
        return hmac.compare_digest(header, expected)

    def _load_file(self) -> str:
        if not self._path.exists():
            with contextlib.suppress(FileExistsError):  # another thread has just created it
                file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(file, "w") as new:
                    new.write(secrets.token_urlsafe(32))
        # Read before the content: a change in between is then noticed at the next request.
        state = self._path.stat()
        version = (state.st_ino, state.st_size, state.st_mtime_ns)
        if version != self._loaded[0]:
            self._loaded = version, self._path.read_text(encoding="utf-8").strip()
        return self._loaded[1]


class AgentHttpServer:
    """The HTTP server for agents on this computer."""

    def __init__(self, mcp_server: Server[Any], port: int, token: HttpToken) -> None:
        self._token = token
        self._http = build_http_server(mcp_server, port, token.is_sent_in)

    async def start(self) -> None:
        """Start to listen.

        Raises:
            NotAvailable: The port is in use.
        """
        await self._http.start()

    async def stop(self) -> None:
        """Close the port and all connections."""
        await self._http.stop()

    def reload_files(self) -> bool:
        """Check the file with the token, which is read again at each request.

        Raises:
            NotAvailable: The token cannot be used, so that all requests are refused.
        """
        self._token.load()
        return False


def build_http_server(
    server: Server[Any], port: int, is_authorized: Callable[[bytes], bool], **options: Any
) -> HttpServer:
    """Return the HTTP server, which is not started yet.

    `is_authorized` returns whether an Authorization header is accepted. `options` are passed to the MCP
    library.
    """
    app = server.streamable_http_app(
        host=LOOPBACK_HOST, streamable_http_path=MCP_ENDPOINT_PATH, **options
    )
    return HttpServer(
        require_http_token(add_peer_to_scope(app), is_authorized),
        port,
        port_in_use_error="HTTP for agents cannot listen on port {}; set llm.mcp.http_port to a free one",
        lifespan="on",
        timeout_graceful_shutdown=HTTP_SHUTDOWN_TIMEOUT_S,
    )


def require_http_token(app: AsgiApp, is_authorized: Callable[[bytes], bool]) -> AsgiApp:
    """Return an ASGI app that answers requests without the token with status 401."""

    async def check_token(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            given = dict(scope.get("headers", ())).get(b"authorization", b"")
            if not is_authorized(given):
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
    body = (
        b'{"error":"the token is missing or wrong; send `Authorization: Bearer <token>`, with the token in the'
        b" file `mcp-token` in Conductor's home folder or in the variable that llm.mcp.auth_token_env names\"}"
    )
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"www-authenticate", b"Bearer"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
