"""Rate limits by token bucket: a burst, followed by a fixed number of tokens per second."""

from collections.abc import Callable, Hashable

from conductor.base import clock

MAX_TOKEN_BUCKETS = 1_000


class RateLimiter:
    """A token bucket per key. Of more than `MAX_TOKEN_BUCKETS` keys, the least recently used is dropped."""

    def __init__(
        self, burst: float, per_second: float, now: Callable[[], float] = clock.now
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._now = now
        self._buckets: dict[Hashable, tuple[float, float]] = {}

    def take_tokens(self, key: Hashable, tokens: float = 1) -> float:
        """Consume tokens and return 0, or return the seconds until enough tokens are available."""
        at = self._now()
        left, since = self._buckets.pop(key, (self._burst, at))
        left = min(self._burst, left + (at - since) * self._per_second)
        if len(self._buckets) >= MAX_TOKEN_BUCKETS:
            self._buckets.pop(next(iter(self._buckets)))
        if left < tokens:
            self._buckets[key] = (left, at)
            return (tokens - left) / self._per_second
        self._buckets[key] = (left - tokens, at)
        return 0.0
