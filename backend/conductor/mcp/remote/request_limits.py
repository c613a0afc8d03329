"""Limits how often the OAuth endpoints are called, because everybody who reaches the port can call them."""

from collections.abc import Callable

from mcp.server.auth.routes import (
    AUTHORIZATION_PATH,
    REGISTRATION_PATH,
    REVOCATION_PATH,
    TOKEN_PATH,
)

from conductor.base import clock
from conductor.base.rate_limit import RateLimiter

SIGN_IN_BURST, SIGN_INS_PER_S = 10, 0.1
"""The rate of one network address for registrations and requests for access, each of which writes something."""
ALL_SIGN_INS_BURST, ALL_SIGN_INS_PER_S = 40, 0.5
TOKEN_BURST, TOKENS_PER_S = 60, 2.0
"""An agent refreshes its token every ten minutes, and one network address may stand for many agents."""
ALL_TOKENS_BURST, ALL_TOKENS_PER_S = 600, 20.0


class RequestLimits:
    """The token buckets of the OAuth endpoints: one for each network address, and one for all together."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._limiters = {
            path: (RateLimiter(burst, per_s, now), RateLimiter(all_burst, all_per_s, now))
            for paths, (burst, per_s), (all_burst, all_per_s) in (
                (
                    (AUTHORIZATION_PATH, REGISTRATION_PATH),
                    (SIGN_IN_BURST, SIGN_INS_PER_S),
                    (ALL_SIGN_INS_BURST, ALL_SIGN_INS_PER_S),
                ),
                (
                    (TOKEN_PATH, REVOCATION_PATH),
                    (TOKEN_BURST, TOKENS_PER_S),
                    (ALL_TOKENS_BURST, ALL_TOKENS_PER_S),
                ),
            )
            for path in paths
        }

    def count_request(self, path: str, source: str) -> float:
        """Count a request and return 0, or return the seconds until the next one is accepted."""
        limiters = self._limiters.get(path)
        if limiters is None:
            return 0.0
        of_source, of_all = limiters
        return of_source.take_tokens(source) or of_all.take_tokens("")
