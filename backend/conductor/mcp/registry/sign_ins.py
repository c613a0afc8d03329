"""Signs in to MCP servers in the browser. Only the user starts it; tokens are kept where keys are."""

import asyncio
from urllib.parse import urlsplit

from conductor.domain.servers import ServerView, SignInAsked
from conductor.errors import InvalidParams, NotAllowed
from conductor.mcp.registry.file import known
from conductor.mcp.registry.runs import ServerRuns


class ServerSignIns:
    """Starts, waits for, cancels and undoes sign-ins. For the event loop."""

    def __init__(self, runs: ServerRuns) -> None:
        self._runs = runs

    async def sign_in(self, name: str) -> SignInAsked:
        """Begin to sign in to a server; gives what the user is to look at and to open in the browser.

        Raises:
            NotAllowed: the user has not agreed to the server, or it is switched off.
            NotAvailable: it cannot begin; says why.
            InvalidParams: the server does not ask for it.
        """
        from conductor.mcp.client.values import SIGN_IN_WITHIN_S

        await self._runs.follow()
        self._runs.require_consent(name)
        if not self._runs.is_on(known(self._runs.content, name)):
            raise NotAllowed(f"{name} is switched off; switch it on first")
        view = await self._runs.wait_until_settled(name)
        if self._runs.host is None or view.sign_in not in ("needed", "more", "waiting"):
            raise InvalidParams(_why_not(view))
        address = await self._runs.host.sign_in(name)
        host = urlsplit(address).hostname or ""
        return SignInAsked(host=host, address=address, within_s=SIGN_IN_WITHIN_S)

    async def wait_signed_in(self, name: str) -> ServerView:
        """Wait until the sign-in that was begun is over; what came of it is in the view."""
        known(self._runs.content, name)
        if self._runs.host is not None:
            await self._runs.host.wait_signed_in(name)
        return self._runs.known_view(name)

    async def cancel_sign_in(self, name: str) -> ServerView:
        """End a sign-in that waits for the user."""
        known(self._runs.content, name)
        if self._runs.host is not None:
            await self._runs.host.cancel_sign_in(name)
        return self._runs.known_view(name)

    async def sign_out(self, name: str) -> ServerView:
        """Delete the tokens of a server and restart it without them.

        Raises:
            NotAvailable: the keychain is locked.
        """
        known(self._runs.content, name)
        await asyncio.to_thread(lambda: self._runs.sign_ins().require())
        await self._runs.end(name)
        await asyncio.to_thread(lambda: self._runs.sign_ins().forget(name))
        await self._runs.follow()
        return self._runs.known_view(name)


def _why_not(view: ServerView) -> str:
    name = view.name
    if view.sign_in == "done":
        return f"you are signed in to {name} already; sign out first to sign in again"
    if view.state == "ready":
        return f"{name} runs, and does not ask you to sign in"
    return f"{name} does not ask you to sign in: {view.problem or f'it is {view.state}'}"
