"""Limits the rate of tool calls by token buckets. Each client has a bucket, and expensive tools take more
tokens.
"""

from collections.abc import Callable
from typing import NamedTuple

from conductor.base import clock
from conductor.base.rate_limit import RateLimiter
from conductor.domain.plan import Requester
from conductor.tools.registry import Tier, Tool


class Rate(NamedTuple):
    """The size of a token bucket, and the number of tokens that are added per second."""

    burst: float
    per_second: float


RATES: dict[str, Rate] = {
    "window": Rate(2_000, 1_000),
    "page": Rate(2_000, 1_000),
    "cli": Rate(2_000, 1_000),
    "chat": Rate(500, 50),
    "mcp": Rate(20_000, 10_000),
    "bare": Rate(20_000, 10_000),
    "http": Rate(500, 100),
    "pad": Rate(2_000, 1_000),
}
"""The rate of each kind of caller. A call of a read-only tool takes one token."""
COSTS: dict[Tier, float] = {
    "read_only": 1,
    "stateful": 10,
    "config_change": 200,
    "privileged": 200,
    "hardware_io": 10,
    "request": 10,
    "skill": 10,
}
MIN_BURST_CALLS = 10
"""The number of calls that every caller can make at once, even of expensive tools."""


class RateLimits:
    """The token buckets of all clients."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._buckets = {kind: RateLimiter(*rate, now) for kind, rate in RATES.items()}

    def take_tokens(self, tool: Tool, by: Requester) -> float:
        """Remove the tokens for a call from the bucket and return 0, or return the seconds to wait."""
        rate = RATES[by.caller]
        cost = min(COSTS[tool.tier], rate.burst / MIN_BURST_CALLS)
        return self._buckets[by.caller].take_tokens(f"{by.client}|{by.pid}", cost)
