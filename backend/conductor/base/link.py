"""A link between the app process and a child process: JSON objects, one per line.

`domain/engine_protocol.py` lists the messages to and from the engine. Imports only the standard library,
so that the app can start the engine before anything else.
"""

import json
import logging
import threading
from collections import deque
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

from conductor.base.json_types import JsonObject

log = logging.getLogger(__name__)

MAX_QUEUED_MESSAGES = 2_000


class Link:
    """One end of a link. `send` never blocks, because a thread does the writing.

    Messages sent after the other end has closed are dropped.

    While `MAX_QUEUED_MESSAGES` messages are waiting, further messages whose op is in `droppable` are dropped.
    """

    def __init__(self, reader: BinaryIO, writer: BinaryIO, droppable: Collection[str] = ()) -> None:
        self._droppable = droppable
        self._reader = reader
        self._writer = writer
        self._outbox: deque[JsonObject] = deque()
        self._ready = threading.Condition()
        self._closed = False
        self.dropped = 0
        self._thread = threading.Thread(
            target=self._write_messages, name="link writer", daemon=True
        )
        self._thread.start()

    def send(self, op: str, /, **fields: Any) -> None:
        with self._ready:
            if self._closed:
                return
            if len(self._outbox) >= MAX_QUEUED_MESSAGES and op in self._droppable:
                self.dropped += 1
                return
            self._outbox.append({"op": op, **fields})
            self._ready.notify()

    def receive_messages(self) -> Iterator[JsonObject]:
        """Yield messages as they arrive, until the other end closes the link."""
        try:
            for line in self._reader:
                try:
                    message = json.loads(line)
                except ValueError:
                    log.warning("skipped an unreadable message on the link")
                    continue
                yield message
        except (OSError, ValueError):
            return

    def close(self, *, timeout_s: float = 1.0) -> None:
        """Write the remaining messages and stop the writer thread."""
        with self._ready:
            self._closed = True
            self._ready.notify()
        self._thread.join(timeout=timeout_s)

    def _write_messages(self) -> None:
        while True:
            with self._ready:
                while not self._outbox and not self._closed:
                    self._ready.wait()
                messages = list(self._outbox)
                self._outbox.clear()
                if not messages:
                    return
            try:
                for message in messages:
                    self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
                self._writer.flush()
            except (OSError, ValueError):
                self._closed = True
                return
