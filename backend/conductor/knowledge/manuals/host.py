"""Starts the process that indexes manuals, and follows its progress."""

import json
import logging
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from conductor.base.json_types import JsonObject
from conductor.base.program import build_command
from conductor.errors import NotAvailable
from conductor.knowledge.manuals.index_process import OTHER_PROCESS_EXIT_CODE
from conductor.knowledge.manuals.store import ManualStore

log = logging.getLogger(__name__)

OTHER_PROCESS_POLL_S = 1.0
"""How often the progress is read while another process, such as a command, indexes the manuals."""
PROCESS_EXIT_TIMEOUT_S = 5.0
RETRY_DELAYS_S = (0.0, 0.0, 0.0, 1.0, 5.0, 30.0)
"""The pauses before the process is started again after a run without progress; then it is given up.

A page that ends the process is skipped after `MAX_ATTEMPTS` runs, which need no pause. A database that is
locked and a full disk need some time.
"""
MAX_LOGGED_BYTES = 2_000


class _Run(NamedTuple):
    """How a run of the process ended."""

    has_progress: bool
    is_other: bool = False
    """Whether another process indexes these manuals."""
    problem: str = ""
    """Why the run has not finished, and what to do."""


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
        self._is_wanted = False
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, or None if it does not run."""
        process = self._process
        return None if process is None else process.pid

    @property
    def is_running(self) -> bool:
        """Whether manuals are being indexed, or another attempt follows."""
        return self._thread is not None

    def start(self) -> None:
        """Start indexing in the background if a manual waits for it and no process runs."""
        with self._lock:
            self._is_wanted = True
            if self._closing.is_set() or self._thread is not None:
                return
            self._thread = threading.Thread(target=self._work, name="manuals", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop the process. What it has not written is read again at the next start."""
        self._closing.set()
        process, thread = self._process, self._thread
        if process is not None:
            process.kill()
        if thread is not None:
            thread.join(PROCESS_EXIT_TIMEOUT_S)

    def _work(self) -> None:
        while self._has_work():
            try:
                self._index_waiting()
            except Exception:
                log.exception("the manuals cannot be indexed")

    def _has_work(self) -> bool:
        """Return whether `start` was called since the last time. If not, the thread ends."""
        # Under the lock, so that a manual which is added while the thread ends starts another one.
        with self._lock:
            has_work = self._is_wanted and not self._closing.is_set()
            self._is_wanted = False
            if not has_work:
                self._thread = None
        return has_work

    def _index_waiting(self) -> None:
        """Run the process until no manual waits, or until it has failed too often."""
        failures = 0
        while not self._closing.is_set():
            run = self._run_if_needed()
            if run is None:
                return
            if run.is_other:
                self._closing.wait(OTHER_PROCESS_POLL_S)
                self._on_progress()
            elif run.has_progress:
                failures = 0
            else:
                is_given_up = failures == len(RETRY_DELAYS_S)
                delay_s = 0.0 if is_given_up else RETRY_DELAYS_S[failures]
                if not self._closing.is_set() and (is_given_up or delay_s):
                    self._note_problem(run.problem)
                if is_given_up:
                    return
                failures += 1
                self._closing.wait(delay_s)

    def _note_problem(self, problem: str) -> None:
        """Show why the manuals wait."""
        text = f"Conductor cannot index manuals now: {problem}"
        log.warning("%s", text)
        with suppress(NotAvailable):
            self._store.note_problem(text)
        self._on_progress()

    def _run_if_needed(self) -> _Run | None:
        """Run the process if a manual waits, and return how it ended; None if none waits."""
        try:
            return self._run_process() if self._store.has_unfinished_manuals() else None
        except NotAvailable as error:
            return _Run(has_progress=False, problem=str(error))
        except OSError as error:
            return _Run(
                has_progress=False,
                problem=f"the process for it cannot be started ({error.strerror or error}); restart"
                " Conductor, and if that does not help, install it again",
            )

    def _run_process(self) -> _Run:
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [
                    *(self._program or build_command()),
                    "--manuals-process",
                    str(self._store.folder),
                    str(self._model),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
            self._process = process
            if self._closing.is_set():  # `close` may have run before there was a process to kill
                process.kill()
            has_progress, problem = False, ""
            with cast(BinaryIO, process.stdout) as output:
                for line in output:
                    message = _parse_message(line)
                    has_progress = has_progress or "manual" in message
                    problem = message.get("problem", problem)
                    self._on_progress()
            code = process.wait()
            with suppress(OSError):
                cast(BinaryIO, process.stdin).close()
            self._process = None
            if code not in (0, OTHER_PROCESS_EXIT_CODE) and not self._closing.is_set():
                text = _read_end(errors)
                log.warning("the process that indexes manuals ended with code %s: %s", code, text)
        if not self._closing.is_set():
            self._on_progress()
        return _Run(
            has_progress,
            code == OTHER_PROCESS_EXIT_CODE,
            problem
            or f"the process for it ended with code {code}; restart Conductor, and if that does not help,"
            " install it again (the log says more)",
        )


def _parse_message(line: bytes) -> JsonObject:
    try:
        return json.loads(line)
    except ValueError:  # a line that a library has printed
        return {}


def _read_end(file: BinaryIO) -> str:
    """Return the end of what a process has written."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - MAX_LOGGED_BYTES))
    return file.read().decode(errors="replace").strip()
