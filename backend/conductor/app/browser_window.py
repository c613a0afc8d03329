"""Shows the page in an app window of a browser, where this installation has no Qt."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from conductor.base.detached import run_detached
from conductor.bridge.browser_pages import SHUTTING_DOWN_MESSAGE, BrowserPages
from conductor.errors import ActionFailed, NotAvailable
from conductor.runtime.notices import Notices
from conductor.runtime.open_pages import PAGE_RELOAD_GRACE_S
from conductor.window.autostart import apply_autostart
from conductor.window.browser_processes import LOG_NAME, BrowserProcesses
from conductor.window.browsers import (
    AppBrowser,
    build_app_command,
    find_app_browser,
    find_page_problem,
)
from conductor.window.requirements import BROWSER_ADVICE, has_display

if TYPE_CHECKING:
    from conductor.bridge.tokens import Address, PageSession
    from conductor.domain.config import Config

PAGE_OPEN_TIMEOUT_S = 25.0
"""The time within which the browser must connect to the page; the address is invalid afterwards."""


class BrowserWindow:
    """Opens the page in a browser. If `owns_app` is true, closing the last such page ends the app.

    A browser with an app mode runs as a process of its own, and only this process can open the address that
    is in its command line. The default browser may be running already, so its process is not known.
    """

    def __init__(
        self,
        home: Path,
        pages: BrowserPages,
        config: "Callable[[], Config]",
        notices: Notices,
        quit_app: Callable[[], None],
        *,
        demo: bool,
        owns_app: bool,
        hidden: bool,
    ) -> None:
        self._pages = pages
        self._config = config
        self._notices = notices
        self._quit_app = quit_app
        self._demo = demo
        self._owns_app = owns_app
        self._hidden = hidden
        self.failure: str | None = None
        """Always None: the end of a display only closes the browser, which the user may also have done."""
        self._loop = asyncio.get_running_loop()
        self._open_lock = asyncio.Lock()
        self._sessions: list[PageSession] = []
        self._processes = BrowserProcesses(home)
        self._is_started = False
        self._is_closed = False

    def get_window(self) -> None:
        """Return None: a page in a browser saves files and opens links itself."""

    async def open_window(self, session: Mapping[str, str] | None = None) -> None:
        """Open the page in a new window of the browser, and wait until it has connected.

        `session` contains the variables of the desktop session in which to open it.

        Raises:
            NotAvailable: The page cannot be opened. The message says why.
        """
        async with self._open_lock:
            if self._is_closed:
                raise NotAvailable(SHUTTING_DOWN_MESSAGE)
            is_first, self._is_started = not self._is_started, True
            self.apply_settings()
            if is_first and self._hidden:  # there is no tray: the next start opens the page
                return
            from conductor.system.children import build_child_environment

            environment = build_child_environment() | dict(session or {})
            problem = find_page_problem(environment)
            if problem is not None:
                raise NotAvailable(f"the window cannot be shown: {problem}")
            browser = find_app_browser(environment)
            if browser is None:
                await self._open_in_default_browser(trusted=is_first and self._owns_app)
            else:
                await self._open_app_window(browser, environment)

    def apply_settings(self) -> None:
        """Apply the setting that starts Conductor at login."""
        if self._is_started and not self._demo:
            apply_autostart(self._notices, on=self._config().settings.ui.start_at_login)

    async def close(self) -> None:
        """Close the app window."""
        self._is_closed = True
        await run_detached(self._processes.end_all)

    async def _open_app_window(self, browser: AppBrowser, environment: Mapping[str, str]) -> None:
        profile = await self._processes.prepare_profile(browser)
        opened, failed = asyncio.Event(), asyncio.Event()
        url, page = await self._create_address(self._is_own_browser, opened, trusted=True)

        def on_exit(code: int) -> None:
            if code != 0:
                failed.set()
            self._end_without_page()

        self._processes.start(build_app_command(browser, url, profile), environment, on_exit)
        await self._wait_until_opened(page, browser.name, opened, failed)

    async def _open_in_default_browser(self, *, trusted: bool) -> None:
        """Open the page in the default browser.

        Only the address of Conductor's own start is trusted. Any program of the user can request another
        one, and read it in the list of processes before the browser opens it.
        """
        from conductor.system.programs import SystemPrograms

        if not has_display():
            raise NotAvailable(f"Conductor was started without a display; {BROWSER_ADVICE}")
        opened = asyncio.Event()
        url, page = await self._create_address(_is_own_user, opened, trusted=trusted)
        try:
            await asyncio.to_thread(SystemPrograms().launch, url, [])
        except ActionFailed as error:
            self._withdraw(page)
            # the message of the opener contains the address
            reason = str(error).replace(url, "the page")
            raise NotAvailable(f"{reason} {BROWSER_ADVICE}") from None
        await self._wait_until_opened(page, "the default browser", opened, asyncio.Event())

    async def _create_address(
        self,
        check_client: "Callable[[Address, Address], bool | None]",
        opened: asyncio.Event,
        *,
        trusted: bool,
    ) -> "tuple[str, PageSession]":
        def on_change(page: "PageSession") -> None:
            if page.pages:
                opened.set()
            else:
                self._loop.call_later(PAGE_RELOAD_GRACE_S, self._end_without_page)

        url, page = await self._pages.create_window_address(
            check_client, on_change, confirmed=trusted
        )
        self._sessions.append(page)
        return url, page

    async def _wait_until_opened(
        self, page: "PageSession", name: str, opened: asyncio.Event, failed: asyncio.Event
    ) -> None:
        """Wait until the page has connected. If this fails, its address becomes invalid.

        If the page must be confirmed, a notice asks the user to do so.

        Raises:
            NotAvailable: The browser ended with an error, or the page did not connect in time.
        """
        waits = [asyncio.create_task(event.wait()) for event in (opened, failed)]
        try:
            await asyncio.wait(
                waits, timeout=PAGE_OPEN_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for task in waits:
                task.cancel()
            if not opened.is_set():
                self._withdraw(page)
                # another page may have been closed in the meantime
                self._loop.call_later(PAGE_RELOAD_GRACE_S, self._end_without_page)
        if opened.is_set():
            if not page.confirmed:
                self._pages.ask_for_confirmation(page, f"page {page.number} is open in {name}")
            return
        if failed.is_set():
            raise NotAvailable(f"{name} has ended: see logs/{LOG_NAME}, or {BROWSER_ADVICE}")
        raise NotAvailable(
            f"{name} did not open the page within {PAGE_OPEN_TIMEOUT_S:g} s; {BROWSER_ADVICE}"
        )

    def _withdraw(self, page: "PageSession") -> None:
        self._pages.withdraw_address(page)
        self._sessions.remove(page)

    def _is_own_browser(self, client: "Address", server: "Address") -> bool | None:
        """Return whether a browser that Conductor started opened a connection, or None if it is unknown."""
        from conductor.mcp.server.peer import read_parent
        from conductor.mcp.server.tcp_peer import read_tcp_peer

        peer = read_tcp_peer(client, server)
        if peer is None:
            return None
        own = self._processes.pids
        while peer.pid > 1 and peer.pid not in own:
            parent = read_parent(peer)
            if parent.pid == peer.pid:  # it has ended
                return False
            peer = parent
        return peer.pid in own

    def _end_without_page(self) -> None:
        """End the app if it was started for its window, and the window is closed.

        While the browser runs, its page may only have crashed, and the user can reload it.
        """
        is_open = self._processes.is_any_running or any(page.pages for page in self._sessions)
        is_busy = self._is_closed or self._open_lock.locked()
        if self._owns_app and self._sessions and not is_open and not is_busy:
            self._quit_app()


def _is_own_user(client: "Address", server: "Address") -> bool | None:
    """Return True if a process of the same user opened a connection, or None if the process is unknown, as
    one of another user is.
    """
    from conductor.mcp.server.peer import is_same_user
    from conductor.mcp.server.tcp_peer import read_tcp_peer

    peer = read_tcp_peer(client, server)
    return None if peer is None else is_same_user(peer)
