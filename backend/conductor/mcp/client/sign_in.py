"""Signs the user in to a server: by the library's OAuth client, each request of which is looked at first."""

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

from conductor.base.invisible_chars import clean
from conductor.errors import ConductorError, NotAvailable
from conductor.mcp.client import redirect
from conductor.mcp.client.http import PLAIN, Bounded, Challenge, is_packed
from conductor.mcp.client.oauth_client import OAuthClient
from conductor.mcp.client.texts import clean_text, one_line
from conductor.mcp.client.token_storage import (
    AS_JSON,
    SignIn,
    TokenStorage,
    about_us,
    check_address,
    load,
    restore_tokens,
)
from conductor.mcp.client.values import SIGN_IN_WITHIN_S, Server, SignIns

log = logging.getLogger(__name__)

LARGEST_ANSWER = 500_000
LONGEST_ADDRESS = 8_000
AGAIN = "; choose Sign in to try again"
_UNKNOWN_CLIENT = ("invalid_client", "unauthorized_client")
_TIMES = httpx2.Timeout(15.0)
_KNOWN = (
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "invalid_scope",
    "unsupported_grant_type", "invalid_target", "server_error", "temporarily_unavailable",
    "invalid_redirect_uri", "invalid_client_metadata", "access_denied",
)  # fmt: skip
"""Words of the standard: nothing else of an answer is shown, for a token may be in it."""
Show = Callable[[str], None]


class SigningIn:
    """One sign-in: from the server's refusal to tokens that are kept, with the user's browser in between."""

    def __init__(self, server: Server, challenge: Challenge, store: SignIns, show: Show) -> None:
        self._server, self._challenge, self._store, self._show = server, challenge, store, show
        self._host = urlsplit(server.url or "").hostname or ""
        """Who was asked last."""
        self._answered = ""
        oauth = server.oauth or OAuthClient()
        self._has_id, self._scopes, self._port = bool(oauth.client_id), oauth.scopes, oauth.port

    async def run(self, within_s: float = SIGN_IN_WITHIN_S) -> None:
        """Sign in; `show` is told the address to open in the browser.

        Raises:
            NotAvailable: it did not come to it; says why, and what to do.
        """
        try:
            async with asyncio.timeout(within_s):
                await self._run()
        except TimeoutError:
            words = f"nobody signed in within {within_s / 60:g} minutes{AGAIN}"
        except ConductorError:
            raise
        except Exception as error:  # noqa: BLE001 - the library's own, and what strange answers lead to
            words = self._said(error)
        else:
            return
        raise NotAvailable(words)

    async def _run(self) -> None:
        await asyncio.to_thread(self._store.require)
        before = await asyncio.to_thread(self._before)
        async with AsyncExitStack() as stack:
            try:
                port = self._port or _port(before)
                back = await stack.enter_async_context(redirect.listen_for_redirect(port))
            except NotAvailable as error:
                if self._port:
                    raise NotAvailable(
                        f"{error}, which `oauth.callbackPort` names{AGAIN}"
                    ) from None
                before = None  # its port is somebody else's now: register anew, with another
                back = await stack.enter_async_context(redirect.listen_for_redirect(0))
            storage = TokenStorage(self._server, self._store, before)
            provider = OAuthClientProvider(
                self._server.url or "",
                about_us(back.address),
                storage,
                redirect_handler=lambda address: self._ask(address, back, storage),
                callback_handler=lambda: self._answer(back),
            )
            await self._flow(restore_tokens(provider, storage, before))

    def _before(self) -> SignIn | None:
        """Return what is kept already, where it is to be added to; else the sign-in begins from nothing."""
        return load(self._server, self._store) if self._challenge.is_for_more else None

    async def _flow(self, provider: OAuthClientProvider) -> None:
        """Have the library begin with the refusal that came before, and send what it then asks for."""
        version = {"mcp-protocol-version": LATEST_HANDSHAKE_VERSION}
        request = httpx2.Request("POST", self._server.url or "", headers=version)
        refusal = httpx2.Response(
            self._challenge.status,
            headers={"www-authenticate": self._words()},
            request=request,
        )
        flow = provider.async_auth_flow(request)
        async with httpx2.AsyncClient(timeout=_TIMES, event_hooks={"response": [_bound]}) as client:
            try:
                outgoing, is_refused = await anext(flow), False
                while outgoing is not request or not is_refused:
                    is_refused = is_refused or outgoing is request
                    response = (
                        refusal if outgoing is request else await self._sent(client, outgoing)
                    )
                    outgoing = await flow.asend(response)
            finally:
                await flow.aclose()

    def _words(self) -> str:
        """Return the refusal, with the scopes first that the user wants in the place of the server's."""
        words = self._challenge.words
        if not self._scopes or self._challenge.is_for_more:
            return words
        rest = words[len("Bearer") :].lstrip()
        return f'Bearer scope="{" ".join(self._scopes)}"{", " if rest else ""}{rest}'

    async def _sent(self, client: httpx2.AsyncClient, outgoing: httpx2.Request) -> httpx2.Response:
        self._host = check_address(str(outgoing.url), self._server.url or "")
        outgoing.headers.setdefault(*AS_JSON)
        outgoing.headers.update(PLAIN)  # the library makes requests without the client's headers
        response = await client.send(outgoing, follow_redirects=False)
        self._answered = f"{response.status_code}{_code(response)}"
        return response

    async def _ask(self, address: str, back: redirect.Redirect, storage: TokenStorage) -> None:
        """Look at where the user is sent, and show it."""
        self._host = check_address(address, self._server.url or "")
        if len(address) > LONGEST_ADDRESS or clean(address) != address or " " in address:
            raise NotAvailable(f"{self._host} leads to an address that cannot be shown as it is")
        storage.settle()
        back.expect(parse_qs(urlsplit(address).query)["state"][-1])
        self._show(address)

    async def _answer(self, back: redirect.Redirect) -> AuthorizationCodeResult:
        answer = await back.answer()
        if "error" in answer:
            error = answer["error"]
            if error == "access_denied":
                raise NotAvailable(f"{self._host} says that you declined{AGAIN}")
            why = f" ({error})" if error in _KNOWN else ""
            raise NotAvailable(f"{self._host} refused to sign you in{why}{AGAIN}")
        return AuthorizationCodeResult(
            code=answer.get("code", ""), state=answer.get("state"), iss=answer.get("iss")
        )

    def _said(self, error: Exception) -> str:
        host, answered = one_line(self._host, 100), self._answered
        match error:
            case OAuthRegistrationError():
                return (
                    f"{host} does not let Conductor register itself ({answered}): get a client id from"
                    " the service and write it as `oauth.clientId` of this server into mcp.json; or, if it"
                    " gives you a token, put that into its headers: `Authorization: Bearer ...`"
                )
            case OAuthFlowError() if self._has_id and answered.endswith(_UNKNOWN_CLIENT):
                return (
                    f"{host} does not take the client id of this server, or its secret ({answered}):"
                    " look at `oauth.clientId` and `oauth.clientSecret` in mcp.json"
                )
            case OAuthFlowError() if type(error) is OAuthFlowError:
                return (
                    f"the sign-in was stopped, for it does not fit: {clean_text(str(error), 300)}"
                )
            case OAuthFlowError():
                return f"{host} gave no token ({answered}){AGAIN}"
            case httpx2.HTTPError() | httpx2.InvalidURL():
                return f"{host} could not be asked ({type(error).__name__}){AGAIN}"
            case ValidationError() | ValueError():
                return f"{host} answered the sign-in with something that is not of its protocol"
            case _:
                log.warning("a sign-in failed: %s", type(error).__name__)
                return f"the sign-in failed ({type(error).__name__}){AGAIN}"


def _port(before: SignIn | None) -> int:
    """Return where the browser came back to the last time: some servers take no other port."""
    for one in (before.client.redirect_uris or ()) if before else ():
        return one.port or 0
    return 0


def _code(response: httpx2.Response) -> str:
    try:
        body: Any = response.json()
    except ValueError:
        return ""
    code = body.get("error") if isinstance(body, dict) else None
    return f", {code}" if code in _KNOWN else ""


async def _bound(response: httpx2.Response) -> None:
    response.stream = Bounded(
        response.stream, events=False, packed=is_packed(response), largest=LARGEST_ANSWER
    )
