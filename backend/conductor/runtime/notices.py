"""Keeps notices, which tell the user about problems and how to solve them."""

import threading
from typing import NamedTuple

from conductor.runtime.events import NOTICE_TOPIC, Publish

MAX_CURRENT_NOTICES = 20


class Notice(NamedTuple):
    """A message about a problem, which the user sees until it is withdrawn or replaced."""

    text: str
    key: str | None
    """Identifies the problem, so that its notice can be withdrawn; None for an event that cannot end."""


def _replaces_notice(new: Notice, old: Notice) -> bool:
    return new.key == old.key and (new.key is not None or new.text == old.text)


class Notices:
    """Keeps the latest notices for the status, and publishes each notice on the topic `notice`. Thread-safe."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._notices: tuple[Notice, ...] = ()
        self._lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """The texts of all current notices, oldest first."""
        return [notice.text for notice in self._notices]

    def show_warning(
        self,
        text: str,
        *,
        key: str | None = None,
        undoes: str | None = None,
        page: int | None = None,
    ) -> None:
        """Show a warning to the user.

        `undoes` is the hash of a config that an undo would revert, and `page` is a page that waits for
        confirmation. A notice with a `key` replaces the earlier notice with that key. Call `withdraw_notice`
        when the problem has ended. A notice without a key replaces an earlier notice with the same text. Such
        notices are dropped first when there are too many.
        """
        notice = Notice(text, key)
        with self._lock:
            earlier = [known for known in self._notices if not _replaces_notice(notice, known)]
            if len(earlier) >= MAX_CURRENT_NOTICES:
                earlier.remove(next((known for known in earlier if known.key is None), earlier[0]))
            self._notices = (*earlier, notice)
        self._publish(
            NOTICE_TOPIC, {"text": text, "level": "warning", "undoes": undoes, "page": page}
        )

    def withdraw_notice(self, key: str) -> None:
        """Remove the notice with this key, because its problem has ended."""
        with self._lock:
            self._notices = tuple(notice for notice in self._notices if notice.key != key)

    def report_problem(self, key: str, text: str | None) -> None:
        """Show a notice about a problem, or withdraw it if `text` is None.

        Call this after each check of the problem.
        """
        if text is None:
            self.withdraw_notice(key)
        else:
            self.show_warning(text, key=key)

    def show_message(self, text: str) -> None:
        """Show a message once; it is not added to the list of notices."""
        self._publish(NOTICE_TOPIC, {"text": text, "level": "info", "undoes": None, "page": None})
