"""Notices for the user about problems and how to solve them."""

import threading
from collections.abc import Callable
from typing import NamedTuple

from conductor.base.json_types import JsonObject

MAX_KEPT = 20


class Notice(NamedTuple):
    text: str
    key: str | None
    """What the notice is about; a notice without a key cannot be withdrawn."""


class Notices:
    """Keeps the last notices for the status, and publishes each on the topic `notice`; thread-safe."""

    def __init__(self, publish: Callable[[str, JsonObject], None]) -> None:
        self._publish = publish
        self._notices: tuple[Notice, ...] = ()
        self._lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """The kept notices, the oldest first."""
        return [notice.text for notice in self._notices]

    def show(
        self,
        text: str,
        *,
        key: str | None = None,
        undoes: str | None = None,
        page: int | None = None,
    ) -> None:
        """Show a warning. `undoes` is the hash of a config that undo reverts, `page` a page to confirm."""
        with self._lock:
            self._notices = (*self._notices[1 - MAX_KEPT :], Notice(text, key))
        self._publish("notice", {"text": text, "level": "warning", "undoes": undoes, "page": page})

    def withdraw(self, key: str) -> None:
        """Remove the notices about something that is no longer true."""
        with self._lock:
            self._notices = tuple(notice for notice in self._notices if notice.key != key)

    def inform(self, text: str) -> None:
        """Show a message once, without keeping it in the list of notices."""
        self._publish("notice", {"text": text, "level": "info", "undoes": None, "page": None})
