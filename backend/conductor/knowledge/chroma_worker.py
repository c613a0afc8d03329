"""The app's side of the chromadb process: sends requests and waits for replies within a time limit."""

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from conductor.base.json_types import JsonObject
from conductor.base.program import build_command
from conductor.errors import NotAvailable
from conductor.knowledge.chroma_process import environment

END_WITHIN_S = 5.0


class Worker:
    """A running chromadb process that answers one request at a time."""

    def __init__(self, folder: Path, fingerprint: str, program: Sequence[str] = ()) -> None:
        """Start the process. `program` replaces Conductor's own command in tests.

        Raises:
            OSError: the process could not be started.
        """
        self._process = subprocess.Popen(
            [*(program or build_command()), "--vectors-process", str(folder), fingerprint],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder.parent,
            env=environment(),
            start_new_session=True,
        )
        self._answers: queue.SimpleQueue[JsonObject | None] = queue.SimpleQueue()
        self._asking = threading.Lock()
        self._number = 0
        self._reader = threading.Thread(target=self._read, name="vectors reader", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, op: str, within_s: float, **fields: Any) -> JsonObject:
        """Send a request to the process and return its reply. Only one request may be active.

        Raises:
            TimeoutError: there was no answer in time; a late answer is discarded.
            NotAvailable: the process reported an error or has ended.
        """
        if not self._asking.acquire(timeout=within_s):
            raise TimeoutError(f"no answer in {within_s:g} s")
        try:
            self._number += 1
            self._write({"op": op, "id": self._number, **fields})
            return self._answer(within_s)
        finally:
            self._asking.release()

    def _write(self, question: JsonObject) -> None:
        try:
            into = cast(BinaryIO, self._process.stdin)
            into.write(json.dumps(question).encode() + b"\n")
            into.flush()
        except (OSError, ValueError):
            raise self._build_exit_error() from None

    def _answer(self, within_s: float) -> JsonObject:
        while True:
            try:
                answer = self._answers.get(timeout=within_s)
            except queue.Empty:
                raise TimeoutError(f"no answer in {within_s:g} s") from None
            if answer is None:
                raise self._build_exit_error()
            if answer.get("id") != self._number:  # the late answer of a request that timed out
                continue
            if "error" in answer:
                raise NotAvailable(str(answer["error"]))
            return answer

    def _build_exit_error(self) -> NotAvailable:
        self._answers.put(None)  # so that the next request fails at once as well
        return NotAvailable(f"its process ended ({self._process.wait(END_WITHIN_S)})")

    def _read(self) -> None:
        with cast(BinaryIO, self._process.stdout) as out:
            for line in out:
                with suppress(ValueError):
                    answer = json.loads(line)
                    if isinstance(answer, dict):
                        self._answers.put(cast(JsonObject, answer))
        self._answers.put(None)

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        """Ask the process to close its files and exit, and kill it if it does not."""
        self._hang_up()
        try:
            self._process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._wait_for_exit()

    def kill(self) -> None:
        """Kill the process without waiting for it to close its files."""
        self._process.kill()
        self._hang_up()
        self._wait_for_exit()

    def _hang_up(self) -> None:
        with suppress(OSError, ValueError):
            cast(BinaryIO, self._process.stdin).close()

    def _wait_for_exit(self) -> None:
        self._process.wait()
        self._reader.join(END_WITHIN_S)
