"""The app's side of the chromadb process: sends requests and waits a limited time for each reply."""

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
from conductor.knowledge.chroma_process import build_process_environment

PROCESS_EXIT_TIMEOUT_S = 5.0


class ChromaWorker:
    """A running chromadb process, which answers one request at a time."""

    def __init__(self, folder: Path, fingerprint: str, program: Sequence[str] = ()) -> None:
        """Start the chromadb process.

        `program` replaces the command that starts it, for tests.

        Raises:
            OSError: The process could not be started.
        """
        self._process = subprocess.Popen(
            [*(program or build_command()), "--vectors-process", str(folder), fingerprint],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder.parent,
            env=build_process_environment(),
            start_new_session=True,
        )
        self._replies: queue.SimpleQueue[JsonObject | None] = queue.SimpleQueue()
        self._request_lock = threading.Lock()
        self._request_id = 0
        self._reader_thread = threading.Thread(
            target=self._read_replies, name="vectors reader", daemon=True
        )
        self._reader_thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def request(self, op: str, timeout_s: float, **fields: Any) -> JsonObject:
        """Send a request to the process and return its reply. Only one request may be active.

        Raises:
            TimeoutError: There was no reply within `timeout_s` seconds. A late reply is discarded.
            NotAvailable: The process reported an error or has ended.
        """
        if not self._request_lock.acquire(timeout=timeout_s):
            raise TimeoutError(f"no answer in {timeout_s:g} s")
        try:
            self._request_id += 1
            self._send_request({"op": op, "id": self._request_id, **fields})
            return self._wait_for_reply(timeout_s)
        finally:
            self._request_lock.release()

    def _send_request(self, request: JsonObject) -> None:
        try:
            stdin = cast(BinaryIO, self._process.stdin)
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
        except (OSError, ValueError):
            raise self._build_exit_error() from None

    def _wait_for_reply(self, timeout_s: float) -> JsonObject:
        while True:
            try:
                reply = self._replies.get(timeout=timeout_s)
            except queue.Empty:
                raise TimeoutError(f"no answer in {timeout_s:g} s") from None
            if reply is None:
                raise self._build_exit_error()
            # the late reply to an earlier request, which has timed out
            if reply.get("id") != self._request_id:
                continue
            if "error" in reply:
                raise NotAvailable(str(reply["error"]))
            return reply

    def _build_exit_error(self) -> NotAvailable:
        self._replies.put(None)  # the next request fails at once as well
        return NotAvailable(f"its process ended ({self._process.wait(PROCESS_EXIT_TIMEOUT_S)})")

    def _read_replies(self) -> None:
        with cast(BinaryIO, self._process.stdout) as output:
            for line in output:
                with suppress(ValueError):
                    reply = json.loads(line)
                    if isinstance(reply, dict):
                        self._replies.put(cast(JsonObject, reply))
        self._replies.put(None)

    @property
    def has_exited(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        """Ask the process to close its files and exit. After 5 seconds it is killed."""
        self._close_stdin()
        try:
            self._process.wait(PROCESS_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._wait_for_exit()

    def kill(self) -> None:
        """Kill the process at once, without closing its files."""
        self._process.kill()
        self._close_stdin()
        self._wait_for_exit()

    def _close_stdin(self) -> None:
        with suppress(OSError, ValueError):
            cast(BinaryIO, self._process.stdin).close()

    def _wait_for_exit(self) -> None:
        self._process.wait()
        self._reader_thread.join(PROCESS_EXIT_TIMEOUT_S)
