"""A person at the page: Debian's Chromium in front of a Conductor that really runs.

with stage.open() as page:
    go(page, "Monitor")
    expect(page.get_by_role("option")).to_contain_text("Fired")

A page that throws, logs an error or breaks its own policy fails the test that opened it.
"""

import re
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, Literal

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, expect
from tests.support.page import Page as Wire
from tests.support.running import RunningConductor, wait_for

from conductor.domain.code import TIME_LIMIT_MS

WIDE = (1280, 800)
NARROW = (900, 600)
LOOK_FOR_MS = 60_000
TELL_BREACHES = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy broken: ${event.violatedDirective} ${event.blockedURI}`));
addEventListener("transitionrun", (event) =>
  console.error(`a transition of ${event.propertyName} though less motion is asked for`));"""
LEAVE = """() => {
    sessionStorage.removeItem('conductor.chat');
    return document.querySelector('link[rel=icon]').href; }"""
"""Forgets the conversation and returns where to go: a blank page would be of another opener policy, for
which Chromium starts a new process, which costs more CPU time than the page itself."""
NO_ICON = "/favicon.ico"
"""What Chromium asks for beside a document that names no icon, as LEAVE's does; the page itself names one."""
Theme = Literal["dark", "light"]


def build_time_limit_script(limit_ms: int) -> str:
    """Return a script that replaces the page's time limit for a run of code, and no other time."""
    return f"""() => {{
        window.setTimeoutAsEver ??= setTimeout;
        window.setTimeout = (act, delay_ms, ...rest) =>
            setTimeoutAsEver(act, delay_ms === {TIME_LIMIT_MS} ? {limit_ms} : delay_ms, ...rest); }}"""


class Stage:
    """One Conductor, a browser, and as many pages as tests want."""

    def __init__(self, browser: Browser, conductor: RunningConductor) -> None:
        self.conductor = conductor
        self._browser = browser
        self._tabs: dict[tuple[tuple[int, int], Theme], Page] = {}
        with Wire(conductor.address()) as wire:
            self.origin, self._session = wire.origin, wire.session

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a command as another page of the same user would."""
        with self.connect() as wire:
            return wire.call(method, **params)

    def connect(self) -> Wire:
        """Connect as another page of the same user, for several calls."""
        return Wire(self.origin, self._session)

    @contextmanager
    def open(
        self,
        size: tuple[int, int] = WIDE,
        theme: Theme = "dark",
        *,
        expected: Iterable[str] = (),
    ) -> Generator[Page]:
        """Reload the page; `expected` are errors that belong to the test."""
        complaints: list[str] = []
        page = self._tab(size, theme)

        def thrown(error: Error) -> None:
            complaints.append(f"thrown: {error}")

        def said(message: ConsoleMessage) -> None:
            address = message.location["url"]
            if message.type in ("error", "warning") and not address.endswith(NO_ICON):
                complaints.append(f"{message.type}: {message.text} ({address})")

        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=theme)
        page.on("pageerror", thrown)
        page.on("console", said)
        try:
            self.open_in(page)
            expect(rail(page)).to_be_visible()
            # keys are for the view, whose code is loaded after the rail is there
            expect(page.locator("#content h1").first).to_be_visible()
            yield page
        finally:
            page.goto(page.evaluate(LEAVE))
            page.remove_listener("pageerror", thrown)
            page.remove_listener("console", said)
        odd = [one for one in complaints if not any(re.search(known, one) for known in expected)]
        assert odd == [], odd

    def open_in(self, page: Page) -> None:
        """Load Conductor's page in a page of the browser."""
        page.goto(f"{self.origin}/#t={self._session}", wait_until="commit")

    def _tab(self, size: tuple[int, int], theme: Theme) -> Page:
        """Return the tab of this look; a tab that is there loads a page faster than a new one."""
        if (size, theme) not in self._tabs:
            context = self._browser.new_context(
                viewport={"width": size[0], "height": size[1]},
                color_scheme=theme,
                reduced_motion="reduce",
            )
            context.add_init_script(TELL_BREACHES)
            page = context.new_page()
            page.set_default_timeout(LOOK_FOR_MS)
            self._tabs[size, theme] = page
        return self._tabs[size, theme]


def start_server(stage: Stage, name: str, arguments: Iterable[str], **more: Any) -> None:
    """Add an MCP server with the user's consent, and wait until it is ready."""
    entry = {"command": sys.executable, "args": list(arguments), **more}
    with stage.connect() as wire:
        digest = wire.call("servers.add", name=name, entry=entry)["digest"]
        wire.call("servers.consent", name=name, digest=digest)
        wait_until_ready(wire, name)


def wait_until_ready(wire: Wire, name: str) -> None:
    """Wait until an MCP server runs."""
    wait_for(lambda: get_server_state(wire, name), lambda state: state == "ready")


def get_server_state(wire: Wire, name: str) -> str:
    """Return the state of an MCP server, or `gone`."""
    servers = wire.call("servers.list")["servers"]
    return next((one["state"] for one in servers if one["name"] == name), "gone")


def rail(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Views")


def go(page: Page, title: str) -> Locator:
    """Go to a view by the rail, and give it."""
    rail(page).get_by_role("button", name=re.compile(rf"^{title}\b")).click()
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
    return page.get_by_role("region", name=title, exact=True)


def titles(page: Page) -> list[str]:
    """Return the titles of all views, as the rail has them."""
    return rail(page).locator("button .title").all_text_contents()


def row(page: Page, words: str) -> Locator:
    """Return the row of the mappings that has these words."""
    grid = page.get_by_role("grid", name="Mappings")
    return grid.get_by_role("row").filter(has_text=words)


def toast(page: Page, words: str) -> Locator:
    return page.get_by_role("region", name="Notifications").locator(".toast", has_text=words)


def pick_kind(page: Page, form: str, kind: str) -> None:
    """Choose the kind of a trigger or an action, as by typing its name."""
    box = page.get_by_role("combobox", name=f"{form}: kind")
    box.press_sequentially(kind)
    page.get_by_role("option", name=re.compile(rf"^{kind}")).first.click()


def switch_mode(page: Page, mode: str) -> None:
    page.get_by_role("button", name=re.compile("^Mode: ")).click()
    page.get_by_role("menuitem", name=mode).click()
