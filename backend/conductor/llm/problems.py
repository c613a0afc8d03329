"""Interprets the exceptions of the SDKs.

It finds out the kind of failure, the message of the provider, how long to wait, and which capability the
model lacks.
"""

import re
from typing import Any

import httpx2
from pydantic_ai import exceptions as wire

from conductor.domain.chat.messages import FailureKind

MAX_EXCEPTION_CAUSES = 10
MAX_RETRY_AFTER_S = 3600.0
ANSWER_TOO_LONG_MESSAGE = (
    "{name} sent an answer that is too long, so it was cut off. "
    "Ask for less, or choose another model."
)
_KIND_BY_EXCEPTION: tuple[tuple[type[Exception], FailureKind], ...] = (
    (wire.ModelContextWindowExceededError, "context_overflow"),
    (wire.ModelAuthenticationError, "auth"),
    (wire.ModelNotFoundError, "model_not_found"),
    (wire.ModelQuotaExceededError, "quota"),
    (wire.ModelRateLimitError, "rate_limit"),
    (wire.ModelUnavailableError, "overloaded"),
    (wire.ModelServerError, "internal"),
    (wire.ModelRequestTimeout, "network"),
    (wire.ModelConnectionError, "network"),
    (wire.ModelRequestRejectedError, "bad_request"),
    (wire.ContentFilterError, "refusal"),
    (wire.UserError, "model_not_found"),  # pydantic-ai raises this only for an invalid model name
    (httpx2.TransportError, "network"),
    (httpx2.StreamError, "network"),
    (OSError, "network"),
)
_KIND_BY_STATUS: dict[int, FailureKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "model_not_found",
    408: "overloaded",
    409: "overloaded",
    413: "context_overflow",
    425: "overloaded",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}
_CONTEXT_OVERFLOW_PATTERN = re.compile(
    r"context.{0,20}(length|window|size)|(prompt|input) is too long|too many (input )?tokens", re.I
)
_INVALID_KEY_PATTERN = re.compile(
    r"(invalid|incorrect)[^.]{0,20}api.?key"
    r"|no connected db",  # LiteLLM without a database answers this to any key except its own
    re.I,
)
_WEB_PAGE_PATTERN = re.compile(r"<(!doctype|html|head|body)\b", re.I)
_MISSING_CAPABILITY_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "tools",
        re.compile(
            r"(not|n't) (currently )?support(ed)?[^.]{0,30}\b(tools?|function)"
            r"|support tool use|(tools?|function call\w*)[^.]{0,30}\b(not|n't|un)\s?support",
            re.I,
        ),
    ),
    ("temperature", re.compile(r"temperature", re.I)),
    (
        "streaming",
        re.compile(
            r"(not|n't|un)\s?support\w*[^.]{0,20}stream|stream\w*[^.]{0,20}(not|n't|un)\s?support",
            re.I,
        ),
    ),
    (
        "images",
        re.compile(
            r"(not|n't|no) [^.]{0,30}(image|vision)|image[^.]{0,30}(not|n't|un)\s?support", re.I
        ),
    ),
)


class ExchangeRejected(Exception):
    """Raised when Conductor refuses to send a request or to use a response.

    The caller replaces `{name}` and `{url}` in the message with the name and base URL of the provider.
    """


class AnswerNotStreamed(ExchangeRejected):
    """Raised when a provider sends the whole answer at once although a stream was requested.

    The request can then be repeated without streaming.
    """

    def __str__(self) -> str:
        return (
            "{name} sent the whole answer at once, although Conductor requested a stream. "
            "Switch streaming off for this provider in Settings > Providers."
        )


class AnswerTooSlow(ExchangeRejected):
    """Raised when an answer is silent for too long or exceeds its time limit."""

    def __str__(self) -> str:
        return (
            "{name} began to answer and then sent almost nothing for minutes, so the request was cancelled. "
            "Check the server or proxy at {url}, or choose another model."
        )


def find_rejection(error: BaseException) -> ExchangeRejected | None:
    """Return the `ExchangeRejected` exception in the causes of an SDK exception, or None."""
    current: BaseException | None = error
    for _ in range(MAX_EXCEPTION_CAUSES):
        if current is None or isinstance(current, ExchangeRejected):
            return current
        current = current.__cause__ or current.__context__
    return None


def classify_failure(error: BaseException) -> FailureKind:
    """Return the kind of failure that an exception of an SDK or of HTTP stands for."""
    found: FailureKind | None = next(
        (kind for category, kind in _KIND_BY_EXCEPTION if isinstance(error, category)), None
    )
    if found is None:
        found = _classify_failure_by_status(error)
    if found not in ("bad_request", "internal"):
        return found
    text = read_provider_message(error)
    if _INVALID_KEY_PATTERN.search(text):
        return "auth"
    return "context_overflow" if _CONTEXT_OVERFLOW_PATTERN.search(text) else found


def _classify_failure_by_status(error: BaseException) -> FailureKind:
    """Return the kind of failure by HTTP status, for an exception that pydantic-ai did not classify."""
    if isinstance(error.__cause__, httpx2.TransportError | OSError):
        return "network"
    status = read_http_status(error)
    if status in _KIND_BY_STATUS:
        return _KIND_BY_STATUS[status]
    return "bad_request" if 400 <= status < 500 else "internal"


def find_missing_capability(error: BaseException) -> str | None:
    """Return the name of the capability that the model lacks according to the error message, or None.

    The name is a field of `Capabilities`, such as `tools`.
    """
    if isinstance(find_rejection(error), AnswerNotStreamed):
        return "streaming"
    if read_http_status(error) not in (400, 404, 405, 415, 422, 501):
        return None
    text = read_provider_message(error)
    return next(
        (feature for feature, pattern in _MISSING_CAPABILITY_PATTERNS if pattern.search(text)), None
    )


def read_retry_after(error: BaseException) -> float | None:
    """Return how many seconds the provider asks to wait, at most an hour, or None if it does not say."""
    delay_s = getattr(error, "retry_after", None)
    return min(delay_s, MAX_RETRY_AFTER_S) if delay_s is not None and delay_s >= 0 else None


def may_retry_request(error: BaseException) -> bool:
    """Return whether the same request may succeed if it is repeated."""
    return (
        getattr(error, "provider_retry_hint", None) is not False and find_rejection(error) is None
    )


def read_provider_message(error: BaseException) -> str:
    """Return the error message of the provider as one line, or the message of the exception."""
    text = " ".join((_extract_error_message(getattr(error, "body", None)) or str(error)).split())
    return "a web page instead of an answer" if _WEB_PAGE_PATTERN.search(text) else text


def _extract_error_message(body: Any) -> str | None:
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            inner = inner.get("message") or inner.get("detail")
        return inner if isinstance(inner, str) else None
    return body if isinstance(body, str) else None


def read_http_status(error: BaseException) -> int:
    """Return the HTTP status of an exception of any SDK, or 0 if the exception has none."""
    for name in ("status_code", "code"):
        if isinstance(status := getattr(error, name, None), int):
            return status
    return 0
