"""Decides whether a failed request is sent again, and after how many seconds."""

import random

from conductor.domain.chat.messages import ChatFailure
from conductor.llm.attempt import AnswerAttempt
from conductor.llm.failures import TRANSIENT_FAILURE_KINDS
from conductor.llm.problems import may_retry_request

MAX_RETRIES = 3
MAX_RETRY_WAIT_S = 60.0
"""The longest wait before a retry.

If a provider asks for more, the request fails, and the user can choose another model.
"""


def compute_retry_wait(attempt: AnswerAttempt, retries: int) -> float | None:
    """Return the wait in seconds before a failed request is sent again, or None if the failure is final.

    A request is not repeated after it has yielded events, because the user would see the answer twice.
    """
    failure = attempt.failure
    if (
        failure is None
        or attempt.has_events
        or retries >= MAX_RETRIES
        or failure.kind not in TRANSIENT_FAILURE_KINDS
    ):
        return None
    if attempt.error is not None and not may_retry_request(attempt.error):
        return None
    return _compute_wait_for_failure(failure, retries)


def _compute_wait_for_failure(failure: ChatFailure, retries: int) -> float | None:
    asked = failure.retry_after_s
    if asked is not None:
        return asked if asked <= MAX_RETRY_WAIT_S else None
    return 2.0**retries * (0.75 + random.random() / 2)  # noqa: S311 - only spreads retries in time
