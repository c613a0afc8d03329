"""Reports dropped input messages: at once when a flood begins, then once a minute."""

from collections.abc import Callable

COUNT_EVERY_S = 1.0
NOTICE_EVERY_S = 60.0
"""A notice every second would push all other notices off the list."""


class FloodNotice:
    """Counts dropped input messages. Must be used in a single thread."""

    def __init__(self, collect_dropped_messages: Callable[[], tuple[int, str]], words: str) -> None:
        """`collect_dropped_messages` returns how many messages were dropped since its last call, and the source
        that replaces `{where}` in `words`.
        """
        self._take_dropped = collect_dropped_messages
        self._words = words
        self._counted_at = self._noticed_at = float("-inf")
        self._dropped, self._where = 0, ""

    def text(self, now: float) -> str | None:
        """Return the notice for the user, or None if no messages were dropped or the last notice is too
        recent.
        """
        if now - self._counted_at < COUNT_EVERY_S:
            return None
        self._counted_at = now
        count, where = self._take_dropped()
        self._dropped += count
        self._where = where or self._where
        if not self._dropped or now - self._noticed_at < NOTICE_EVERY_S:
            return None
        since = "second" if now - self._noticed_at > 2 * NOTICE_EVERY_S else "minute"
        text = self._words.format(count=f"{self._dropped:,}", since=since, where=self._where)
        self._noticed_at, self._dropped = now, 0
        return text
