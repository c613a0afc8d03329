"""Starts the process that indexes manuals, and follows its progress."""

import logging
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, cast

from conductor.base.program import build_command
from conductor.errors import NotAvailable
from conductor.knowledge.manuals.index_process import OTHER_PROCESS_EXIT_CODE
from conductor.knowledge.manuals.store import ManualStore

log = logging.getLogger(__name__)

OTHER_PROCESS_POLL_S = 1.0
"""How often the progress is read while another process, such as a command, indexes the manuals."""
PROCESS_EXIT_TIMEOUT_S = 5.0
MAX_RESTARTS = 20


class ManualIndexer:
    """Runs the process that indexes manuals as long as some wait for it.

    All methods are safe to call from any thread.
    """

    def __init__(
        self,
        store: ManualStore,
        model: Path,
        on_progress: Callable[[], None],
        program: Sequence[str] = (),
    ) -> None:
        """Set the manuals, the language model and the function that is called after each step.

        `program` replaces the command that starts the process, for tests.
        """
        self._store = store
        self._model = model
        self._on_progress = on_progress
        self._program = program
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if it does not run."""
        process = self._process
        return None if process is None else process.pid

    def start(self) -> None:
        """Start indexing in the background if a manual waits for it and no process runs."""
        with self._lock:
            if self._closing.is_set() or (self._thread is not None and self._thread.is_alive()):
                return
            self._thread = threading.Thread(target=self._index_waiting, name="manuals", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop the process. What it has not written is read again at the next start."""
        self._closing.set()
        process, thread = self._process, self._thread
        if process is not None:
            process.kill()
        if thread is not None:
            thread.join(PROCESS_EXIT_TIMEOUT_S)

    def _index_waiting(self) -> None:
        restarts = 0
        while not self._closing.is_set() and restarts < MAX_RESTARTS:
            try:
                if not self._store.has_unfinished_manuals():
                    return
                code = self._run_process()
            except (NotAvailable, OSError) as problem:
                log.warning("the manuals cannot be indexed: %s", problem)
                return
            if code == OTHER_PROCESS_EXIT_CODE:
                self._closing.wait(OTHER_PROCESS_POLL_S)
                self._on_progress()
            else:
                restarts += 1

    def _run_process(self) -> int:
        process = subprocess.Popen(
            [
                *(self._program or build_command()),
                "--manuals-process",
                str(self._store.folder),
                str(self._model),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._process = process
        if self._closing.is_set():  # `close` may have run before there was a process to kill
            process.kill()
        with cast(BinaryIO, process.stdout) as output:
            for _ in output:
                self._on_progress()
        code = process.wait()
        with suppress(OSError):
            cast(BinaryIO, process.stdin).close()
        self._process = None
        if not self._closing.is_set():
            self._on_progress()
        return code
