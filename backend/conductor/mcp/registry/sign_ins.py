"""Signs the user in to MCP servers in the browser, and stores the tokens in the keychain.

A sign-in is always started by the user, never by a server or an agent.
"""

import asyncio
from urllib.parse import urlsplit

from conductor.domain.servers import ServerView, SignInRequest
from conductor.errors import InvalidParams, NotAllowed
from conductor.mcp.registry.file import require_listed_server
from conductor.mcp.registry.runs import ServerRuns


class ServerSignIns:
    """Starts, awaits and cancels sign-ins to MCP servers, and signs out. Use it on the event loop."""

    def __init__(self, runs: ServerRuns) -> None:
        self._runs = runs

    async def sign_in(self, name: str) -> SignInRequest:
        """Start a sign-in, and return the address that the user checks and opens in the browser.

        Raises:
            NotAllowed: The user has not consented to the server, or it is switched off.
            NotAvailable: The sign-in cannot start. The message says why.
            InvalidParams: The server does not require a sign-in.
        """
        from conductor.mcp.client.values import SIGN_IN_TIMEOUT_S

        await self._runs.reconcile_servers()
        self._runs.require_consent(name)
        if not self._runs.is_enabled(require_listed_server(self._runs.content, name)):
            raise NotAllowed(f"{name} is switched off; switch it on first")
        view = await self._runs.wait_until_settled(name)
        if self._runs.manager is None or view.sign_in not in ("needed", "more", "waiting"):
            raise InvalidParams(_describe_missing_sign_in(view))
        address = await self._runs.manager.sign_in(name)
        host = urlsplit(address).hostname or ""
        return SignInRequest(host=host, address=address, within_s=SIGN_IN_TIMEOUT_S)

    async def wait_until_signed_in(self, name: str) -> ServerView:
        """Wait until the pending sign-in to a server has ended, and return the view of the server."""
        require_listed_server(self._runs.content, name)
        if self._runs.manager is not None:
            await self._runs.manager.wait_until_signed_in(name)
        return self._runs.require_view(name)

    async def cancel_sign_in(self, name: str) -> ServerView:
        """Cancel the pending sign-in to a server, and return the view of the server."""
        require_listed_server(self._runs.content, name)
        if self._runs.manager is not None:
            await self._runs.manager.cancel_sign_in(name)
        return self._runs.require_view(name)

    async def sign_out(self, name: str) -> ServerView:
        """Delete the stored tokens of a server, and restart the server without them.

        Raises:
            NotAvailable: The keychain is locked.
        """
        require_listed_server(self._runs.content, name)
        await asyncio.to_thread(lambda: self._runs.get_sign_ins().require_secure_storage())
        await self._runs.stop_server(name)
        await asyncio.to_thread(lambda: self._runs.get_sign_ins().delete_sign_in(name))
        await self._runs.reconcile_servers()
        return self._runs.require_view(name)


def _describe_missing_sign_in(view: ServerView) -> str:
    name = view.name
    if view.sign_in == "done":
        return f"you are already signed in to {name}; sign out first to sign in again"
    if view.state == "ready":
        return f"{name} runs, and does not ask you to sign in"
    return f"{name} does not ask you to sign in: {view.problem or f'it is {view.state}'}"
