"""Counts the open pages: a question to the user can be answered only if a page is open."""

import threading
from collections.abc import Callable


class OpenPages:
    """The number of pages that are connected, in the window and in browsers.

    Made before the bridge, whose libraries are imported only when the first page connects.
    """

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()
        self._on_leave: tuple[Callable[[object], None], ...] = ()

    @property
    def count(self) -> int:
        return self._count

    def on_leave(self, listener: Callable[[object], None]) -> None:
        """Call `listener` on the event loop with each page that disconnects."""
        self._on_leave = (*self._on_leave, listener)

    def join(self) -> None:
        with self._lock:
            self._count += 1

    def leave(self, page: object) -> None:
        with self._lock:
            self._count -= 1
        for notify in self._on_leave:
            notify(page)
