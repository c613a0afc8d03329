"""Checks every request on the port for other computers before any other code sees it.

The checks are, in this order: the Host and the Origin (so that no web page can reach the port by DNS
rebinding), the access token, and the scope that the request needs. The tool executor checks the scope again.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.routes import REVOCATION_PATH, TOKEN_PATH
from starlette.responses import JSONResponse

from conductor.base.json_types import JsonObject
from conductor.domain.remote_access import FIRST_SCOPES, REMOTE_SCOPES, RemoteScope
from conductor.mcp.remote.connections import OpenRequests
from conductor.mcp.remote.provider import RemoteAccessToken, RemoteProvider
from conductor.mcp.remote.request_source import set_request_source
from conductor.mcp.server.http import MCP_ENDPOINT_PATH, AsgiApp, Receive, Scope, Send
from conductor.mcp.server.requesters import REMOTE_CLIENT_STATE_KEY, RemoteClient
from conductor.storage.remote_access import RemoteAccessStore

RESOURCE_METADATA_PATH = f"/.well-known/oauth-protected-resource{MCP_ENDPOINT_PATH}"
MAX_BODY_BYTES = 4 * 1024 * 1024
END_TIMEOUT_S = 1.0
_BEARER = "bearer "


class BodyTooLarge(Exception):
    """Raised if the body of a request is too large."""


class RemoteGuard:
    """An ASGI app that passes only permitted requests to the MCP endpoint and to the endpoints of OAuth."""

    def __init__(
        self,
        mcp_app: AsgiApp,
        oauth_app: AsgiApp,
        provider: RemoteProvider,
        store: RemoteAccessStore,
        open_requests: OpenRequests,
        find_scope: Callable[[str], RemoteScope | None],
    ) -> None:
        self._mcp_app = mcp_app
        self._oauth_app = oauth_app
        self._provider = provider
        self._store = store
        self._open_requests = open_requests
        self._find_scope = find_scope
        self._issuer = provider.issuer
        self._host = self._issuer.removeprefix("https://")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._mcp_app(scope, receive, send)
            return
        headers = {name: text.decode("latin-1") for name, text in scope.get("headers", ())}
        refusal = self._explain_foreign_request(headers)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        set_request_source(scope.get("client"))
        if scope["path"] == MCP_ENDPOINT_PATH:
            await self._serve_mcp(scope, headers, receive, send)
        elif scope["path"] in (TOKEN_PATH, REVOCATION_PATH):
            await self._serve_form(scope, receive, send)
        else:
            await self._oauth_app(scope, receive, send)

    def _explain_foreign_request(self, headers: dict[bytes, str]) -> JSONResponse | None:
        """Return the response to a request for another host or from a web page, or None for other requests."""
        host = headers.get(b"host", "").lower().removesuffix(":443")
        if host != self._host.removesuffix(":443"):
            return _build_error(
                421,
                "invalid_request",
                f"this is not {self._host}: connect to {self._issuer}, or set llm.mcp.remote_address",
            )
        origin = headers.get(b"origin")
        if origin is not None and origin != self._issuer:
            return _build_error(403, "invalid_request", "web pages cannot connect to Conductor")
        return None

    async def _serve_mcp(
        self, scope: Scope, headers: dict[bytes, str], receive: Receive, send: Send
    ) -> None:
        given = headers.get(b"authorization", "")
        token = (
            await self._provider.load_access_token(given[len(_BEARER) :].strip())
            if given[: len(_BEARER)].lower() == _BEARER
            else None
        )
        if token is None:
            await self._build_sign_in_challenge(has_token=bool(given))(scope, receive, send)
            return
        try:
            body = await _read_body(receive)
        except BodyTooLarge:
            await _build_error(413, "invalid_request", "the request is too large")(
                scope, receive, send
            )
            return
        missing = self._find_missing_scope(body, token)
        if missing is not None:
            await self._build_scope_challenge(missing, token)(scope, receive, send)
            return
        await asyncio.to_thread(self._store.record_use, token.grant)
        scope["user"] = AuthenticatedUser(token)  # binds sessions of the MCP library to the grant
        scope["state"][REMOTE_CLIENT_STATE_KEY] = RemoteClient(
            token.grant.client, token.grant.grant_id, _get_scopes(token)
        )
        response = _Response(send)
        remaining_s = (token.expires_at or 0) - self._provider.get_time()
        await self._open_requests.run_request(
            token.grant.grant_id,
            self._mcp_app(scope, _replay(body, receive), response.send),
            max(remaining_s, 0),
        )
        await self._end_response(response, scope, receive)

    async def _end_response(self, response: "_Response", scope: Scope, receive: Receive) -> None:
        """Complete the response to a request that was ended because the access was."""
        if response.is_complete:
            return
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                if response.has_started:
                    await response.send({"type": "http.response.body", "body": b""})
                else:
                    challenge = self._build_sign_in_challenge(has_token=True)
                    await challenge(scope, receive, response.send)
        except TimeoutError:
            return  # the client does not read, and the server closes the connection

    def _find_missing_scope(self, body: bytes, token: RemoteAccessToken) -> RemoteScope | None:
        """Return the scope that a tool call needs and the token does not have, or None."""
        try:
            message: Any = json.loads(body or b"null")
        except (ValueError, RecursionError):
            return None  # the MCP library explains what is wrong
        if not isinstance(message, dict) or message.get("method") != "tools/call":  # pyright: ignore[reportUnknownMemberType]
            return None
        params: Any = message.get("params")  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
        fields: JsonObject = params if isinstance(params, dict) else {}
        needed = self._find_scope(str(fields.get("name"))[:80])
        return None if needed is None or needed in token.scopes else needed

    def _build_sign_in_challenge(self, *, has_token: bool) -> JSONResponse:
        text = (
            "the access token is unknown, expired or revoked: sign in again"
            if has_token
            else "sign in, so that the user can allow access"
        )
        # Without a token, RFC 6750 has no error code in the header.
        error = (f'error="invalid_token", error_description="{text}", ') if has_token else ""
        return _build_error(
            401, "invalid_token", text, self._build_challenge_header(error, FIRST_SCOPES)
        )

    def _build_scope_challenge(
        self, missing: RemoteScope, token: RemoteAccessToken
    ) -> JSONResponse:
        text = f"this needs the scope {missing}: sign in again and request it, so that the user can decide"
        scopes = tuple(one for one in REMOTE_SCOPES if one == missing or one in token.scopes)
        error = f'error="insufficient_scope", error_description="{text}", '
        return _build_error(
            403, "insufficient_scope", text, self._build_challenge_header(error, scopes)
        )

    def _build_challenge_header(self, error: str, scopes: Sequence[str]) -> str:
        return (
            f'Bearer {error}scope="{" ".join(scopes)}",'
            f' resource_metadata="{self._issuer}{RESOURCE_METADATA_PATH}"'
        )

    async def _serve_form(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a form to the MCP library, after what it does not do here.

        It issues tokens for any resource, and it expects a secret of clients that revoke their tokens, even
        of public ones.
        """
        try:
            body = await _read_body(receive)
        except BodyTooLarge:
            await _build_error(413, "invalid_request", "the request is too large")(
                scope, receive, send
            )
            return
        form = parse_qs(body.decode("utf-8", "replace"))
        if any(not self._provider.is_this_resource(one) for one in form.get("resource", ())):
            text = f"the only resource here is {self._issuer}{MCP_ENDPOINT_PATH}"
            await _build_error(400, "invalid_target", text)(scope, receive, send)
            return
        if scope["path"] == REVOCATION_PATH and "client_secret" not in form:
            body += b"&client_secret="
        await self._oauth_app(scope, _replay(body, receive), send)


class _Response:
    """Passes on a response, and remembers how far it has come."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_started = self.is_complete = False

    async def send(self, message: Scope) -> None:
        if message["type"] == "http.response.start":
            self.has_started = True
        elif message["type"] == "http.response.body" and not message.get("more_body"):
            self.is_complete = True
        await self._send(message)


def _get_scopes(token: RemoteAccessToken) -> tuple[RemoteScope, ...]:
    return tuple(one for one in REMOTE_SCOPES if one in token.scopes)


async def _read_body(receive: Receive) -> bytes:
    """Return the whole body of a request.

    Raises:
        BodyTooLarge: It has more than `MAX_BODY_BYTES`.
    """
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise BodyTooLarge
        if not message.get("more_body", False):
            return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that yields a body which was read already, then what else arrives."""
    is_read = False

    async def replay() -> Scope:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _build_error(
    status: int, error: str, description: str, challenge: str | None = None
) -> JSONResponse:
    headers = {"cache-control": "no-store"}
    if challenge is not None:
        headers["www-authenticate"] = challenge
    return JSONResponse({"error": error, "error_description": description}, status, headers)
