"""Rebuilds the user's own index after an upgrade. Meanwhile searches use the shipped index."""

import threading
from collections.abc import Callable

from conductor.errors import ConductorError
from conductor.knowledge.build import Progress, silent

NOW = "your own index is being rebuilt; until then the shipped index is searched"
CLOSES_WITHIN_S = 10.0
Stamp = tuple[int, ...]


class Reindexing:
    """Rebuilds the user's own index once for each state of the files. Only one thread at a time may call
    `ensure_current`.
    """

    def __init__(
        self,
        make: Callable[[Progress], None],
        stamp: Callable[[], Stamp],
        on_end: Callable[[], None],
        *,
        aside: bool,
    ) -> None:
        """`make` builds the index, and `stamp` returns the modification times of the indexes.

        With `aside` the index is rebuilt in a thread, which calls `on_end` when it has finished.
        """
        self._make = make
        self._stamp = stamp
        self._on_end = on_end
        self._aside = aside
        self._tried: Stamp | None = None
        self._problem = ""
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def ensure_current(self) -> str:
        """Start to rebuild the index if needed. Return the problem until the rebuild has finished, or an empty
        text.
        """
        if not self._aside:
            return self._try_rebuild(silent)
        stamp = self._stamp()
        if self._tried != stamp:
            self._tried, self._problem = stamp, NOW
            self._thread = threading.Thread(target=self._run, name="knowledge renewal", daemon=True)
            self._thread.start()
        return self._problem

    def close(self) -> None:
        """Cancel the rebuild and wait until its thread has ended."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join(CLOSES_WITHIN_S)

    def _run(self) -> None:
        try:
            self._problem = self._try_rebuild(self._raise_if_closed)
        except _RebuildCancelled:
            return
        self._on_end()

    def _try_rebuild(self, progress: Progress) -> str:
        try:
            self._make(progress)
        except (
            ConductorError,
            OSError,
        ) as error:  # a profile, a full disk: what ships still serves
            return f"the index of your own could not be made: {error}"
        return ""

    def _raise_if_closed(self, _step: str, _done: int, _of: int) -> None:
        if self._closed.is_set():
            raise _RebuildCancelled


class _RebuildCancelled(Exception):
    """Raised when Conductor is closing. The index is rebuilt at the next start."""
