"""The OAuth 2.1 authorization server for the one user, as the provider behind the MCP library's endpoints.

Codes and refresh tokens can be used once. If one is used again, somebody has copied it. The grant is then
revoked, because it is not known which of the two is the agent.
"""

import asyncio
import re
import secrets
import time
from collections.abc import Callable
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from conductor.domain.remote_access import (
    ALWAYS_GRANTED_SCOPE,
    FIRST_SCOPES,
    REMOTE_SCOPES,
    Authorization,
    RemoteGrant,
    RemoteScope,
)
from conductor.errors import ConductorError
from conductor.mcp.remote.authorization_requests import AuthorizationRequest, AuthorizationRequests
from conductor.mcp.remote.clients import (
    RemoteClients,
    clean_client_name,
    describe_redirect,
    is_registered_here,
    to_any_url,
)
from conductor.mcp.remote.request_source import get_request_source
from conductor.storage.remote_access import NewTokens, RemoteAccessStore

CODE_TTL_S = 60.0
ACCESS_TOKEN_TTL_S = 600.0
REFRESH_TOKEN_TTL_S = 30 * 24 * 3600.0
_CHALLENGE_PATTERN = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 digest in base64url, as RFC 7636 writes it."""


class RemoteAccessToken(AccessToken):
    """An access token with its grant."""

    grant: RemoteGrant


class GrantHandlers(NamedTuple):
    """What happens to grants. Each function may be called in any thread."""

    revoke: Callable[[str], bool]
    """Revokes the grant with an id, and returns whether it existed."""
    on_granted: Callable[[], None]
    on_reuse: Callable[[RemoteGrant], None]
    """Called with the grant of a code or token that was used twice."""


class RemoteProvider(
    OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, RemoteAccessToken]
):
    """Issues codes and tokens for grants of the user.

    `resource` is the address of the MCP endpoint, and the only one for which tokens are issued.
    """

    def __init__(
        self,
        store: RemoteAccessStore,
        requests: AuthorizationRequests,
        clients: RemoteClients,
        resource: str,
        consent_address: Callable[[str], str],
        handlers: GrantHandlers,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._requests = requests
        self._clients = clients
        self._resource = resource
        self._consent_address = consent_address
        self._handlers = handlers
        self._clock = clock

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return await self._clients.get_client(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        await self._clients.register_client(client_info)

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Ask the user, and return the address of the page on which the browser waits for the decision."""
        if not _CHALLENGE_PATTERN.fullmatch(params.code_challenge):
            raise AuthorizeError(
                "invalid_request", "code_challenge must be a SHA-256 digest in base64url (S256)"
            )
        if params.resource is not None and not self.is_this_resource(params.resource):
            raise AuthorizeError(
                "invalid_target", f"resource must be {self._resource}, or left out"
            )
        redirect_uri = str(params.redirect_uri)
        redirect_host = describe_redirect(redirect_uri)
        authorization = Authorization(
            client_id=client.client_id,
            client=clean_client_name(client.client_name, redirect_host),
            redirect_host=redirect_host,
            redirect_uri=redirect_uri,
            is_redirect_uri_explicit=params.redirect_uri_provided_explicitly,
            code_challenge=params.code_challenge,
            scopes=_parse_scopes(params.scopes),
            resource=self._resource,
            is_registered=is_registered_here(client.client_id),
        )
        granted = await asyncio.to_thread(self._find_granted_scopes, authorization)
        try:
            key = self._requests.add_request(
                authorization, params.state, get_request_source(), granted
            )
        except ConductorError as error:
            raise AuthorizeError("temporarily_unavailable", str(error)) from None
        return self._consent_address(key)

    async def finish_authorization(self, request: AuthorizationRequest) -> str:
        """Return the address to which the browser is redirected after the user's decision."""
        common = {"state": request.state_parameter, "iss": self.issuer}
        redirect_uri = request.authorization.redirect_uri
        if request.view.state != "allowed":
            return construct_redirect_uri(
                redirect_uri,
                error="access_denied",
                error_description="the user did not allow it: sign in again if the user wants it",
                **common,
            )
        code = secrets.token_urlsafe(32)
        expires_at = self._clock() + CODE_TTL_S
        await asyncio.to_thread(self._store.add_code, code, request.authorization, expires_at)
        return construct_redirect_uri(redirect_uri, code=code, **common)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        stored = await asyncio.to_thread(self._store.load_code, authorization_code)
        if stored is None or stored.authorization.client_id != client.client_id:
            return None
        if stored.grant_id is not None:
            await self._revoke_reused(stored.grant_id)
            return None
        allowed = stored.authorization
        return AuthorizationCode(
            code=authorization_code,
            scopes=list(allowed.scopes),
            expires_at=stored.expires_at,
            client_id=allowed.client_id,
            code_challenge=allowed.code_challenge,
            redirect_uri=to_any_url(allowed.redirect_uri),
            redirect_uri_provided_explicitly=allowed.is_redirect_uri_explicit,
            resource=allowed.resource,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        tokens = self._create_tokens()
        grant = await asyncio.to_thread(self._store.exchange_code, authorization_code.code, tokens)
        if grant is None:  # used at the same moment by somebody else
            await self.load_authorization_code(client, authorization_code.code)
            raise TokenError("invalid_grant", "the code is unknown or was used: sign in again")
        self._handlers.on_granted()
        return _build_answer(tokens, grant.scopes)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        stored = await asyncio.to_thread(self._store.load_token, refresh_token, "refresh")
        if stored is None or stored.grant.client_id != client.client_id:
            return None
        if stored.is_used:
            await self._revoke_reused(stored.grant.grant_id)
            return None
        if stored.grant.resource != self._resource:
            return None
        return RefreshToken(
            token=refresh_token,
            client_id=stored.grant.client_id,
            scopes=list(stored.scopes),
            expires_at=int(stored.expires_at),
            resource=stored.grant.resource,
            subject=stored.grant.grant_id,
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        tokens, narrowed = self._create_tokens(), _parse_scopes(scopes)
        is_first_use = await asyncio.to_thread(
            self._store.exchange_refresh_token, refresh_token.token, narrowed, tokens
        )
        if not is_first_use:  # used at the same moment by somebody else
            await self.load_refresh_token(client, refresh_token.token)
            raise TokenError(
                "invalid_grant", "the refresh token is unknown or was used: sign in again"
            )
        return _build_answer(tokens, narrowed)

    async def load_access_token(self, token: str) -> RemoteAccessToken | None:
        stored = await asyncio.to_thread(self._store.load_token, token, "access")
        if stored is None or stored.expires_at <= self._clock():
            return None
        if stored.grant.resource != self._resource:
            return None
        return RemoteAccessToken(
            token="",  # nothing behind the check of the token needs it
            client_id=stored.grant.client_id,
            scopes=list(stored.scopes),
            expires_at=int(stored.expires_at),
            resource=stored.grant.resource,
            subject=stored.grant.grant_id,
            grant=stored.grant,
        )

    async def revoke_token(self, token: RemoteAccessToken | RefreshToken) -> None:
        if token.subject is not None:
            await asyncio.to_thread(self._handlers.revoke, token.subject)

    def is_this_resource(self, resource: str) -> bool:
        """Return whether a resource indicator (RFC 8707) names the MCP endpoint of this Conductor."""
        return resource.removesuffix("/") == self._resource

    def get_time(self) -> float:
        """Return the time by which tokens expire, in seconds."""
        return self._clock()

    @property
    def issuer(self) -> str:
        """The address of this authorization server."""
        parts = urlsplit(self._resource)
        return f"{parts.scheme}://{parts.netloc}"

    def _find_granted_scopes(self, authorization: Authorization) -> tuple[RemoteScope, ...]:
        """Return the scopes that a client which registered itself already has."""
        if not authorization.is_registered:
            return ()
        for grant in self._store.list_grants():
            if grant.client_id == authorization.client_id:
                return grant.scopes
        return ()

    async def _revoke_reused(self, grant_id: str) -> None:
        grants = await asyncio.to_thread(self._store.list_grants)
        await asyncio.to_thread(self._handlers.revoke, grant_id)
        for grant in grants:
            if grant.grant_id == grant_id:
                self._handlers.on_reuse(grant)

    def _create_tokens(self) -> NewTokens:
        now = self._clock()
        return NewTokens(
            secrets.token_urlsafe(32),
            now + ACCESS_TOKEN_TTL_S,
            secrets.token_urlsafe(32),
            now + REFRESH_TOKEN_TTL_S,
        )


def _parse_scopes(requested: list[str] | None) -> tuple[RemoteScope, ...]:
    """Return the requested scopes in their usual order, with the one that every grant includes."""
    wanted = FIRST_SCOPES if requested is None else requested
    return cast(
        tuple[RemoteScope, ...],
        tuple(one for one in REMOTE_SCOPES if one in wanted or one == ALWAYS_GRANTED_SCOPE),
    )


def _build_answer(tokens: NewTokens, scopes: tuple[RemoteScope, ...]) -> OAuthToken:
    return OAuthToken(
        access_token=tokens.access,
        expires_in=int(ACCESS_TOKEN_TTL_S),
        refresh_token=tokens.refresh,
        scope=" ".join(scopes),
    )
