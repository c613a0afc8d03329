"""Stores sign-ins, sends and refreshes their tokens, and checks the addresses that servers name.

A connection never starts a sign-in. Only the user does (`sign_in.py`).
"""

import asyncio
import ipaddress
import logging
import socket
import unicodedata
from collections.abc import AsyncGenerator
from urllib.parse import unquote, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from conductor.base.loopback import is_loopback_host
from conductor.errors import NotAvailable
from conductor.mcp.client.http import AUTH_REQUEST_MARKER, NO_COMPRESSION_HEADER
from conductor.mcp.client.values import ConsentedServer, SignInStore

log = logging.getLogger(__name__)

HOME_NETWORK_DOMAINS = (
    ".localhost", ".local", ".localdomain", ".lan", ".home", ".home.arpa", ".internal", ".intranet",
    ".fritz.box",
)  # fmt: skip
"""Domains that routers in homes use. `.box` is a public domain, so only the name of the router is listed."""
HOME_IPV6_NETWORKS = tuple(map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "fec0::/10")))
"""Local networks that `ipaddress` counts as global: NAT64 for local use, and the old site-local addresses."""
EMBEDDED_IPV4_NETWORKS = tuple(
    map(ipaddress.IPv6Network, ("::/96", "::ffff:0:0/96", "64:ff9b::/96"))
)
"""IPv6 networks whose addresses end with an IPv4 address: compatible, mapped, and NAT64."""
EXPIRED_TOKEN_TIMESTAMP = 1.0
"""A time in the past, in seconds since the epoch, with which a token is marked as expired."""
RETRYABLE_HTTP_STATUSES = (429, 500, 502, 503, 504)
ACCEPT_JSON_HEADER = ("accept", "application/json")
"""Without this header, GitHub sends tokens form-encoded, which the library does not parse."""
NO_AUTH_METHOD, BASIC_AUTH_METHOD, POST_AUTH_METHOD = (
    "none",
    "client_secret_basic",
    "client_secret_post",
)


class StoredSignIn(BaseModel):
    """A stored sign-in: its tokens, and the metadata that is needed to refresh them after a restart."""

    tokens: OAuthToken
    ends_at: float | None = None
    client: OAuthClientInformationFull
    metadata: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None
    signs_in_at: str | None = None


class TokenStorage:
    """Implements the `TokenStorage` of the MCP library.

    New tokens are saved together with the whole sign-in.
    """

    def __init__(
        self, server: ConsentedServer, store: SignInStore, sign_in: StoredSignIn | None
    ) -> None:
        self._server, self._store, self._sign_in = server, store, sign_in
        self.provider: OAuthClientProvider | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._sign_in.tokens if self._sign_in else None

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._sign_in.client if self._sign_in else build_preregistered_client(self._server)

    def choose_auth_method(self) -> None:
        """Choose how the secret of a pre-registered client is sent to the authorization server.

        Call this when the metadata of the authorization server, which lists the supported methods, is
        known.
        """
        assert self.provider is not None
        context = self.provider.context
        client, metadata = context.client_info, context.oauth_metadata
        if client is None or not _is_preregistered(client, self._server):
            return
        client.redirect_uris = context.client_metadata.redirect_uris
        supported = metadata.token_endpoint_auth_methods_supported if metadata else None
        needs_post = (
            supported is not None
            and BASIC_AUTH_METHOD not in supported
            and POST_AUTH_METHOD in supported
        )
        client.token_endpoint_auth_method = (
            NO_AUTH_METHOD
            if not client.client_secret
            else POST_AUTH_METHOD
            if needs_post
            else BASIC_AUTH_METHOD
        )

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Ignore the registration, because it is stored together with the tokens."""

    async def set_tokens(self, tokens: OAuthToken) -> None:
        assert self.provider is not None
        context = self.provider.context
        assert context.client_info is not None
        is_refresh = self._sign_in is not None
        self._sign_in = StoredSignIn(
            tokens=tokens,
            ends_at=context.token_expiry_time,
            client=context.client_info,
            metadata=context.oauth_metadata,
            resource=context.protected_resource_metadata,
            signs_in_at=context.auth_server_url,
        )
        server, text = self._server, self._sign_in.model_dump_json(exclude_none=True)
        try:
            await asyncio.to_thread(self._store.save_sign_in, server.name, server.url or "", text)
        except NotAvailable:
            if not is_refresh:
                raise
            # The new tokens work until the app ends, so the call in progress need not fail.
            log.warning("cannot store the refreshed sign-in to %s", server.name)


class RefreshingAuth(OAuthClientProvider):
    """Adds the token to each request, and refreshes it when it has expired.

    A refusal is returned to the caller, because only the user may start a sign-in.
    """

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        is_refreshed = False
        while True:  # a second round if the server rejects a token that has not expired
            flow = super().async_auth_flow(request)
            try:
                outgoing = await anext(flow)
                while True:
                    is_refreshed = is_refreshed or outgoing is not request
                    response = yield self._prepare_request(outgoing, request)
                    _raise_for_failed_refresh(outgoing, request, response)
                    if outgoing is request and response.status_code in (401, 403):
                        break  # the library would start a sign-in for this response
                    outgoing = await flow.asend(response)
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()
            if is_refreshed or response.status_code != 401 or not self.context.can_refresh_token():
                return
            self._expire_token(request)

    def _prepare_request(self, outgoing: httpx2.Request, request: httpx2.Request) -> httpx2.Request:
        if outgoing is not request:
            check_sign_in_address(str(outgoing.url), self.context.server_url)
            outgoing.extensions[AUTH_REQUEST_MARKER] = True
            outgoing.headers.setdefault(*ACCEPT_JSON_HEADER)
            outgoing.headers.update(NO_COMPRESSION_HEADER)
        return outgoing

    def _expire_token(self, request: httpx2.Request) -> None:
        """Mark the token as expired, so that the library refreshes it."""
        tokens = self.context.current_tokens
        # unless a parallel request has refreshed it in the meantime
        if tokens and request.headers.get("authorization") == f"Bearer {tokens.access_token}":
            self.context.token_expiry_time = EXPIRED_TOKEN_TIMESTAMP


def _raise_for_failed_refresh(
    outgoing: httpx2.Request, request: httpx2.Request, response: httpx2.Response
) -> None:
    """Raise an error if the token could not be refreshed for the moment, because the library would delete
    the tokens.
    """
    if outgoing is not request and response.status_code in RETRYABLE_HTTP_STATUSES:
        raise httpx2.ReadError("the token could not be refreshed now", request=outgoing)


def load_sign_in(server: ConsentedServer, store: SignInStore) -> StoredSignIn | None:
    """Return the stored sign-in of a server.

    Return None if there is none, or if the configured client id has changed since. Call this in a worker
    thread, because the keychain may block.
    """
    text = store.load_sign_in(server.name, server.url or "")
    if text is None:
        return None
    try:
        sign_in = StoredSignIn.model_validate_json(text)
    except ValidationError:
        return None
    client = build_preregistered_client(server)
    if client is None:
        return sign_in
    if not _is_preregistered(sign_in.client, server):
        return None
    sign_in.client.client_secret = client.client_secret  # the user may have corrected it
    return sign_in


def build_preregistered_client(server: ConsentedServer) -> OAuthClientInformationFull | None:
    """Return the OAuth client that the user registered with the service by hand, or None."""
    if server.oauth is None or not server.oauth.client_id:
        return None
    return OAuthClientInformationFull(
        client_id=server.oauth.client_id, client_secret=server.oauth.client_secret or None
    )


def _is_preregistered(client: OAuthClientInformationFull, server: ConsentedServer) -> bool:
    return server.oauth is not None and client.client_id == server.oauth.client_id


def build_refreshing_auth(
    server: ConsentedServer, store: SignInStore, sign_in: StoredSignIn
) -> OAuthClientProvider:
    """Return the authentication that adds the token of a sign-in to each request."""
    storage = TokenStorage(server, store, sign_in)
    provider = RefreshingAuth(server.url or "", build_client_metadata(None), storage)
    return restore_sign_in_state(provider, storage, sign_in)


def restore_sign_in_state(
    provider: OAuthClientProvider, storage: TokenStorage, sign_in: StoredSignIn | None
) -> OAuthClientProvider:
    """Copy what the library does not load from a stored sign-in into the provider, and return the provider."""
    _silence_library_log()
    storage.provider = provider
    if sign_in is not None:
        context = provider.context
        context.token_expiry_time = sign_in.ends_at
        context.oauth_metadata = sign_in.metadata
        context.protected_resource_metadata = sign_in.resource
        context.auth_server_url = sign_in.signs_in_at
    return provider


def build_client_metadata(redirect: str | None) -> OAuthClientMetadata:
    """Return the metadata with which Conductor registers as a public client without a secret."""
    return OAuthClientMetadata(
        client_name="Conductor",
        redirect_uris=None if redirect is None else [AnyUrl(redirect)],
        token_endpoint_auth_method=NO_AUTH_METHOD,
    )


def is_home_network_host(host: str) -> bool:
    """Return whether a host name or address belongs to this computer or the local network.

    Host names are not resolved, because the host must still present a certificate for its name.
    """
    # normalised as in browsers, where a dot at the end only marks a name as complete
    normalized = (
        unicodedata.normalize("NFKC", unquote(host)).replace("\u3002", ".").rstrip(".").casefold()
    )
    address = _parse_ip_address(normalized)
    if address is not None:
        return not address.is_global or any(address in network for network in HOME_IPV6_NETWORKS)
    return bool(normalized) and (
        "." not in normalized or f".{normalized}".endswith(HOME_NETWORK_DOMAINS)
    )


def _parse_ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address that a host stands for, or None if the host is a name.

    If an IPv6 address contains an IPv4 address, the IPv4 address is returned.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            # short forms such as 127.1 and 0x7f000001
            return ipaddress.IPv4Address(socket.inet_aton(host))
        except (OSError, ValueError):
            return None
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if any(address in network for network in EMBEDDED_IPV4_NETWORKS):
        return ipaddress.IPv4Address(address.packed[-4:])
    return address.sixtofour or address


def check_sign_in_address(address: str, server: str) -> str:
    """Check an address that a server names for the sign-in, and return its host.

    Raises:
        NotAvailable: The address is not encrypted, contains a user name, or leads from the internet into
            the local network.
    """
    try:
        parts = urlsplit(address)
        host, has_user = parts.hostname or "", parts.username is not None
        is_here = is_loopback_host(host) and is_loopback_host(urlsplit(server).hostname)
    except ValueError:
        raise NotAvailable("the sign-in leads to an invalid address; it was stopped") from None
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here):
        raise NotAvailable(
            f"the sign-in leads to {host[:100] or 'a place'} without encryption; it was stopped."
            " Report this to the operator of the server"
        )
    if is_home_network_host(host) and not is_home_network_host(urlsplit(server).hostname or ""):
        raise NotAvailable(
            f"the sign-in leads to {host[:100]}, which is this computer or your own network and not"
            " on the internet; it was stopped. Report this to the operator of the server"
        )
    if has_user or not host:
        raise NotAvailable(
            "the sign-in leads to an address with a user name or without a host; it was stopped"
        )
    return host


def _silence_library_log() -> None:
    """Switch off the log of the MCP library about sign-ins, because it contains responses with tokens."""
    logging.getLogger("mcp.client.auth").setLevel(logging.CRITICAL)
