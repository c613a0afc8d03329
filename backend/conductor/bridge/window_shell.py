"""Gives the commands of the page the window, or says that it is not open."""

from collections.abc import Callable

from conductor.bridge.services import Shell
from conductor.errors import NotAvailable

WINDOW_NOT_OPEN_MESSAGE = "Conductor's window is not open; in a browser, the page does this itself"


class WindowShell:
    """Implements `bridge.services.Shell` with the window. Its commands fail if no window is open."""

    def __init__(self, shell: Callable[[], Shell | None]) -> None:
        self._get_shell = shell

    @property
    def tray(self) -> bool:
        shell = self._get_shell()
        return shell is not None and shell.tray

    @property
    def native(self) -> bool:
        shell = self._get_shell()
        return shell is not None and shell.native

    def open_url(self, url: str) -> None:
        self._get_window().open_url(url)

    def save_file(self, name: str, content: bytes) -> str | None:
        return self._get_window().save_file(name, content)

    def save_pdf(self, name: str, svg: str) -> str | None:
        return self._get_window().save_pdf(name, svg)

    def hide_window(self) -> None:
        self._get_window().hide_window()

    def _get_window(self) -> Shell:
        shell = self._get_shell()
        if shell is None:
            raise NotAvailable(WINDOW_NOT_OPEN_MESSAGE)
        return shell
