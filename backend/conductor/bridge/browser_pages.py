"""Serves Conductor's page to a browser, for `conductor run --browser`."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from conductor.base.program import format_program_name
from conductor.errors import NotAvailable
from conductor.runtime.notices import Notices

if TYPE_CHECKING:
    from conductor.bridge.bridge import Bridge
    from conductor.bridge.server import BridgeServer
    from conductor.bridge.tokens import ClientCheck, PageSession
    from conductor.domain.plan import Requester


SHUTTING_DOWN_MESSAGE = "Conductor is shutting down; try again in a moment"


class BrowserPages:
    """Serves the page to browsers. The web server starts when an address is requested for the first time."""

    def __init__(self, open_bridge: "Callable[[], Awaitable[Bridge]]", notices: Notices) -> None:
        self._open_bridge = open_bridge
        self._notices = notices
        self._unconfirmed: set[int] = set()
        """The numbers of the pages that are read-only until the user confirms them."""
        self._server: BridgeServer | None = None
        self._start_lock = asyncio.Lock()
        self._is_closed = False

    async def create_address(self, port: int = 0) -> str:
        """Create an address of the page for the terminal that started this Conductor. Each address can be
        opened once.

        `port` has an effect only in the first call, which starts the server.

        Raises:
            NotAvailable: Another program uses the port.
        """
        return (await self._start_server(port)).create_page_url()[0]

    async def create_address_for(self, by: "Requester") -> "tuple[str, PageSession]":
        """Create an address of the page for another program.

        A notice asks the user to confirm the page. Until then it is read-only, because the program could
        use it to make changes without the user.
        """
        url, session = (await self._start_server()).create_page_url(by)
        self._notices.show_warning(
            f"page {session.number} was requested by {format_program_name(by.caller, by.executable)}"
            f" (process {by.pid}): it is read-only until you confirm it in the window"
            f" or with `conductor pages confirm {session.number}`",
            key=_build_notice_key(session.number),
            page=session.number,
        )
        # A new session may replace the oldest one, whose notice would ask for a confirmation that
        # is no longer possible.
        existing = {page.number for page in self.list_sessions()}
        for number in self._unconfirmed - existing:
            self._notices.withdraw_notice(_build_notice_key(number))
        self._unconfirmed = (self._unconfirmed & existing) | {session.number}
        return url, session

    async def create_window_address(
        self,
        check_client: "ClientCheck | None",
        on_change: Callable[["PageSession"], None],
        *,
        confirmed: bool,
    ) -> "tuple[str, PageSession]":
        """Create an address that Conductor itself opens in a browser, as its window.

        Unless `confirmed` is true, the page is read-only until the user confirms it.
        """
        url, session = (await self._start_server()).create_page_url()
        session.check_client = check_client
        session.confirmed = confirmed
        session.on_change = lambda: on_change(session)
        return url, session

    def withdraw_address(self, session: "PageSession") -> None:
        """Make an address invalid if it was not opened yet."""
        if self._server is not None:
            self._server.withdraw_page(session)

    def ask_for_confirmation(self, session: "PageSession", reason: str) -> None:
        """Show a notice that asks the user to confirm a page, which is read-only until then."""
        self._notices.show_warning(
            f"{reason}: it is read-only until you confirm it with"
            f" `conductor pages confirm {session.number}`",
            key=_build_notice_key(session.number),
            page=session.number,
        )
        self._unconfirmed.add(session.number)

    def list_sessions(self) -> "Sequence[PageSession]":
        """Return the sessions of all pages for which an address was created."""
        return () if self._server is None else self._server.page_sessions

    def confirm_page(self, number: int) -> "PageSession":
        """Allow the page with this number to make changes, after the user has confirmed it.

        Raises:
            NotAvailable: No page has this number.
        """
        for session in self.list_sessions():
            if session.number == number:
                session.mark_confirmed()
                self._unconfirmed.discard(number)
                self._notices.withdraw_notice(_build_notice_key(number))
                return session
        raise NotAvailable(f"there is no page {number}; `conductor pages list` shows all")

    async def close(self) -> None:
        """Stop the web server and disconnect the open pages."""
        self._is_closed = True
        if self._server is not None:
            await self._server.stop()

    async def _start_server(self, port: int = 0) -> "BridgeServer":
        async with self._start_lock:
            if self._is_closed:
                raise NotAvailable(SHUTTING_DOWN_MESSAGE)
            if self._server is None:
                bridge = await self._open_bridge()
                from conductor.bridge.server import BridgeServer

                server = BridgeServer(bridge, port=port)
                await server.start()
                # `close` was called in the meantime and did not see this server
                if self._is_closed:
                    await server.stop()
                    raise NotAvailable(SHUTTING_DOWN_MESSAGE)
                self._server = server
        return self._server


def _build_notice_key(page: int) -> str:
    return f"page:{page}"
