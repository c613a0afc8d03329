"""Checks every request on the port for other computers before any other code sees it.

The checks are, in this order: the Host and the Origin (so that no web page can reach the port by DNS
rebinding), the access token, and the scope that the request needs. The tool executor checks the scope again.
"""

import asyncio
import json
import math
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.routes import AUTHORIZATION_PATH, REVOCATION_PATH, TOKEN_PATH
from starlette.responses import JSONResponse, Response

from conductor.base.json_types import JsonObject
from conductor.domain.remote_access import FIRST_SCOPES, REMOTE_SCOPES, RemoteScope
from conductor.mcp.remote.authorization_requests import AuthorizationRequests
from conductor.mcp.remote.open_requests import OpenRequests
from conductor.mcp.remote.pages import render_busy_page
from conductor.mcp.remote.provider import RemoteAccessToken, RemoteProvider
from conductor.mcp.remote.request_limits import RequestLimits
from conductor.mcp.remote.request_source import find_request_source, set_request_source
from conductor.mcp.server.asgi import (
    AsgiApp,
    BodyTooLarge,
    Receive,
    Scope,
    Send,
    read_body,
    replay_body,
)
from conductor.mcp.server.http import MCP_ENDPOINT_PATH
from conductor.mcp.server.requesters import REMOTE_CLIENT_STATE_KEY, RemoteClient
from conductor.storage.remote_access import RemoteAccessStore

RESOURCE_METADATA_PATH = f"/.well-known/oauth-protected-resource{MCP_ENDPOINT_PATH}"
MAX_BODY_BYTES = 4 * 1024 * 1024
MAX_OAUTH_BODY_BYTES = 64 * 1024
"""Anybody may send these, without a token."""
END_TIMEOUT_S = 1.0
_BEARER = "bearer "


class RemoteAuthMiddleware:
    """An ASGI app that passes only permitted requests to the MCP endpoint and to the endpoints of OAuth."""

    def __init__(
        self,
        mcp_app: AsgiApp,
        oauth_app: AsgiApp,
        provider: RemoteProvider,
        store: RemoteAccessStore,
        requests: AuthorizationRequests,
        open_requests: OpenRequests,
        find_scope: Callable[[str], RemoteScope | None],
        *,
        is_behind_proxy: bool,
    ) -> None:
        self._mcp_app = mcp_app
        self._oauth_app = oauth_app
        self._provider = provider
        self._store = store
        self._requests = requests
        self._limits = RequestLimits()
        self._is_behind_proxy = is_behind_proxy
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
        source = find_request_source(
            scope.get("client"), headers, is_behind_proxy=self._is_behind_proxy
        )
        set_request_source(source)
        refusal = self._explain_limit(scope["path"], source, headers)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["path"] == MCP_ENDPOINT_PATH:
            await self._serve_mcp(scope, headers, receive, send)
        else:
            await self._serve_oauth(scope, receive, send)

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
            return _build_error(
                403, "invalid_request", "web pages cannot connect to Conductor: use a program"
            )
        return None

    def _explain_limit(self, path: str, source: str, headers: dict[bytes, str]) -> Response | None:
        """Return the response to a request that exceeds a limit, or None for other requests."""
        wait_s = self._limits.count_request(path, source)
        if path == AUTHORIZATION_PATH:
            # before the client is looked up, so that a refused request costs nothing
            wait_s = max(wait_s, self._requests.count_wait_s(source))
        if wait_s <= 0:
            return None
        retry_after_s = math.ceil(wait_s)
        if path == AUTHORIZATION_PATH:  # a browser asks
            return render_busy_page(headers.get(b"accept-language", ""), retry_after_s)
        text = f"too many requests: try again in {retry_after_s} s"
        refusal = _build_error(429, "temporarily_unavailable", text)
        refusal.headers["retry-after"] = str(retry_after_s)
        return refusal

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
            body = await read_body(receive, MAX_BODY_BYTES)
        except BodyTooLarge:
            await _build_size_error(MAX_BODY_BYTES)(scope, receive, send)
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
            self._mcp_app(scope, replay_body(body, receive), response.send),
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

    async def _serve_oauth(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request to the endpoints of OAuth in the MCP library, after what it does not do here.

        It reads a body of any size, issues tokens for any resource, and expects a secret of clients that
        revoke their tokens, even of public ones.
        """
        try:
            body = await read_body(receive, MAX_OAUTH_BODY_BYTES)
        except BodyTooLarge:
            await _build_size_error(MAX_OAUTH_BODY_BYTES)(scope, receive, send)
            return
        is_form = scope["path"] in (TOKEN_PATH, REVOCATION_PATH)
        form = parse_qs(body.decode("utf-8", "replace")) if is_form else {}
        if any(not self._provider.is_this_resource(one) for one in form.get("resource", ())):
            text = f"resource must be {self._issuer}{MCP_ENDPOINT_PATH}, or left out"
            await _build_error(400, "invalid_target", text)(scope, receive, send)
            return
        if scope["path"] == REVOCATION_PATH and "client_secret" not in form:
            body += b"&client_secret="
        await self._oauth_app(scope, replay_body(body, receive), send)


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


def _build_size_error(max_bytes: int) -> JSONResponse:
    text = f"the request has more than {max_bytes} bytes: send a smaller one"
    return _build_error(413, "invalid_request", text)


def _build_error(
    status: int, error: str, description: str, challenge: str | None = None
) -> JSONResponse:
    headers = {"cache-control": "no-store"}
    if challenge is not None:
        headers["www-authenticate"] = challenge
    return JSONResponse({"error": error, "error_description": description}, status, headers)
