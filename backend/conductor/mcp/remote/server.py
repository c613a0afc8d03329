"""The HTTP server for agents on other computers: TLS, OAuth and the MCP endpoint.

Importing this module imports the MCP library, which takes about a second.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit, urlunsplit

from mcp.server.auth.handlers.metadata import MetadataHandler
from mcp.server.auth.provider import construct_redirect_uri
from mcp.server.auth.routes import (
    build_metadata,
    cors_middleware,
    create_auth_routes,
    create_protected_resource_routes,
)
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.routing import Route

from conductor.base.http_server import HttpServer
from conductor.domain.remote_access import REMOTE_SCOPES, RemoteScope
from conductor.errors import NotAvailable
from conductor.mcp.remote.authorization_requests import AuthorizationRequests
from conductor.mcp.remote.certificate import Certificate, load_certificate
from conductor.mcp.remote.clients import RemoteClients
from conductor.mcp.remote.middleware import RemoteAuthMiddleware
from conductor.mcp.remote.open_requests import OpenRequests
from conductor.mcp.remote.pages import CONSENT_PATH, ConsentPage
from conductor.mcp.remote.provider import GrantHandlers, RemoteProvider
from conductor.mcp.remote.settings import RemoteSettings
from conductor.mcp.server.asgi import AsgiApp, Receive, Scope, Send
from conductor.mcp.server.http import HTTP_SHUTDOWN_TIMEOUT_S, MCP_ENDPOINT_PATH
from conductor.storage.remote_access import RemoteAccessStore

METADATA_PATH = "/.well-known/oauth-authorization-server"
RESOURCE_NAME = "Conductor"
MAX_CONNECTIONS = 200
_URLS = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))
"""Parses addresses without adding a slash: clients compare the issuer character by character (RFC 8414)."""


class RemoteServerDeps(NamedTuple):
    """What the server for agents on other computers depends on."""

    mcp_server: Server[Any]
    store: RemoteAccessStore
    requests: AuthorizationRequests
    find_scope: Callable[[str], RemoteScope | None]
    """Returns the scope that a tool needs."""
    handlers: GrantHandlers
    home: Path


class RemoteServer:
    """The server for agents on other computers."""

    def __init__(
        self, settings: RemoteSettings, deps: RemoteServerDeps, certificate: Certificate | None
    ) -> None:
        """Create the server, which is not started yet. `certificate` is that of `load_server_certificate`."""
        self._settings, self._home = settings, deps.home
        self.address = f"{settings.address}{MCP_ENDPOINT_PATH}"
        """The address of the MCP endpoint."""
        self.certificate = certificate
        self.open_requests = OpenRequests()
        provider = RemoteProvider(
            deps.store,
            deps.requests,
            RemoteClients(deps.store),
            self.address,
            lambda key: f"{settings.address}{CONSENT_PATH}{key}",
            deps.handlers,
        )
        # The middleware checks Host and Origin for every path; here, the MCP library would check them again.
        no_checks = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        mcp_app = deps.mcp_server.streamable_http_app(
            host=settings.host,
            streamable_http_path=MCP_ENDPOINT_PATH,
            transport_security=no_checks,
        )
        app = RemoteAuthMiddleware(
            mcp_app,
            build_oauth_app(provider, deps.requests),
            provider,
            deps.store,
            deps.requests,
            self.open_requests,
            deps.find_scope,
            is_behind_proxy=not settings.tls,
        )
        self._http = HttpServer(
            app,
            settings.port,
            host=settings.host,
            tls=None if certificate is None else certificate.context,
            port_in_use_error=f"agents on other computers cannot be served at {settings.host}, port {{}};"
            " set llm.mcp.remote_host to an address of this computer and llm.mcp.remote_port to a free port",
            lifespan="on",
            timeout_graceful_shutdown=HTTP_SHUTDOWN_TIMEOUT_S,
            limit_concurrency=MAX_CONNECTIONS,
            server_header=False,
        )

    async def start(self) -> None:
        """Start to listen.

        Raises:
            NotAvailable: The port is in use, or this computer does not have the address.
        """
        await self._http.start()

    async def stop(self) -> None:
        """Close the port and all connections."""
        await self._http.stop()

    def reload_files(self) -> bool:
        """Use a renewed certificate for new connections. Return whether it was renewed.

        Raises:
            NotAvailable: The renewed certificate cannot be used. The previous one stays in use.
        """
        previous = self.certificate
        if previous is None:
            return False
        try:
            renewed = load_server_certificate(self._settings, self._home)
        except NotAvailable as error:
            raise NotAvailable(
                f"the certificate for agents on other computers was not reloaded: {error}. The previous"
                f" certificate, valid until {previous.expires_at:%Y-%m-%d}, stays in use"
            ) from error
        if renewed is None or renewed.pem == previous.pem:
            return False
        self._http.replace_tls(renewed.context)
        self.certificate = renewed
        return True


def load_server_certificate(settings: RemoteSettings, home: Path) -> Certificate | None:
    """Return the certificate to serve, or None if another program encrypts the connections.

    Raises:
        NotAvailable: The certificate cannot be used. The message says what to do.
    """
    if not settings.tls:
        return None
    host = urlsplit(settings.address).hostname or ""
    return load_certificate(host, home, settings.certificate, settings.certificate_key)


def build_oauth_app(provider: RemoteProvider, requests: AuthorizationRequests) -> AsgiApp:
    """Return the app with the metadata, the endpoints of OAuth and the page on which browsers wait."""
    issuer, scopes = _URLS.validate_python(provider.issuer), list[str](REMOTE_SCOPES)
    registration = ClientRegistrationOptions(enabled=True, valid_scopes=scopes)
    revocation = RevocationOptions(enabled=True)
    routes = create_auth_routes(
        provider,
        issuer,
        client_registration_options=registration,
        revocation_options=revocation,
    )
    metadata = build_metadata(issuer, None, registration, revocation)
    # What the library does not know: there are only public clients, they may use a document as their id
    # (client ID metadata documents), and the redirect names this server (RFC 9207).
    metadata.token_endpoint_auth_methods_supported = ["none"]
    metadata.revocation_endpoint_auth_methods_supported = ["none"]
    metadata.client_id_metadata_document_supported = True
    metadata.authorization_response_iss_parameter_supported = True
    own_metadata = Route(
        METADATA_PATH,
        endpoint=cors_middleware(MetadataHandler(metadata).handle, ["GET", "OPTIONS"]),
        methods=["GET", "OPTIONS"],
    )
    page = ConsentPage(requests, provider)
    app = Starlette(
        routes=[
            own_metadata,
            *(route for route in routes if route.path != METADATA_PATH),
            *create_protected_resource_routes(
                _URLS.validate_python(f"{provider.issuer}{MCP_ENDPOINT_PATH}"),
                [issuer],
                scopes,
                RESOURCE_NAME,
            ),
            Route(f"{CONSENT_PATH}{{key}}", endpoint=page.answer_browser, methods=["GET"]),
        ]
    )
    return add_issuer_to_redirects(app, provider.issuer)


def add_issuer_to_redirects(app: AsgiApp, issuer: str) -> AsgiApp:
    """Return an app that adds this server's address to redirects to an agent that lack it (RFC 9207).

    The MCP library redirects with errors itself, without the address.
    """

    async def add_issuer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_issuer(message: Scope) -> None:
            if message["type"] == "http.response.start" and message["status"] == 302:
                message["headers"] = [
                    (name, _add_issuer(value.decode("latin-1"), issuer).encode("latin-1"))
                    if name == b"location"
                    else (name, value)
                    for name, value in message["headers"]
                ]
            await send(message)

        await app(scope, receive, send_with_issuer)

    return add_issuer


def _add_issuer(location: str, issuer: str) -> str:
    parts = urlsplit(location)
    is_here = urlunsplit((parts.scheme, parts.netloc, "", "", "")) == issuer
    if is_here or "iss" in parse_qs(parts.query):
        return location
    return construct_redirect_uri(location, iss=issuer)
