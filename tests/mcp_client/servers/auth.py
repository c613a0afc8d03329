"""An MCP server that requires a sign-in, with its authorization server, both built with the MCP library.

The arguments select deviations. It prints its port, and writes the requests that it gets to stderr.
"""

import asyncio
import secrets
import socket
import sys
import time
from typing import Any

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl, AnyUrl
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

HOW = set(sys.argv[1:])
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
PORT = listening.getsockname()[1]
HERE = f"http://127.0.0.1:{PORT}"


BY_HAND = HOW & {"none", "client_secret_basic", "client_secret_post"}
"""How a pre-registered client authenticates; registration is disabled then."""


class Known(OAuthClientInformationFull):
    """A client whose owner has written the loopback address as its own: any port of it counts (RFC 8252)."""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        assert redirect_uri is not None
        say(f"back to {redirect_uri.host}{redirect_uri.path}")
        return redirect_uri


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Grants every request, unless an argument says otherwise; all state is in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info
        say("registered")

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        say(f"authorize {params.resource}")
        back, state = str(params.redirect_uri), params.state
        if "denies" in HOW:
            return construct_redirect_uri(back, error="access_denied", state=state)
        code = f"code-{secrets.token_hex(16)}"
        self.codes[code] = AuthorizationCode(
            code=code,
            client_id=client.client_id,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=True,
            resource=params.resource,
        )
        issuer = "https://other.example" if "mixes up" in HOW else None
        return construct_redirect_uri(back, code=code, state=state, iss=issuer)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.pop(authorization_code, None)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        if "gives no token" in HOW:
            raise TokenError("invalid_grant", "secret-in-the-error")  # pyright: ignore
        say("token")
        return self._given(client.client_id, authorization_code.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.pop(refresh_token, None)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        say("refreshed")
        return self._given(client.client_id, scopes)

    async def load_access_token(self, token: str) -> AccessToken | None:
        found = self.access.get(token)
        return None if found is None or (found.expires_at or 0) < time.time() else found

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        return None

    def _given(self, client: str, scopes: list[str]) -> OAuthToken:
        long = "x" * 3_000 if "long" in HOW else ""
        access, refresh = (
            f"s3cret-{kind}-{secrets.token_hex(12)}{long}" for kind in ("access", "refresh")
        )
        lasts_s = 3_600
        ends = int(time.time()) + lasts_s
        self.access[access] = AccessToken(
            token=access, client_id=client, scopes=scopes, expires_at=ends, resource=f"{HERE}/mcp"
        )
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client, scopes=scopes)
        return OAuthToken(
            access_token=access, refresh_token=refresh, expires_in=lasts_s, scope=" ".join(scopes)
        )


def say(words: str) -> None:
    sys.stderr.write(f"asked: {words}\n")
    sys.stderr.flush()


provider = Provider()
if BY_HAND:
    provider.clients["from-the-service"] = Known(
        client_id="from-the-service",
        client_secret=None if "none" in HOW else "s3cret/from:the+service",
        token_endpoint_auth_method=next(iter(BY_HAND)),
        scope="use more",
    )
server = MCPServer(
    "signed",
    auth_server_provider=provider,
    auth=AuthSettings(
        issuer_url=AnyHttpUrl(HERE),
        resource_server_url=AnyHttpUrl(f"{HERE}/mcp"),
        client_registration_options=ClientRegistrationOptions(
            enabled=not BY_HAND, valid_scopes=["use"], default_scopes=["use"]
        ),
        required_scopes=["use"],
        validate_token_resource=True,
    ),
)


@server.tool()
def greet(name: str) -> str:
    """Greet a person."""
    return f"Hello, {name}"


@server.custom_route("/forget", methods=["POST"])
async def forget(request: Request) -> Response:
    """Revoke all access tokens, and with a query also all refresh tokens."""
    provider.access.clear()
    if request.query_params:
        provider.refresh.clear()
    return Response()


METADATA: dict[str, dict[str, Any]] = {
    "other issuer": {"issuer": "https://other.example"},
    "plain authorize": {"authorization_endpoint": "http://other.example/authorize"},
    "plain token": {"token_endpoint": "http://other.example/token"},
    "client_secret_post": {
        "token_endpoint_auth_methods_supported": ["client_secret_post"],
        "registration_endpoint": None,
    },
    "strange authorize": {"authorization_endpoint": "https://user:word@other.example/authorize"},
}


def changed(app: Any) -> Any:
    """Wrap an app to serve wrong metadata or answers, as the arguments say."""
    other = {key: value for how in HOW for key, value in METADATA.get(how, {}).items()}
    base = {
        "issuer": f"{HERE}/",
        "authorization_endpoint": f"{HERE}/authorize",
        "token_endpoint": f"{HERE}/token",
        "registration_endpoint": f"{HERE}/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    }

    async def asgi(scope: Any, receive: Any, send: Any) -> None:
        path = scope.get("path", "")
        if other and path.startswith("/.well-known/oauth-authorization-server"):
            whole = {key: value for key, value in {**base, **other}.items() if value is not None}
            await JSONResponse(whole)(scope, receive, send)
        elif "moves away" in HOW and path.startswith("/.well-known/oauth-authorization-server"):
            away = {"location": "http://other.example/metadata"}
            await Response(status_code=302, headers=away)(scope, receive, send)
        elif "no registration" in HOW and path == "/register":
            await JSONResponse({"error": "access_denied"}, 403)(scope, receive, send)
        elif (
            BY_HAND
            and path == "/token"
            and (b"accept", b"application/json") not in scope["headers"]
        ):
            await Response("access_token=not-as-json")(scope, receive, send)  # as GitHub does
        elif "busy" in HOW and path == "/token" and provider.refresh:
            await Response(status_code=503)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return asgi


async def main() -> None:
    app = changed(server.streamable_http_app(host="127.0.0.1"))
    config = uvicorn.Config(app, log_level="critical", lifespan="on")
    sys.stdout.write(f"{PORT}\n")
    sys.stdout.flush()
    await uvicorn.Server(config).serve(sockets=[listening])


asyncio.run(main())
