"""The window's page in the user's browser: `conductor run --browser`."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from conductor.errors import NotAvailable

if TYPE_CHECKING:
    from conductor.bridge.door import Bridge
    from conductor.bridge.server import BridgeServer
    from conductor.bridge.tokens import PageSession
    from conductor.domain.plan import Requester


class WithBridge(Protocol):
    """What is seen of the app."""

    doors: list[Callable[[], Awaitable[None]]]

    async def open_bridge(self) -> "Bridge": ...


class BrowserPage:
    """Served from the first time on that somebody wants it; it ends with the app."""

    def __init__(self, app: WithBridge) -> None:
        self._app = app
        self._server: BridgeServer | None = None
        self._opening = asyncio.Lock()

    async def address(self, port: int = 0) -> str:
        """Return a new address that opens the page once, for the terminal that started this Conductor.

        The port counts the first time.

        Raises:
            NotAvailable: the port is taken.
        """
        return (await self._serve(port)).new_url()[0]

    async def address_for(self, by: "Requester") -> "tuple[str, PageSession]":
        """Return an address for who asks the running Conductor; its page waits to be confirmed."""
        return (await self._serve()).new_url(by)

    def sessions(self) -> "Sequence[PageSession]":
        """Return the pages that an address was given for."""
        return () if self._server is None else self._server.sessions

    def confirm(self, number: int) -> "PageSession":
        """Allow a page to change things.

        Raises:
            NotAvailable: there is no such page.
        """
        for session in self.sessions():
            if session.number == number:
                session.confirmed = True
                return session
        raise NotAvailable(f"there is no page {number}; `conductor pages list` shows all")

    async def _serve(self, port: int = 0) -> "BridgeServer":
        async with self._opening:
            if self._server is None:
                bridge = await self._app.open_bridge()
                from conductor.bridge.server import BridgeServer

                server = BridgeServer(bridge, port=port)
                await server.start()
                self._app.doors.append(server.stop)
                self._server = server
        return self._server
