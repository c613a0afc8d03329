"""Builds the user's own index again after an upgrade. Meanwhile, searches use the shipped index."""

import threading
from collections.abc import Callable

from conductor.errors import ConductorError
from conductor.knowledge.build import ProgressCallback, ignore_progress

REBUILD_IN_PROGRESS_MESSAGE = (
    "your own index is being rebuilt; until then the shipped index is searched"
)
REBUILD_CANCEL_TIMEOUT_S = 10.0
ModificationTimes = tuple[int, ...]


class IndexRebuilder:
    """Builds the user's own index again, once for each state of the files.

    Only one thread at a time may call `ensure_index_current`.
    """

    def __init__(
        self,
        rebuild: Callable[[ProgressCallback], None],
        read_modification_times: Callable[[], ModificationTimes],
        on_end: Callable[[], None],
        *,
        in_background: bool,
    ) -> None:
        """Set the function that builds the index, and the one that reads the modification times of all indexes.

        With `in_background`, the index is built in a thread, which calls `on_end` when it has finished.
        """
        self._rebuild = rebuild
        self._read_modification_times = read_modification_times
        self._on_end = on_end
        self._in_background = in_background
        self._attempted_times: ModificationTimes | None = None
        self._problem = ""
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def ensure_index_current(self) -> str:
        """Start building the index if it is out of date.

        Return a description of the problem until the index has been built, or an empty text.
        """
        if not self._in_background:
            return self._try_rebuild(ignore_progress)
        times = self._read_modification_times()
        if self._attempted_times != times:
            self._attempted_times, self._problem = times, REBUILD_IN_PROGRESS_MESSAGE
            self._thread = threading.Thread(
                target=self._run_rebuilds, name="knowledge renewal", daemon=True
            )
            self._thread.start()
        return self._problem

    def close(self) -> None:
        """Cancel the work and wait until its thread has ended."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join(REBUILD_CANCEL_TIMEOUT_S)

    def _run_rebuilds(self) -> None:
        try:
            self._problem = self._try_rebuild(self._raise_if_closed)
        except _RebuildCancelled:
            return
        self._on_end()

    def _try_rebuild(self, progress: ProgressCallback) -> str:
        try:
            self._rebuild(progress)
        except (ConductorError, OSError) as error:
            # for example because a profile is invalid or the disk is full; searches use the shipped
            # index
            return f"your own index could not be rebuilt: {error}"
        return ""

    def _raise_if_closed(self, _step: str, _done: int, _of: int) -> None:
        if self._closed.is_set():
            raise _RebuildCancelled


class _RebuildCancelled(Exception):
    """Raised in the thread when Conductor is closing. The index is built at the next start."""
