"""A real window under Xvfb with a page of the tests, controlled by Playwright.

with window_rig(screen.display, home) as rig:
    assert rig.page.evaluate("rpc('echo', {a: 1})") == {"ok": True, "result": {"a": 1}}
"""

import asyncio
import functools
import os
import queue
import socket
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Page, Playwright
from tests.support.engine_forks import fork_windows_of
from tests.support.processes import descendants
from tests.support.running import RunningConductor, wait_for

from conductor.domain.settings import UiSettings
from conductor.window.supervisor import WindowSupervisor

PAGE = Path(__file__).with_name("page")
OPEN_TIMEOUT_S = 40.0
WAIT_S = 45
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)


class _Static(SimpleHTTPRequestHandler):
    """Serves the page with the content security policy of the app's server."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", CSP)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        return


class WindowRig:
    """The app's end of a window, with a loop of its own and commands that only record."""

    def __init__(self, playwright: Playwright, display: str, home: Path, ui: UiSettings) -> None:
        self._playwright = playwright
        self.home = home
        self._page: tuple[int | None, Page] | None = None
        self.port = free_tcp_port()
        self.notices: queue.Queue[str] = queue.Queue()
        self.closed: queue.Queue[bool] = queue.Queue()
        self.external: queue.Queue[str] = queue.Queue()
        self.calls: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(_Static, directory=str(PAGE))
        )
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        fork_windows_of(home)
        self.window = WindowSupervisor(
            home,
            self._call,
            on_notice=self.notices.put,
            on_closed=self.closed.put,
            on_external=self.external.put,
            environment=window_environment(display, self.port),
        )
        self.window.start()
        self.on_loop(lambda: self.window.load_page(self.url, ui))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    @property
    def page(self) -> Page:
        """The page of the current window process."""
        if self._page is None or self._page[0] != self.window.pid:
            page = page_of(self._playwright, self.port)
            wait_for(lambda: page.evaluate("typeof rpc"), lambda it: it == "function")
            self._page = (self.window.pid, page)
        return self._page[1]

    async def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.calls.put((method, params))
        return {"ok": True, "result": params}

    def on_loop(self, work: Callable[[], Any]) -> None:
        """Run work on the loop of the app, and wait for it."""

        async def run() -> None:
            work()

        asyncio.run_coroutine_threadsafe(run(), self.loop).result(10)

    def push(self, *batch: tuple[int, str, dict[str, Any]]) -> None:
        """Send the page a batch, and wait until there is room for another.

        Raises:
            TimeoutError: the page is stuck.
        """
        asyncio.run_coroutine_threadsafe(self.window.push_events(batch), self.loop).result(WAIT_S)

    def close(self) -> None:
        self.window.stop()
        self._server.shutdown()
        self._server.server_close()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()


@contextmanager
def window_rig(
    playwright: Playwright, display: str, home: Path, ui: UiSettings | None = None
) -> Generator[WindowRig]:
    """Open a window for the length of the block."""
    rig = WindowRig(playwright, display, home, ui or UiSettings())
    try:
        yield rig
    finally:
        rig.close()


def window_environment(display: str, port: int) -> Mapping[str, str]:
    """Return the environment of a window on a test screen, with Chromium's debugging port for Playwright."""
    return {
        "DISPLAY": display,
        "QTWEBENGINE_REMOTE_DEBUGGING": f"127.0.0.1:{port}",
        "LANG": "C.UTF-8",
        "QT_QPA_PLATFORM": "xcb",
    }


def page_of(playwright: Playwright, port: int) -> Page:
    """Connect to the page of the window, once it has loaded."""

    def look() -> Page | None:
        try:
            browser = playwright.chromium.connect_over_cdp(
                f"http://127.0.0.1:{port}", no_defaults=True, timeout=3_000
            )
        except Error:
            return None
        pages = [page for context in browser.contexts for page in context.pages]
        loaded = [page for page in pages if page.url.startswith("http://127.0.0.1:")]
        if not loaded:
            browser.close()
            return None
        return loaded[0]

    page = wait_for(look, bool, OPEN_TIMEOUT_S)
    assert page is not None
    page.set_default_timeout(15_000)
    return page


def free_tcp_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def window_pids(conductor: RunningConductor) -> list[int]:
    """Return the window processes of a Conductor, without those of Chromium."""
    return [pid for pid in descendants(conductor.process.pid) if _is_window(pid)]


def _is_window(pid: int) -> bool:
    try:
        return b"\0--window-process\0" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def dead(pid: int) -> bool:
    """Return whether a process has ended."""
    return not os.path.exists(f"/proc/{pid}")  # noqa: PTH110
