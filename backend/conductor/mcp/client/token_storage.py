"""A server that the user has signed in to: the library sends and renews its token, and never asks for one."""

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

from conductor.errors import NotAvailable
from conductor.mcp.client.http import OURS, PLAIN
from conductor.mcp.client.values import Server, SignIns

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOME_DOMAINS = (
    ".localhost", ".local", ".localdomain", ".lan", ".home", ".home.arpa", ".internal", ".intranet",
    ".fritz.box",
)  # fmt: skip
"""Names that routers give. Of `.box` only the routers' own: anybody can buy another name under it."""
HOME_NETWORKS = tuple(map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "fec0::/10")))
"""Of a network's own, though Python's tables do not say so: NAT64 for local use, and the old site addresses."""
IPV4_INSIDE = tuple(map(ipaddress.IPv6Network, ("::/96", "::ffff:0:0/96", "64:ff9b::/96")))
"""IPv6 addresses that end with the IPv4 address which they stand for; the last are those of NAT64."""
LONG_AGO = 1.0
BUSY = (429, 500, 502, 503, 504)
AS_JSON = ("accept", "application/json")
"""GitHub gives its tokens as a form to who does not ask for this."""
NONE, BASIC, POST = "none", "client_secret_basic", "client_secret_post"


class SignIn(BaseModel):
    """What is kept: the library itself forgets across a start where tokens are renewed, and when they end."""

    tokens: OAuthToken
    ends_at: float | None = None
    client: OAuthClientInformationFull
    metadata: OAuthMetadata | None = None
    resource: ProtectedResourceMetadata | None = None
    signs_in_at: str | None = None


class TokenStorage:
    """Implements the library's `TokenStorage`: everything is kept together, whenever there are new tokens."""

    def __init__(self, server: Server, store: SignIns, before: SignIn | None) -> None:
        self._server, self._store, self._before = server, store, before
        self.provider: OAuthClientProvider | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self._before.tokens if self._before else None

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self._before.client if self._before else brought(self._server)

    def settle(self) -> None:
        """Choose how the secret that the user brought is sent: the server has said by now what it takes."""
        assert self.provider is not None
        context = self.provider.context
        client, metadata = context.client_info, context.oauth_metadata
        if client is None or not _is_brought(client, self._server):
            return
        client.redirect_uris = context.client_metadata.redirect_uris
        takes = metadata.token_endpoint_auth_methods_supported if metadata else None
        posts = takes is not None and BASIC not in takes and POST in takes
        client.token_endpoint_auth_method = (
            NONE if not client.client_secret else POST if posts else BASIC
        )

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Wait for the tokens: a registration alone is of no use."""

    async def set_tokens(self, tokens: OAuthToken) -> None:
        assert self.provider is not None
        context = self.provider.context
        assert context.client_info is not None
        is_renewed = self._before is not None
        self._before = SignIn(
            tokens=tokens,
            ends_at=context.token_expiry_time,
            client=context.client_info,
            metadata=context.oauth_metadata,
            resource=context.protected_resource_metadata,
            signs_in_at=context.auth_server_url,
        )
        server, text = self._server, self._before.model_dump_json(exclude_none=True)
        try:
            await asyncio.to_thread(self._store.save, server.name, server.url or "", text)
        except NotAvailable:
            if not is_renewed:
                raise
            log.warning("the renewed sign-in to %s could not be kept", server.name)


class RefreshingAuth(OAuthClientProvider):
    """Sends the token and renews it; a refusal is given back as it is, for only the user begins a sign-in."""

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        is_renewed = False
        while True:
            flow = super().async_auth_flow(request)
            try:
                outgoing = await anext(flow)
                while True:
                    is_renewed = is_renewed or outgoing is not request
                    response = yield self._looked_at(outgoing, request)
                    _require_answer(outgoing, request, response)
                    if outgoing is request and response.status_code in (401, 403):
                        break
                    outgoing = await flow.asend(response)
            except StopAsyncIteration:
                return
            finally:
                await flow.aclose()
            if is_renewed or response.status_code != 401 or not self.context.can_refresh_token():
                return
            self._renew_first(request)

    def _looked_at(self, outgoing: httpx2.Request, request: httpx2.Request) -> httpx2.Request:
        if outgoing is not request:
            check_address(str(outgoing.url), self.context.server_url)
            outgoing.extensions[OURS] = True
            outgoing.headers.setdefault(*AS_JSON)
            outgoing.headers.update(PLAIN)
        return outgoing

    def _renew_first(self, request: httpx2.Request) -> None:
        """Take the token for ended, as the server does: the library looks at the time alone."""
        tokens = self.context.current_tokens
        if tokens and request.headers.get("authorization") == f"Bearer {tokens.access_token}":
            self.context.token_expiry_time = LONG_AGO


def _require_answer(
    outgoing: httpx2.Request, request: httpx2.Request, response: httpx2.Response
) -> None:
    """Keep the library from dropping the tokens because nobody could be asked just now."""
    if outgoing is not request and response.status_code in BUSY:
        raise httpx2.ReadError("the token could not be renewed now", request=outgoing)


def load(server: Server, store: SignIns) -> SignIn | None:
    """Return what was kept of a server, for the client id that its entry has now; may block."""
    text = store.load(server.name, server.url or "")
    if text is None:
        return None
    try:
        kept = SignIn.model_validate_json(text)
    except ValidationError:
        return None
    client = brought(server)
    if client is None:
        return kept
    if not _is_brought(kept.client, server):
        return None
    kept.client.client_secret = client.client_secret
    return kept


def brought(server: Server) -> OAuthClientInformationFull | None:
    """Return the client that the user got from the service beforehand."""
    if server.oauth is None or not server.oauth.client_id:
        return None
    return OAuthClientInformationFull(
        client_id=server.oauth.client_id, client_secret=server.oauth.client_secret or None
    )


def _is_brought(client: OAuthClientInformationFull, server: Server) -> bool:
    return server.oauth is not None and client.client_id == server.oauth.client_id


def refreshing_auth(server: Server, store: SignIns, kept: SignIn) -> OAuthClientProvider:
    """Return what signs each request of a connection."""
    storage = TokenStorage(server, store, kept)
    provider = RefreshingAuth(server.url or "", about_us(None), storage)
    return restore_tokens(provider, storage, kept)


def restore_tokens(
    provider: OAuthClientProvider, storage: TokenStorage, kept: SignIn | None
) -> OAuthClientProvider:
    """Put into a provider what the library does not keep."""
    _keep_quiet()
    storage.provider = provider
    if kept is not None:
        context = provider.context
        context.token_expiry_time = kept.ends_at
        context.oauth_metadata = kept.metadata
        context.protected_resource_metadata = kept.resource
        context.auth_server_url = kept.signs_in_at
    return provider


def about_us(redirect: str | None) -> OAuthClientMetadata:
    """Say who we are; a program on the user's computer has no secret of its own."""
    return OAuthClientMetadata(
        client_name="Conductor",
        redirect_uris=None if redirect is None else [AnyUrl(redirect)],
        token_endpoint_auth_method=NONE,
    )


def leads_home(host: str) -> bool:
    """Check whether a host is this computer or one of its own network, however it is written.

    Names are not looked up here: what a name leads to still has to show a certificate for it.
    """
    # As browsers read a host; a dot at the end of a name only says that it is whole.
    plain = (
        unicodedata.normalize("NFKC", unquote(host)).replace("\u3002", ".").rstrip(".").casefold()
    )
    address = _as_address(plain)
    if address is not None:
        return not address.is_global or any(address in network for network in HOME_NETWORKS)
    return bool(plain) and ("." not in plain or f".{plain}".endswith(HOME_DOMAINS))


def _as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a host is; of an IPv6 address that stands for an IPv4 address, the latter."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            return ipaddress.IPv4Address(socket.inet_aton(host))  # 127.1, 0x7f000001
        except (OSError, ValueError):
            return None
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if any(address in network for network in IPV4_INSIDE):
        return ipaddress.IPv4Address(address.packed[-4:])
    return address.sixtofour or address


def check_address(address: str, server: str) -> str:
    """Look at an address that a server names; gives its host.

    Raises:
        NotAvailable: it is not encrypted, no plain address, or leads from the internet to this computer.
    """
    try:
        parts = urlsplit(address)
        host, has_user = parts.hostname or "", parts.username is not None
        is_here = host in LOOPBACK and urlsplit(server).hostname in LOOPBACK
    except ValueError:
        raise NotAvailable("the sign-in leads to something that is no address") from None
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here):
        raise NotAvailable(
            f"the sign-in leads to {host[:100] or 'a place'} without encryption, and was stopped:"
            " tell who runs this server"
        )
    if leads_home(host) and not leads_home(urlsplit(server).hostname or ""):
        raise NotAvailable(
            f"the sign-in leads to {host[:100]}, which is this computer or your own network and not a"
            " place on the internet; it was stopped: tell who runs this server"
        )
    if has_user or not host:
        raise NotAvailable(
            "the sign-in leads to an address that is not a plain one; it was stopped"
        )
    return host


def _keep_quiet() -> None:
    """Leave out the library's log of sign-ins: answers of others are in it, and what they hold."""
    logging.getLogger("mcp.client.auth").setLevel(logging.CRITICAL)
