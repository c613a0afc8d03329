"""A browser for tests: a program on the search path that reports its arguments and does what the test says.

with fake_browsers(folder, "chromium") as browsers:  # browsers.environment has it on the search path
    browser = browsers.wait_for_start()
    assert browser.open_page() == "open"
"""

import json
import os
import socket
import stat
import sys
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from tests.support.page import CommandFailed, Page
from websockets.exceptions import ConnectionClosed

CONTROL_VARIABLE = "FAKE_BROWSER_CONTROL"
WAIT_S = 45.0


class FakeBrowser:
    """One process of the browser, as the test controls it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        connection.settimeout(WAIT_S)
        self._stream: TextIO = connection.makefile("rw", encoding="utf-8")
        self.arguments: list[str] = json.loads(self._stream.readline())

    @property
    def address(self) -> str:
        """The address of the page in the command line."""
        [word] = [word for word in self.arguments if "http://" in word]
        return word.removeprefix("--app=")

    def open_page(self) -> str:
        """Open the page; return `open` or `refused`."""
        return self._ask("open")

    def call(self, method: str, **params: Any) -> Any:
        """Call a command from the page; return its result, or the code of its error."""
        return self._ask("call", method, params)

    def reload_page(self) -> str:
        """Disconnect, and connect with the session of the page, as a browser does when it reloads it."""
        return self._ask("reload")

    def close(self) -> None:
        """Close the window, and so the process."""
        if self._stream.closed:
            return
        with suppress(OSError):
            self._send("close")
        with suppress(OSError):  # what could not be sent
            self._stream.close()
        self._connection.close()

    def wait_until_ended(self) -> bool:
        """Wait until the process has ended, whoever ended it."""
        return self._stream.readline() == ""

    def _ask(self, *order: Any) -> Any:
        self._send(*order)
        return json.loads(self._stream.readline())

    def _send(self, *order: Any) -> None:
        self._stream.write(json.dumps(order) + "\n")
        self._stream.flush()


class FakeBrowsers:
    """The programs on the search path, and the processes that were started from them."""

    def __init__(self, folder: Path, names: tuple[str, ...]) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(WAIT_S)
        self._browsers: list[FakeBrowser] = []
        for name in names:
            program = folder / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {__name__} {name} "$@"\n')
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.environment: Mapping[str, str] = {
            "PATH": str(folder),
            "DISPLAY": ":4711",  # nothing connects to it
            "WAYLAND_DISPLAY": "",
            "JACK_DEFAULT_SERVER": "none",
            "CONDUCTOR_WINDOW": "browser",
            CONTROL_VARIABLE: str(self._server.getsockname()[1]),
        }

    def wait_for_start(self) -> FakeBrowser:
        """Wait until a browser is started, and return it."""
        browser = FakeBrowser(self._server.accept()[0])
        self._browsers.append(browser)
        return browser

    def close(self) -> None:
        for browser in self._browsers:
            browser.close()
        self._server.close()


@contextmanager
def fake_browsers(folder: Path, *names: str) -> Generator[FakeBrowsers]:
    """Put browsers of these names on the search path of `environment`."""
    with closing(FakeBrowsers(folder, names)) as browsers:
        yield browsers


def main(name: str, arguments: list[str]) -> None:
    """Report the arguments, and follow the orders of the test."""
    # an opener ends when it has passed the address to a browser that is already running
    if name == "xdg-open" and os.fork():
        return
    with socket.create_connection(("127.0.0.1", int(os.environ[CONTROL_VARIABLE]))) as control:
        stream = control.makefile("rw", encoding="utf-8")

        def reply(answer: Any) -> None:
            stream.write(json.dumps(answer) + "\n")
            stream.flush()

        reply(arguments)
        [address] = [word.removeprefix("--app=") for word in arguments if "http://" in word]
        page: Page | None = None
        for line in stream:
            order, *details = json.loads(line)
            if order == "close":
                return
            if order == "open":
                try:
                    page = Page(address)
                    reply("open")
                except ConnectionClosed:
                    reply("refused")
            elif page is not None and order == "reload":
                with page:
                    session = page.session
                page = Page(address, session)
                reply("open")
            elif page is not None:
                reply(call(page, *details))


def call(page: Page, method: str, params: dict[str, Any]) -> Any:
    try:
        return page.call(method, **params)
    except CommandFailed as error:
        return error.code


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
