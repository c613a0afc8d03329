"""Reports dropped input messages to the user: immediately when a flood begins, then once a minute."""

from collections.abc import Callable

COUNT_INTERVAL_S = 1.0
NOTICE_INTERVAL_S = 60.0
"""Seconds between two notices about a flood. More notices would displace all others from the list."""


class FloodNotice:
    """Counts dropped input messages and limits how often they are reported. Must be used in a single thread."""

    def __init__(
        self, collect_dropped_messages: Callable[[], tuple[int, str]], template: str
    ) -> None:
        """Prepare notices from a text template.

        `collect_dropped_messages` returns how many messages were dropped since its last call, and the source
        that replaces `{where}` in `template`.
        """
        self._collect_dropped_messages = collect_dropped_messages
        self._template = template
        self._counted_at = self._noticed_at = float("-inf")
        self._dropped, self._source = 0, ""

    def build_due_text(self, now: float) -> str | None:
        """Return the text of a notice for the user, or None if no messages were dropped or the last notice is
        less than a minute old.
        """
        if now - self._counted_at < COUNT_INTERVAL_S:
            return None
        self._counted_at = now
        count, source = self._collect_dropped_messages()
        self._dropped += count
        self._source = source or self._source
        if not self._dropped or now - self._noticed_at < NOTICE_INTERVAL_S:
            return None
        since = "second" if now - self._noticed_at > 2 * NOTICE_INTERVAL_S else "minute"
        text = self._template.format(count=f"{self._dropped:,}", since=since, where=self._source)
        self._noticed_at, self._dropped = now, 0
        return text
