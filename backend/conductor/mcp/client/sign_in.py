"""Signs the user in to a server with the OAuth client of the MCP library, and checks each request that
this client sends.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError
from mcp.shared.auth import AuthorizationCodeResult
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from pydantic import ValidationError

from conductor.base.invisible_chars import remove_hidden
from conductor.errors import ConductorError, NotAvailable
from conductor.mcp.client import redirect
from conductor.mcp.client.http import (
    NO_COMPRESSION_HEADER,
    AuthChallenge,
    SizeLimitedStream,
    is_compressed_response,
    load_certificates,
)
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.texts import clean_line, clean_text
from conductor.mcp.client.token_storage import (
    ACCEPT_JSON_HEADER,
    StoredSignIn,
    TokenStorage,
    build_client_metadata,
    check_sign_in_address,
    load_sign_in,
    restore_sign_in_state,
)
from conductor.mcp.client.values import SIGN_IN_TIMEOUT_S, ConsentedServer, SignInStore

log = logging.getLogger(__name__)

MAX_SIGN_IN_ANSWER_BYTES = 500_000
MAX_SIGN_IN_ADDRESS_LENGTH = 8_000
TRY_SIGN_IN_AGAIN_SUFFIX = "; choose Sign in to try again"
_UNKNOWN_CLIENT_CODES = ("invalid_client", "unauthorized_client")
_SIGN_IN_HTTP_TIMEOUT = httpx2.Timeout(15.0)
_KNOWN_ERROR_CODES = (
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "invalid_scope",
    "unsupported_grant_type", "invalid_target", "server_error", "temporarily_unavailable",
    "invalid_redirect_uri", "invalid_client_metadata", "access_denied",
)  # fmt: skip
"""The error codes of the OAuth standards.

Other text of a response is not shown, because it may contain a token.
"""


class SignInFlow:
    """Runs one sign-in, from the challenge of the server to the stored tokens.

    `show_address` is called with the address that the user must open in the browser.
    """

    def __init__(
        self,
        server: ConsentedServer,
        challenge: AuthChallenge,
        store: SignInStore,
        show_address: Callable[[str], None],
    ) -> None:
        self._server, self._challenge, self._store, self._show_address = (
            server,
            challenge,
            store,
            show_address,
        )
        self._host = urlsplit(server.url or "").hostname or ""
        """The host of the last request, which error messages name."""
        self._last_answer = ""
        """The status and error code of the last response, such as `400, invalid_grant`."""
        oauth = server.oauth or OAuthClient()
        self._has_client_id, self._scopes, self._port = (
            bool(oauth.client_id),
            oauth.scopes,
            oauth.port,
        )

    async def run(self, timeout_s: float = SIGN_IN_TIMEOUT_S) -> None:
        """Sign the user in to the server, and store the tokens.

        Raises:
            NotAvailable: The sign-in failed. The message says why and what to do.
        """
        try:
            async with asyncio.timeout(timeout_s):
                await self._run_flow()
        except TimeoutError:
            minutes = f"{timeout_s / 60:g} minutes"
            problem = f"the sign-in was not completed within {minutes}{TRY_SIGN_IN_AGAIN_SUFFIX}"
        except ConductorError:
            raise
        except Exception as error:  # noqa: BLE001 - a malformed answer can raise anything in the library
            problem = self._describe_sign_in_error(error)
        else:
            return
        raise NotAvailable(problem)

    async def _run_flow(self) -> None:
        await asyncio.to_thread(self._store.require_secure_storage)
        earlier_sign_in = await asyncio.to_thread(self._load_earlier_sign_in)
        async with AsyncExitStack() as stack:
            try:
                port = self._port or _find_redirect_port(earlier_sign_in)
                listener = await stack.enter_async_context(redirect.listen_for_redirect(port))
            except NotAvailable as error:
                if self._port:
                    raise NotAvailable(
                        f"{error}, which `oauth.callbackPort` names{TRY_SIGN_IN_AGAIN_SUFFIX}"
                    ) from None
                # Another program uses the port of the earlier registration. The server may accept
                # only that port, so Conductor registers again with a free one.
                earlier_sign_in = None
                listener = await stack.enter_async_context(redirect.listen_for_redirect(0))
            storage = TokenStorage(self._server, self._store, earlier_sign_in)
            provider = OAuthClientProvider(
                self._server.url or "",
                build_client_metadata(listener.redirect_address),
                storage,
                redirect_handler=lambda address: self._show_sign_in_page(
                    address, listener, storage
                ),
                callback_handler=lambda: self._wait_for_authorization_code(listener),
            )
            await self._run_library_flow(restore_sign_in_state(provider, storage, earlier_sign_in))

    def _load_earlier_sign_in(self) -> StoredSignIn | None:
        """Return the stored sign-in if the user only needs to grant more permissions, or None for a new
        sign-in.
        """
        return (
            load_sign_in(self._server, self._store)
            if self._challenge.needs_more_permissions
            else None
        )

    async def _run_library_flow(self, provider: OAuthClientProvider) -> None:
        """Send the requests that the library's OAuth flow yields, starting with the server's challenge.

        The flow yields `request` first, and again at the end when it has a token.
        """
        version = {"mcp-protocol-version": LATEST_HANDSHAKE_VERSION}
        request = httpx2.Request("POST", self._server.url or "", headers=version)
        refusal = httpx2.Response(
            self._challenge.status,
            headers={"www-authenticate": self._build_challenge_header()},
            request=request,
        )
        flow = provider.async_auth_flow(request)
        async with httpx2.AsyncClient(
            timeout=_SIGN_IN_HTTP_TIMEOUT,
            verify=load_certificates(),
            event_hooks={"response": [_limit_response_size]},
        ) as client:
            try:
                outgoing, is_refused = await anext(flow), False
                while outgoing is not request or not is_refused:
                    is_refused = is_refused or outgoing is request
                    response = (
                        refusal
                        if outgoing is request
                        else await self._send_request(client, outgoing)
                    )
                    outgoing = await flow.asend(response)
            finally:
                await flow.aclose()

    def _build_challenge_header(self) -> str:
        """Return a `WWW-Authenticate` header in which the configured scopes come first and take precedence."""
        header = self._challenge.header
        if not self._scopes or self._challenge.needs_more_permissions:
            return header
        rest = header[len("Bearer") :].lstrip()
        return f'Bearer scope="{" ".join(self._scopes)}"{", " if rest else ""}{rest}'

    async def _send_request(
        self, client: httpx2.AsyncClient, outgoing: httpx2.Request
    ) -> httpx2.Response:
        self._host = check_sign_in_address(str(outgoing.url), self._server.url or "")
        outgoing.headers.setdefault(*ACCEPT_JSON_HEADER)
        # the library creates its requests without the headers of the client
        outgoing.headers.update(NO_COMPRESSION_HEADER)
        response = await client.send(outgoing, follow_redirects=False)
        self._last_answer = f"{response.status_code}{_read_error_code(response)}"
        return response

    async def _show_sign_in_page(
        self, address: str, listener: redirect.RedirectListener, storage: TokenStorage
    ) -> None:
        """Check the address of the sign-in page, and show it to the user.

        Raises:
            NotAvailable: The address is not safe, or the user declined.
        """
        self._host = check_sign_in_address(address, self._server.url or "")
        if (
            len(address) > MAX_SIGN_IN_ADDRESS_LENGTH
            or remove_hidden(address) != address
            or " " in address
        ):
            raise NotAvailable(
                f"{self._host} sends you to an address with hidden characters; the sign-in was stopped"
            )
        storage.choose_auth_method()
        listener.expect_state(parse_qs(urlsplit(address).query)["state"][-1])
        self._show_address(address)

    async def _wait_for_authorization_code(
        self, listener: redirect.RedirectListener
    ) -> AuthorizationCodeResult:
        answer = await listener.wait_for_redirect()
        if "error" in answer:
            error = answer["error"]
            if error == "access_denied":
                raise NotAvailable(f"{self._host} says that you declined{TRY_SIGN_IN_AGAIN_SUFFIX}")
            code = f" ({error})" if error in _KNOWN_ERROR_CODES else ""
            raise NotAvailable(
                f"{self._host} refused to sign you in{code}{TRY_SIGN_IN_AGAIN_SUFFIX}"
            )
        return AuthorizationCodeResult(
            code=answer.get("code", ""), state=answer.get("state"), iss=answer.get("iss")
        )

    def _describe_sign_in_error(self, error: Exception) -> str:
        host, answer = clean_line(self._host, 100), self._last_answer
        match error:
            case OAuthRegistrationError():
                return (
                    f"{host} does not let Conductor register itself ({answer}): get a client id from"
                    " the service and write it as `oauth.clientId` of this server into mcp.json; or, if it"
                    " gives you a token, add it to the headers: `Authorization: Bearer ...`"
                )
            case OAuthFlowError() if self._has_client_id and answer.endswith(_UNKNOWN_CLIENT_CODES):
                return (
                    f"{host} rejected the client id or secret of this server ({answer}):"
                    " check `oauth.clientId` and `oauth.clientSecret` in mcp.json"
                )
            case OAuthFlowError() if type(error) is OAuthFlowError:
                return f"the sign-in was stopped: {clean_text(str(error), 300)}"
            case OAuthFlowError():
                return f"{host} issued no token ({answer}){TRY_SIGN_IN_AGAIN_SUFFIX}"
            case httpx2.HTTPError() | httpx2.InvalidURL():
                return f"{host} could not be reached ({type(error).__name__}){TRY_SIGN_IN_AGAIN_SUFFIX}"
            case ValidationError() | ValueError():
                return f"{host} sent an answer that does not follow the OAuth protocol"
            case _:
                log.warning("sign-in failed: %s", type(error).__name__)
                return f"the sign-in failed ({type(error).__name__}){TRY_SIGN_IN_AGAIN_SUFFIX}"


def _find_redirect_port(earlier_sign_in: StoredSignIn | None) -> int:
    """Return the redirect port of the earlier registration, or 0 if there is none.

    Some servers accept no other port.
    """
    for uri in (earlier_sign_in.client.redirect_uris or ()) if earlier_sign_in else ():
        return uri.port or 0
    return 0


def _read_error_code(response: httpx2.Response) -> str:
    try:
        body: Any = response.json()
    except ValueError:
        return ""
    code = body.get("error") if isinstance(body, dict) else None
    return f", {code}" if code in _KNOWN_ERROR_CODES else ""


async def _limit_response_size(response: httpx2.Response) -> None:
    response.stream = SizeLimitedStream(
        response.stream,
        is_event_stream=False,
        is_compressed=is_compressed_response(response),
        max_bytes=MAX_SIGN_IN_ANSWER_BYTES,
    )
