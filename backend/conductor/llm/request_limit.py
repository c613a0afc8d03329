"""Limits the requests per minute to a provider, so that a chat that loops cannot run up a bill."""

from collections.abc import AsyncGenerator, Callable

from conductor.base import clock
from conductor.base.rate_limit import RateLimiter
from conductor.domain.chat.messages import ChatFailure, Failed, Retrying
from conductor.domain.settings import LlmProvider
from conductor.llm.options import WaitSeconds
from conductor.llm.registry import ProviderRow, is_local_url

DEFAULT_REQUESTS_PER_MINUTE = 60
"""The limit of a provider on the internet if its settings have none. An answer with tools takes up to 12
requests, each of which takes at least a second, so that a user does not reach it.
"""
MAX_LIMIT_WAIT_S = 30.0
"""The longest wait for the limit. If more is needed, the request fails, so that the user can choose another
model or raise the limit.
"""


class RequestLimit:
    """A token bucket for the requests to one provider: one minute's requests at once, then a steady rate."""

    def __init__(
        self, label: str, name: str, per_minute: int, now: Callable[[], float] = clock.now
    ) -> None:
        self._label, self._name, self.per_minute = label, name, per_minute
        self._limiter = RateLimiter(per_minute, per_minute / 60, now)

    async def wait_for_request(self, wait: WaitSeconds) -> AsyncGenerator[Retrying | Failed]:
        """Remove a request from the bucket, after a wait if necessary.

        Each wait yields a `Retrying` event before it begins. If the waits would take too long, the last event
        is `Failed`, and the request must not be sent.
        """
        waited_s, waits = 0.0, 0
        while (wait_s := self._limiter.take_tokens(self._name)) > 0:
            failure = self._build_failure(wait_s)
            if waited_s + wait_s > MAX_LIMIT_WAIT_S:
                yield Failed(failure=failure)
                return
            waits += 1
            yield Retrying(attempt=waits, wait_s=wait_s, failure=failure)
            await wait(wait_s)
            waited_s += wait_s

    def _build_failure(self, wait_s: float) -> ChatFailure:
        message = (
            f"Conductor sends {self._label} at most {self.per_minute} requests per minute. Wait"
            f" {max(wait_s, 1):.0f} s, choose another model, or raise"
            f" `llm.providers.{self._name}.requests_per_minute` in config.toml."
        )
        return ChatFailure(kind="rate_limit", message=message, retry_after_s=wait_s)


def find_requests_per_minute(row: ProviderRow, settings: LlmProvider) -> int | None:
    """Return the limit of a provider, or None if it has none: by default, a server in the local network."""
    if settings.requests_per_minute is not None:
        return settings.requests_per_minute
    return None if is_local_url(row.base_url) else DEFAULT_REQUESTS_PER_MINUTE
