"""Counts the open pages, because the user can answer a question only if a page is open."""

import threading
from collections.abc import Callable

PAGE_RELOAD_GRACE_S = 2.0
"""The time for which a page may be disconnected before it counts as closed, because it may only reload."""


class OpenPages:
    """Counts the connected pages, in the window and in browsers.

    Separate from the bridge, because the libraries of the bridge are imported only when the first page
    connects.
    """

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()
        self._leave_listeners: tuple[Callable[[object], None], ...] = ()

    @property
    def page_count(self) -> int:
        return self._count

    def add_leave_listener(self, listener: Callable[[object], None]) -> None:
        """Call `listener` with each page that disconnects, on the event loop."""
        self._leave_listeners = (*self._leave_listeners, listener)

    def add_page(self) -> None:
        with self._lock:
            self._count += 1

    def remove_page(self, page: object) -> None:
        with self._lock:
            self._count -= 1
        for listener in self._leave_listeners:
            listener(page)
