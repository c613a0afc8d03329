"""Notices that inform the user about problems and how to solve them."""

import threading
from typing import NamedTuple

from conductor.runtime.events import NOTICE, Publish

MAX_KEPT = 20


class Notice(NamedTuple):
    """A notice that the user sees until it is withdrawn or replaced."""

    text: str
    key: str | None
    """Identifies the subject of the notice. None if the notice reports an event, which cannot end."""


def _replaces(notice: Notice, other: Notice) -> bool:
    return notice.key == other.key and (notice.key is not None or notice.text == other.text)


class Notices:
    """Keeps the latest notices for the status, and publishes each on the topic `notice`; thread-safe."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._notices: tuple[Notice, ...] = ()
        self._lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """The texts of all kept notices, the oldest first."""
        return [notice.text for notice in self._notices]

    def show(
        self,
        text: str,
        *,
        key: str | None = None,
        undoes: str | None = None,
        page: int | None = None,
    ) -> None:
        """Show a warning to the user.

        `undoes` is the hash of a config that an undo would revert, and `page` is a page that waits for
        confirmation. A notice replaces the one with the same `key`. Call `withdraw` when the reported problem
        has ended. A notice without a key replaces an equal notice, and is the first to be dropped when there
        are too many.
        """
        notice = Notice(text, key)
        with self._lock:
            others = [one for one in self._notices if not _replaces(notice, one)]
            if len(others) >= MAX_KEPT:
                others.remove(next((one for one in others if one.key is None), others[0]))
            self._notices = (*others, notice)
        self._publish(NOTICE, {"text": text, "level": "warning", "undoes": undoes, "page": page})

    def withdraw(self, key: str) -> None:
        """Remove the notices with this key, because what they report is no longer true."""
        with self._lock:
            self._notices = tuple(notice for notice in self._notices if notice.key != key)

    def report_problem(self, key: str, text: str | None) -> None:
        """Show a problem until this method is called again with the same key. If the text is None, withdraw the
        notice.
        """
        if text is None:
            self.withdraw(key)
        else:
            self.show(text, key=key)

    def inform(self, text: str) -> None:
        """Show a message once, without adding it to the list of notices."""
        self._publish(NOTICE, {"text": text, "level": "info", "undoes": None, "page": None})
