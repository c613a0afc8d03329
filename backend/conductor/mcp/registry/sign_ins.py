"""Signing in to MCP servers with the browser: begun by the user alone, and kept where keys are."""

import asyncio
import contextlib
from urllib.parse import urlsplit

from conductor.domain.servers import ServerView, SignInAsked
from conductor.errors import InvalidParams, NotAllowed
from conductor.mcp.registry.entry import Entry
from conductor.mcp.registry.file import known
from conductor.mcp.registry.runs import ServerRuns

TRIED_WITHIN_S = 60.0
"""A package runner may have to fetch the server first."""
ASK_FIRST = (
    "{0} has not been agreed to as it is now: look at what it runs, in Settings > MCP servers or by"
    " `conductor servers start {0}`, and agree to it first"
)


class ServerSignIns(ServerRuns):
    """For the event loop, but where it is said otherwise."""

    async def sign_in(self, name: str) -> SignInAsked:
        """Begin to sign in to a server; gives what the user is to look at and to open in the browser.

        Raises:
            NotAllowed: the user has not agreed to the server, or it is switched off.
            NotAvailable: it cannot begin; says why.
            InvalidParams: the server does not ask for it.
        """
        from conductor.mcp.client.values import SIGN_IN_WITHIN_S

        await self.follow()
        self._require_consent(name)
        if not self.is_on(known(self.content, name)):
            raise NotAllowed(f"{name} is switched off; switch it on first")
        view = await self.settled(name)
        if self.host is None or view.sign_in not in ("needed", "more", "waiting"):
            raise InvalidParams(_why_not(view))
        address = await self.host.sign_in(name)
        host = urlsplit(address).hostname or ""
        return SignInAsked(host=host, address=address, within_s=SIGN_IN_WITHIN_S)

    async def signed_in(self, name: str) -> ServerView:
        """Wait until the sign-in that was begun is over; what came of it is in the view."""
        known(self.content, name)
        if self.host is not None:
            await self.host.wait_signed_in(name)
        return self._known(name)

    async def cancel_sign_in(self, name: str) -> ServerView:
        """End a sign-in that waits for the user."""
        known(self.content, name)
        if self.host is not None:
            await self.host.cancel_sign_in(name)
        return self._known(name)

    async def sign_out(self, name: str) -> ServerView:
        """Delete what a server gave at the sign-in; it is started anew without.

        Raises:
            NotAvailable: what keeps it is locked.
        """
        known(self.content, name)
        await asyncio.to_thread(lambda: self.sign_ins().require())
        await self.end(name)
        await asyncio.to_thread(lambda: self.sign_ins().forget(name))
        await self.follow()
        return self._known(name)

    def _known(self, name: str) -> ServerView:
        return self.view(known(self.content, name))

    def _sound(self, name: str) -> Entry:
        listed = known(self.content, name)
        if listed.entry is None:
            raise InvalidParams(listed.problem or f"the entry of {name} cannot be used")
        return listed.entry

    def _require_consent(self, name: str) -> None:
        self._sound(name)
        if not self.is_agreed(known(self.content, name)):
            raise NotAllowed(ASK_FIRST.format(name))

    async def settled(self, name: str) -> ServerView:
        """Wait until a server answers or has failed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TRIED_WITHIN_S):
                while (view := self._known(name)).state == "starting":
                    self.news.clear()
                    await self.news.wait()
                return view
        return self._known(name)


def _why_not(view: ServerView) -> str:
    name = view.name
    if view.sign_in == "done":
        return f"you are signed in to {name} already; sign out first to begin anew"
    if view.state == "ready":
        return f"{name} runs, and does not ask you to sign in"
    return f"{name} does not ask you to sign in: {view.problem or f'it is {view.state}'}"
