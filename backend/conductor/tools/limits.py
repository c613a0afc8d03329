"""Limits the rate of tool calls.

Each client has a token bucket, and expensive tools take more tokens from it. All programs together share
another bucket, so that many clients cannot do what one may not.
"""

from collections.abc import Callable
from typing import NamedTuple

from conductor.base import clock
from conductor.base.rate_limit import RateLimiter
from conductor.domain.plan import Requester
from conductor.errors import RateLimited
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
    "remote": BucketRate(500, 100),
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


SHARED_RATE = BucketRate(20_000, 10_000)
"""The rate of all programs together: as much as one local client may do alone."""
PROGRAM_CALLERS = ("mcp", "bare", "http", "remote", "chat")
"""The callers that share the rate. The user's own calls and controls never wait for programs."""


class RateLimits:
    """The token buckets of all clients, which limit how often each may call tools."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._buckets = {kind: RateLimiter(*rate, now) for kind, rate in RATE_BY_CALLER.items()}
        self._shared = RateLimiter(*SHARED_RATE, now)

    def require_tokens(self, tool: Tool, by: Requester) -> None:
        """Remove the tokens for a call from the client's bucket and, for a program, from the shared one.

        Raises:
            RateLimited: There are too few. The message says how long to wait.
        """
        rate, cost = RATE_BY_CALLER[by.caller], TOKEN_COST_BY_TIER[tool.tier]
        own_cost = min(cost, rate.burst / MIN_CALLS_PER_BURST)
        wait_s = self._buckets[by.caller].take_tokens((by.get_principal(), by.pid), own_cost)
        if wait_s > 0:
            raise RateLimited(f"too many calls; try {tool.name} again in {wait_s:.1f} s")
        wait_s = self._shared.take_tokens("", cost) if by.caller in PROGRAM_CALLERS else 0.0
        if wait_s > 0:
            raise RateLimited(
                f"too many calls from all programs together; try {tool.name} again in {wait_s:.1f} s"
            )
