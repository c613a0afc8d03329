"""Finds out who an OAuth client is: from its registration here, or from the document to which its id leads.

Both are claims that nobody has verified. They decide where codes are sent, so redirect addresses are checked.
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from mcp.server.auth.provider import RegistrationError
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl, ValidationError

from conductor.base.clock import now
from conductor.base.invisible_chars import remove_hidden
from conductor.base.loopback import is_loopback_host
from conductor.base.rate_limit import RateLimiter
from conductor.capabilities.web_address import explain_non_public_address, parse_web_address
from conductor.capabilities.web_get import fetch_public_url
from conductor.domain.remote_access import REMOTE_SCOPES
from conductor.errors import ConductorError, NotAvailable
from conductor.storage.remote_access import RemoteAccessStore

log = logging.getLogger(__name__)

MAX_REDIRECT_URIS = 10
MAX_REDIRECT_URI_LENGTH = 1_000
MAX_CLIENT_NAME_LENGTH = 80
MAX_INFORMATION_LENGTH = 20_000
MAX_DOCUMENT_BYTES = 20_000
MAX_DOCUMENTS = 50
DOCUMENT_TTL_S = 600.0
DOCUMENT_TIMEOUT_S = 8.0
FORBIDDEN_SCHEMES = (
    "about", "blob", "chrome", "data", "file", "filesystem", "ftp", "intent", "javascript",
    "mailto", "ms-msdt", "search-ms", "shell", "sms", "tel", "vbscript", "view-source", "ws", "wss",
)  # fmt: skip
"""Schemes that a browser or the system handles itself, instead of the program that asks for access."""
_SCHEME_PATTERN = re.compile(r"[a-z][a-z0-9+.-]{1,60}")
FetchDocument = Callable[[str], Awaitable[bytes]]


def check_redirect_uri(uri: str) -> str | None:
    """Return why codes must not be sent to an address, or None if they may.

    RFC 8252 allows https addresses, loopback addresses, and the private schemes of programs.
    """
    if len(uri) > MAX_REDIRECT_URI_LENGTH or remove_hidden(uri) != uri:
        return f"must have at most {MAX_REDIRECT_URI_LENGTH} characters, and none that is invisible"
    try:
        parts = urlsplit(uri)
        host = parts.hostname
    except ValueError:
        return "must be an address, such as http://127.0.0.1:1234/callback"
    if parts.fragment or "#" in uri:
        return "must have no fragment"
    if parts.username or parts.password:
        return "must have no user name or password"
    if parts.scheme == "https":
        return None if host else "must have a host"
    if parts.scheme == "http":
        return None if is_loopback_host(host) else "must use https, or lead to 127.0.0.1"
    if not _SCHEME_PATTERN.fullmatch(parts.scheme) or parts.scheme in FORBIDDEN_SCHEMES:
        return f"must not use the scheme {parts.scheme[:60]!r}"
    return None


def describe_redirect(uri: str) -> str:
    """Return where an address leads, as text for the user: a host, or the scheme of a program."""
    parts = urlsplit(uri)
    return parts.netloc if parts.scheme in ("http", "https") else f"{parts.scheme}:"


def clean_client_name(name: str | None, redirect_host: str) -> str:
    """Return the name of a client on one line without invisible characters."""
    cleaned = " ".join(remove_hidden(name or "").split())[:MAX_CLIENT_NAME_LENGTH].strip()
    return cleaned or redirect_host


class RemoteClients:
    """The OAuth clients that may ask for access.

    A client registers itself (RFC 7591), or its id is the https address of a document about it. All are public
    clients: they have no secret, and PKCE and the user's decision protect their codes.
    """

    def __init__(
        self,
        store: RemoteAccessStore,
        fetch: FetchDocument | None = None,
        clock: Callable[[], float] = now,
    ) -> None:
        self._store = store
        self._fetch = fetch or fetch_client_document
        self._clock = clock
        self._fetched_at: dict[str, float] = {}
        self._fetching = RateLimiter(burst=10, per_second=0.2, now=clock)

    async def register_client(self, information: OAuthClientInformationFull) -> None:
        """Store a client that registers itself.

        Raises:
            RegistrationError: Its information is not acceptable.
        """
        _require_redirect_uris(information)
        _make_public(information)
        await self._save_client(information)

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return what is known about a client, or None if it is unknown."""
        if not is_registered_here(client_id) and not self._is_fresh(client_id):
            try:
                await self._update_documented_client(client_id)
            except (ConductorError, RegistrationError, ValueError) as error:
                reason = getattr(error, "error_description", None) or error
                log.warning(
                    "the document of an agent, %s, cannot be used: %s", client_id[:200], reason
                )
        text = await asyncio.to_thread(self._store.load_client, client_id)
        return None if text is None else OAuthClientInformationFull.model_validate_json(text)

    def _is_fresh(self, client_id: str) -> bool:
        """Return whether the document of a client was fetched recently."""
        fetched_at = self._fetched_at.get(client_id)
        return fetched_at is not None and self._clock() - fetched_at < DOCUMENT_TTL_S

    async def _update_documented_client(self, client_id: str) -> None:
        """Fetch the document of a client. If that fails, the one that was fetched before stays valid."""
        # Anyone who reaches the port can name an address here.
        if self._fetching.take_tokens("") > 0:
            return
        if len(self._fetched_at) >= MAX_DOCUMENTS:
            self._fetched_at.clear()
        await self._save_client(parse_client_document(client_id, await self._fetch(client_id)))
        self._fetched_at[client_id] = self._clock()

    async def _save_client(self, information: OAuthClientInformationFull) -> None:
        text = information.model_dump_json(exclude_none=True)
        if len(text) > MAX_INFORMATION_LENGTH:
            raise RegistrationError(
                "invalid_client_metadata",
                f"the registration has more than {MAX_INFORMATION_LENGTH} characters: send less",
            )
        try:
            await asyncio.to_thread(self._store.save_client, information.client_id, text)
        except NotAvailable as error:
            raise RegistrationError("invalid_client_metadata", str(error)) from error


def parse_client_document(client_id: str, document: bytes) -> OAuthClientInformationFull:
    """Return the client that a client ID metadata document describes.

    Raises:
        ValueError: It is not such a document, or that of another client.
        RegistrationError: Its information is not acceptable.
    """
    parts = urlsplit(client_id)
    if parts.path in ("", "/") or parts.fragment or parts.username or parts.query:
        raise ValueError("the id of a client must be an address with a path and nothing else")
    fields: Any = json.loads(document)
    if not isinstance(fields, dict) or fields.get("client_id") != client_id:  # pyright: ignore[reportUnknownMemberType]
        raise ValueError(f"its client_id must be its own address, {client_id[:200]}")
    if fields.get("token_endpoint_auth_method", "none") != "none":  # pyright: ignore[reportUnknownMemberType]
        raise ValueError("its token_endpoint_auth_method must be none")
    try:
        information = OAuthClientInformationFull.model_validate(fields)
    except ValidationError as error:
        raise ValueError("it must be a client ID metadata document") from error
    _require_redirect_uris(information)
    _make_public(information)
    return information


async def fetch_client_document(client_id: str) -> bytes:
    """Fetch the document of a client, from the public internet only.

    Raises:
        ConductorError: It cannot be fetched.
    """
    response = await fetch_public_url(
        parse_web_address(client_id),
        explain_non_public_address,
        lambda media_type: MAX_DOCUMENT_BYTES if media_type.endswith("json") else 0,
        max_redirects=0,
        timeout_s=DOCUMENT_TIMEOUT_S,
    )
    return response.body


def _require_redirect_uris(information: OAuthClientInformationFull) -> None:
    uris = information.redirect_uris or []
    if not uris or len(uris) > MAX_REDIRECT_URIS:
        raise RegistrationError(
            "invalid_redirect_uri", f"a client needs 1 to {MAX_REDIRECT_URIS} redirect addresses"
        )
    for uri in map(str, uris):
        if (problem := check_redirect_uri(uri)) is not None:
            raise RegistrationError(
                "invalid_redirect_uri", f"the redirect address {uri[:200]} {problem}"
            )


def _make_public(information: OAuthClientInformationFull) -> None:
    """Replace what a client asked for by what is offered: no secret, code and refresh token, every scope."""
    information.token_endpoint_auth_method = "none"  # noqa: S105 -- the name of a method
    information.client_secret = information.client_secret_expires_at = None
    information.grant_types = ["authorization_code", "refresh_token"]
    information.response_types = ["code"]
    # A client may request any scope later, because the user decides each time.
    information.scope = " ".join(REMOTE_SCOPES)
    information.jwks, information.jwks_uri = None, None


def is_registered_here(client_id: str) -> bool:
    """Return whether a client registered itself, so that its id belongs to one installation."""
    return not client_id.startswith("https://")


def to_any_url(uri: str) -> AnyUrl:
    """Return an address in the form that the MCP library compares."""
    return AnyUrl(uri)
