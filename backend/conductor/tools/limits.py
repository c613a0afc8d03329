"""Limits the rate of calls.

Each kind of caller and client has a token bucket, from which expensive tools take more tokens.
"""

from collections.abc import Callable
from typing import NamedTuple

from conductor.base import clock
from conductor.base.rate_limit import RateLimiter
from conductor.domain.plan import Requester
from conductor.tools.registry import Tier, Tool


class Rate(NamedTuple):
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
"""Measured in plain reads."""
COST: dict[Tier, float] = {
    "read_only": 1,
    "stateful": 10,
    "config_change": 200,
    "privileged": 200,
    "hardware_io": 10,
    "request": 10,
    "skill": 10,
}
MIN_BURST_CALLS = 10
"""Every caller may make this many calls at once, even if its burst is smaller than their cost."""


class RateLimits:
    """The rate limits of all callers, each kept in a token bucket."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._buckets = {kind: RateLimiter(*rate, now) for kind, rate in RATES.items()}

    def wait_s(self, tool: Tool, by: Requester) -> float:
        """Return the number of seconds until the call is allowed, or 0 if it is allowed now."""
        rate = RATES[by.caller]
        cost = min(COST[tool.tier], rate.burst / MIN_BURST_CALLS)
        return self._buckets[by.caller].take_tokens(f"{by.client}|{by.pid}", cost)
