"""A child process connected by a link: exchanges messages with it, sends requests, and ends it.

Imports stay light: children are started before the app imports anything large.
"""

import itertools
import logging
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from conductor.base.json_types import JsonObject
from conductor.base.link import Link
from conductor.base.program import build_command
from conductor.errors import NotAvailable

log = logging.getLogger(__name__)

CHILD_EXIT_TIMEOUT_S = 5.0
ReplyFuture = Future[JsonObject]


class ChildProcess:
    """One run of a child process; a restart creates a new `ChildProcess`.

    The reader thread calls `on_message` for each message and, once, `on_end` with the exit code. When the
    process ends, pending requests fail with `NotAvailable(exit_message)`.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        on_message: Callable[[JsonObject], None],
        on_end: Callable[[int], None],
        exit_message: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start the process; call `start_reading` afterwards to receive its messages.

        Raises:
            OSError: the process could not be started.
        """
        self._on_message = on_message
        self._on_end = on_end
        self._exit_message = exit_message
        self._process = process = subprocess.Popen(
            [*build_command(), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl+C is for the app, which then ends its children in order
        )
        self._link = Link(cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin))
        self._ids = itertools.count(1)
        self._pending_replies: dict[int, ReplyFuture] = {}
        self._ended = threading.Event()
        self._reader = threading.Thread(
            target=self._read_messages, name=f"{name} reader", daemon=True
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def start_reading(self) -> None:
        """Start the thread that reads messages from the process."""
        self._reader.start()

    def send(self, op: str, /, **fields: Any) -> None:
        self._link.send(op, **fields)

    @contextmanager
    def send_request(self, op: str, fields: Mapping[str, Any]) -> Generator[ReplyFuture]:
        """Send a request and yield the future of its reply.

        The future fails with `NotAvailable` when the process ends first. When the block ends, a late reply is
        ignored.
        """
        number, reply = next(self._ids), ReplyFuture()
        self._pending_replies[number] = reply
        try:
            if self._ended.is_set():
                raise NotAvailable(self._exit_message)
            self.send(op, id=number, **fields)
            yield reply
        finally:
            self._pending_replies.pop(number, None)

    def stop_and_wait(self, op: str) -> bool:
        """Send the message `op`, which asks the process to exit, and wait until it has ended.

        Returns False if the process was still running after `CHILD_EXIT_TIMEOUT_S` and had to be killed.
        """
        self.send(op)
        self._link.close()
        try:
            self._process.wait(CHILD_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
            return False
        finally:
            self._ended.wait(CHILD_EXIT_TIMEOUT_S)
        return True

    def kill(self) -> None:
        self._process.kill()

    def _read_messages(self) -> None:
        for message in self._link.receive_messages():
            try:
                if message["op"] == "reply":
                    self._resolve_reply(message)
                else:
                    self._on_message(message)
            except Exception:
                # One bad message must not end the reader: the child would lose its app.
                log.exception("cannot handle the message %s of a child process", message.get("op"))
        code = self._process.wait()
        self._link.close(timeout_s=0)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._ended.set()
        for number in list(self._pending_replies):
            reply = self._pending_replies.pop(number, None)
            if reply is not None and reply.set_running_or_notify_cancel():
                reply.set_exception(NotAvailable(self._exit_message))
        self._on_end(code)

    def _resolve_reply(self, message: JsonObject) -> None:
        reply = self._pending_replies.pop(message["id"], None)
        if reply is not None and reply.set_running_or_notify_cancel():
            reply.set_result(message["result"])
