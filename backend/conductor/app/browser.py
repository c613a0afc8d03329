"""The window's page in the user's browser: `conductor run --browser`."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from conductor.base.program import format_program_name
from conductor.errors import NotAvailable
from conductor.runtime.notices import Notices

if TYPE_CHECKING:
    from conductor.bridge.bridge import Bridge
    from conductor.bridge.server import BridgeServer
    from conductor.bridge.tokens import PageSession
    from conductor.domain.plan import Requester


ENDING = "Conductor is shutting down; try again in a moment"


class BrowserPages:
    """Serves the page to browsers from the first request for an address on."""

    def __init__(self, open_bridge: "Callable[[], Awaitable[Bridge]]", notices: Notices) -> None:
        self._open_bridge = open_bridge
        self._notices = notices
        self._unconfirmed: set[int] = set()
        """The pages whose notice asks the user to confirm them."""
        self._server: BridgeServer | None = None
        self._opening = asyncio.Lock()
        self._is_closed = False

    async def create_address(self, port: int = 0) -> str:
        """Return a new address that opens the page once, for the terminal that started this Conductor.

        The port counts the first time.

        Raises:
            NotAvailable: the port is taken.
        """
        return (await self._start_server(port)).new_url()[0]

    async def create_address_for(self, by: "Requester") -> "tuple[str, PageSession]":
        """Return an address for a program that asks the running Conductor; its page needs confirmation."""
        url, session = (await self._start_server()).new_url(by)
        self._notices.show(
            f"page {session.number} was asked for by {format_program_name(by.caller, by.executable)}"
            f" (process {by.pid}): it is read-only until you confirm it in the window"
            f" or with `conductor pages confirm {session.number}`",
            key=_build_notice_key(session.number),
            page=session.number,
        )
        # A new session may replace the oldest one, which can no longer be confirmed.
        existing = {one.number for one in self.list_sessions()}
        for number in self._unconfirmed - existing:
            self._notices.withdraw(_build_notice_key(number))
        self._unconfirmed = (self._unconfirmed & existing) | {session.number}
        return url, session

    def list_sessions(self) -> "Sequence[PageSession]":
        """Return the pages that an address was given for."""
        return () if self._server is None else self._server.sessions

    def confirm_page(self, number: int) -> "PageSession":
        """Allow a page to make changes.

        Raises:
            NotAvailable: there is no such page.
        """
        for session in self.list_sessions():
            if session.number == number:
                session.confirm()
                self._unconfirmed.discard(number)
                self._notices.withdraw(_build_notice_key(number))
                return session
        raise NotAvailable(f"there is no page {number}; `conductor pages list` shows all")

    async def close(self) -> None:
        """Stop serving; open pages are disconnected."""
        self._is_closed = True
        if self._server is not None:
            await self._server.stop()

    async def _start_server(self, port: int = 0) -> "BridgeServer":
        async with self._opening:
            if self._is_closed:
                raise NotAvailable(ENDING)
            if self._server is None:
                bridge = await self._open_bridge()
                from conductor.bridge.server import BridgeServer

                server = BridgeServer(bridge, port=port)
                await server.start()
                if self._is_closed:  # since then; nobody else would stop it
                    await server.stop()
                    raise NotAvailable(ENDING)
                self._server = server
        return self._server


def _build_notice_key(page: int) -> str:
    return f"page:{page}"
