"""Interprets exceptions of the SDKs: the kind of failure, the provider's message, and the capability that the
model lacks.
"""

import re
from typing import Any

import httpx2
from pydantic_ai import exceptions as wire

from conductor.domain.chat.messages import FailureKind

LONGEST_CHAIN = 10
LONGEST_WAIT_S = 3600.0
TOO_MUCH = (
    "{name} sent more than an answer can be, so the rest of it is left out. "
    "Ask for less, or choose another model."
)
_KINDS: tuple[tuple[type[Exception], FailureKind], ...] = (
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
    (wire.UserError, "model_not_found"),  # of what we send, only a model's name can be refused
    (httpx2.TransportError, "network"),
    (httpx2.StreamError, "network"),
    (OSError, "network"),
)
_STATUSES: dict[int, FailureKind] = {
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
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|(prompt|input) is too long|too many (input )?tokens", re.I
)
_BAD_KEY = re.compile(
    r"(invalid|incorrect)[^.]{0,20}api.?key"
    r"|no connected db",  # what LiteLLM without a database says to any key but its own
    re.I,
)
_PAGE = re.compile(r"<(!doctype|html|head|body)\b", re.I)
_LACKING: tuple[tuple[str, re.Pattern[str]], ...] = (
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


class Refused(Exception):
    """Raised when Conductor rejects a request before sending it, or a response before using it.

    `{name}` and `{url}` in the message stand for those of the provider.
    """


class NotStreamed(Refused):
    """Raised when a provider sends the whole answer at once although a stream was requested."""

    def __str__(self) -> str:
        return (
            "{name} sends its answers in one piece, though a stream was asked for. "
            "Switch streaming off for it in Settings > Providers."
        )


class TooSlow(Refused):
    """Raised when an answer takes too long."""

    def __str__(self) -> str:
        return (
            "{name} began to answer and then sent next to nothing for minutes, so it is waited for no longer. "
            "Check the server or proxy at {url}, or choose another model."
        )


def refused(problem: BaseException) -> Refused | None:
    """Return the `Refused` exception that caused an exception of the SDK, or None."""
    at: BaseException | None = problem
    for _ in range(LONGEST_CHAIN):
        if at is None or isinstance(at, Refused):
            return at
        at = at.__cause__ or at.__context__
    return None


def kind_of(problem: BaseException) -> FailureKind:
    """Return the kind of failure that an exception of the SDK stands for."""
    found: FailureKind | None = next(
        (kind for category, kind in _KINDS if isinstance(problem, category)), None
    )
    if found is None:
        found = _kind_of_other(problem)
    if found not in ("bad_request", "internal"):
        return found
    text = provider_message(problem)
    if _BAD_KEY.search(text):
        return "auth"
    return "context_overflow" if _TOO_LONG.search(text) else found


def _kind_of_other(problem: BaseException) -> FailureKind:
    """Return the kind of failure for an exception that pydantic-ai did not classify."""
    if isinstance(problem.__cause__, httpx2.TransportError | OSError):
        return "network"
    status = status_of(problem)
    if status in _STATUSES:
        return _STATUSES[status]
    return "bad_request" if 400 <= status < 500 else "internal"


def lacking(problem: BaseException) -> str | None:
    """Return the model capability that is missing according to the error message, or None."""
    if isinstance(refused(problem), NotStreamed):
        return "streaming"
    if status_of(problem) not in (400, 404, 405, 415, 422, 501):
        return None
    text = provider_message(problem)
    return next((feature for feature, pattern in _LACKING if pattern.search(text)), None)


def retry_after_s(problem: BaseException) -> float | None:
    """Return how many seconds the provider asks to wait, limited to an hour, or None."""
    asked = getattr(problem, "retry_after", None)
    return min(asked, LONGEST_WAIT_S) if asked is not None and asked >= 0 else None


def may_retry(problem: BaseException) -> bool:
    """Return whether the same request may succeed if it is sent again."""
    return getattr(problem, "provider_retry_hint", None) is not False and refused(problem) is None


def provider_message(problem: BaseException) -> str:
    """Return the provider's error message as one line."""
    text = " ".join((_sentence(getattr(problem, "body", None)) or str(problem)).split())
    return "a web page instead of an answer" if _PAGE.search(text) else text


def _sentence(body: Any) -> str | None:
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            inner = inner.get("message") or inner.get("detail")
        return inner if isinstance(inner, str) else None
    return body if isinstance(body, str) else None


def status_of(problem: BaseException) -> int:
    """Return the HTTP status of an exception of any SDK, or 0 if it has none."""
    for name in ("status_code", "code"):
        if isinstance(status := getattr(problem, name, None), int):
            return status
    return 0
