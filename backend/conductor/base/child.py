"""A child process at the other end of a link: what it says, what it answers, and its end.

Only light imports here: children are started before the app imports anything large.
"""

import itertools
import logging
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from conductor.base.link import Link, Message
from conductor.base.program import command
from conductor.errors import NotAvailable

log = logging.getLogger(__name__)

END_WITHIN_S = 5.0
Answer = Future[dict[str, Any]]


class Child:
    """One process, from its start to its end; another start is another child.

    `on_message` and, once, `on_end` with the exit code are called by its reader thread. `gone` is what those
    are told who still wait for an answer then.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        *,
        on_message: Callable[[Message], None],
        on_end: Callable[[int], None],
        gone: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it.

        Raises:
            OSError: it could not be started.
        """
        self._on_message = on_message
        self._on_end = on_end
        self._gone = gone
        self._process = process = subprocess.Popen(
            [*command(), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl+C is for the app, which then ends its children in order
        )
        self._link = Link(cast(BinaryIO, process.stdout), cast(BinaryIO, process.stdin))
        self._ids = itertools.count(1)
        self._waiting: dict[int, Answer] = {}
        self._ended = threading.Event()
        self._reader = threading.Thread(target=self._read, name=f"{name} reader", daemon=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def listen(self) -> None:
        """Have its messages taken from now on."""
        self._reader.start()

    def send(self, op: str, /, **fields: Any) -> None:
        self._link.send(op, **fields)

    @contextmanager
    def asking(self, op: str, fields: Mapping[str, Any]) -> Generator[Answer]:
        """Send a question; the future has the answer, or `NotAvailable` when the process ends."""
        number, answer = next(self._ids), Answer()
        self._waiting[number] = answer
        try:
            if self._ended.is_set():
                raise NotAvailable(self._gone)
            self.send(op, id=number, **fields)
            yield answer
        finally:
            self._waiting.pop(number, None)

    def end(self, op: str) -> bool:
        """Tell it to end, and wait; False when it had to be killed."""
        self.send(op)
        self._link.close()
        try:
            self._process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
            return False
        finally:
            self._ended.wait(END_WITHIN_S)
        return True

    def kill(self) -> None:
        self._process.kill()

    def _read(self) -> None:
        for message in self._link.receive():
            try:
                if message["op"] == "reply":
                    self._answer(message)
                else:
                    self._on_message(message)
            except Exception:  # one bad message must not leave the child without its app
                log.exception("message %s was not taken", message.get("op"))
        code = self._process.wait()
        self._link.close(timeout_s=0)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._ended.set()
        for number in list(self._waiting):
            answer = self._waiting.pop(number, None)
            if answer is not None and answer.set_running_or_notify_cancel():
                answer.set_exception(NotAvailable(self._gone))
        self._on_end(code)

    def _answer(self, message: Message) -> None:
        answer = self._waiting.pop(message["id"], None)
        if answer is not None and answer.set_running_or_notify_cancel():
            answer.set_result(message["result"])
