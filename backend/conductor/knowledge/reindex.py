"""Rebuilds the user's own index after an upgrade, while searches use the shipped index."""

import threading
from collections.abc import Callable

from conductor.errors import ConductorError
from conductor.knowledge.build import Progress, silent

NOW = "your own index is being rebuilt; until then the shipped index is searched"
CLOSES_WITHIN_S = 10.0
Stamp = tuple[int, ...]


class Reindexing:
    """Rebuilds once for each state of the files. One thread at a time may call `ensure_current`."""

    def __init__(
        self,
        make: Callable[[Progress], None],
        stamp: Callable[[], Stamp],
        on_end: Callable[[], None],
        *,
        aside: bool,
    ) -> None:
        """`make` builds the index; `stamp` returns when the indexes were written. With `aside` the rebuild runs
        in a thread, which calls `on_end`.
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
        """Start a rebuild if needed; return the problem in the meantime, or an empty text."""
        if not self._aside:
            return self._try_rebuild(silent)
        stamp = self._stamp()
        if self._tried != stamp:
            self._tried, self._problem = stamp, NOW
            self._thread = threading.Thread(target=self._run, name="knowledge renewal", daemon=True)
            self._thread.start()
        return self._problem

    def close(self) -> None:
        """Cancel the rebuild and wait for its thread."""
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
    """Conductor is closing; the index is rebuilt at the next start."""
