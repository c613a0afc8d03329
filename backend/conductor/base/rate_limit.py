"""Token buckets: so much at once, and so much a second after that."""

from collections.abc import Callable

from conductor.base import clock

BUCKETS_KEPT = 1_000


class RateLimit:
    """A bucket for each key; of too many keys the one that was used longest ago is forgotten."""

    def __init__(
        self, burst: float, per_second: float, now: Callable[[], float] = clock.now
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._now = now
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str, tokens: float = 1) -> float:
        """Take tokens; give 0, or the seconds until there are enough."""
        at = self._now()
        left, since = self._buckets.pop(key, (self._burst, at))
        left = min(self._burst, left + (at - since) * self._per_second)
        if len(self._buckets) >= BUCKETS_KEPT:
            self._buckets.pop(next(iter(self._buckets)))
        if left < tokens:
            self._buckets[key] = (left, at)
            return (tokens - left) / self._per_second
        self._buckets[key] = (left - tokens, at)
        return 0.0
