"""Counts the open pages, because the user can answer a question only if a page is open."""

import threading
from collections.abc import Callable


class OpenPages:
    """The number of connected pages, in the window and in browsers.

    This class is separate from the bridge, whose libraries are imported only when the first page connects.
    """

    def __init__(self) -> None:
        self._count = 0
        self._lock = threading.Lock()
        self._on_leave: tuple[Callable[[object], None], ...] = ()

    @property
    def count(self) -> int:
        return self._count

    def on_leave(self, listener: Callable[[object], None]) -> None:
        """Call `listener` on the event loop whenever a page disconnects, with that page."""
        self._on_leave = (*self._on_leave, listener)

    def join(self) -> None:
        with self._lock:
            self._count += 1

    def leave(self, page: object) -> None:
        with self._lock:
            self._count -= 1
        for notify in self._on_leave:
            notify(page)
