"""Limits the rate of tool calls.

Each client has a token bucket, and expensive tools take more tokens from it.
"""

from collections.abc import Callable
from typing import NamedTuple

from conductor.base import clock
from conductor.base.rate_limit import RateLimiter
from conductor.domain.plan import Requester
from conductor.tools.registry import Tier, Tool


class BucketRate(NamedTuple):
    """The size of a token bucket, and how many tokens are added per second."""

    burst: float
    per_second: float


RATE_BY_CALLER: dict[str, BucketRate] = {
    "window": BucketRate(2_000, 1_000),
    "page": BucketRate(2_000, 1_000),
    "cli": BucketRate(2_000, 1_000),
    "chat": BucketRate(500, 50),
    "mcp": BucketRate(20_000, 10_000),
    "bare": BucketRate(20_000, 10_000),
    "http": BucketRate(500, 100),
    "pad": BucketRate(2_000, 1_000),
}
"""The rate of each kind of caller. A call of a read-only tool takes one token."""
TOKEN_COST_BY_TIER: dict[Tier, float] = {
    "read_only": 1,
    "stateful": 10,
    "config_change": 200,
    "privileged": 200,
    "hardware_io": 10,
    "request": 10,
    "skill": 10,
}
MIN_CALLS_PER_BURST = 10
"""Every caller can make this many calls at once, even of expensive tools."""


class RateLimits:
    """The token buckets of all clients, which limit how often each may call tools."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._buckets = {kind: RateLimiter(*rate, now) for kind, rate in RATE_BY_CALLER.items()}

    def take_tokens(self, tool: Tool, by: Requester) -> float:
        """Remove the tokens for a call from the bucket and return 0.

        If there are too few, return the seconds to wait.
        """
        rate = RATE_BY_CALLER[by.caller]
        cost = min(TOKEN_COST_BY_TIER[tool.tier], rate.burst / MIN_CALLS_PER_BURST)
        return self._buckets[by.caller].take_tokens(f"{by.client}|{by.pid}", cost)
