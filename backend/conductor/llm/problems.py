"""What an exception of any SDK means: a kind of failure, the provider's sentence, what a model lacks."""

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
    """What we do not take or send. `{name}` and `{url}` in its words stand for those of the provider."""


class NotStreamed(Refused):
    """A whole answer, which came where a stream was asked for."""

    def __str__(self) -> str:
        return (
            "{name} sends its answers in one piece, though a stream was asked for. "
            "Switch streaming off for it in Settings > Providers."
        )


class TooSlow(Refused):
    """An answer that is not worth waiting for any longer."""

    def __str__(self) -> str:
        return (
            "{name} began to answer and then sent next to nothing for minutes, so it is waited for no longer. "
            "Check the server or proxy at {url}, or choose another model."
        )


def refused(problem: BaseException) -> Refused | None:
    """Find what we refused ourselves behind an exception of an SDK."""
    at: BaseException | None = problem
    for _ in range(LONGEST_CHAIN):
        if at is None or isinstance(at, Refused):
            return at
        at = at.__cause__ or at.__context__
    return None


def kind_of(problem: BaseException) -> FailureKind:
    """Return what kind of failure an exception stands for."""
    found: FailureKind | None = next(
        (kind for category, kind in _KINDS if isinstance(problem, category)), None
    )
    if found is None:
        found = _kind_of_other(problem)
    if found not in ("bad_request", "internal"):
        return found
    text = said(problem)
    if _BAD_KEY.search(text):
        return "auth"
    return "context_overflow" if _TOO_LONG.search(text) else found


def _kind_of_other(problem: BaseException) -> FailureKind:
    """Judge what pydantic-ai did not: an error of an SDK itself, or one that nobody foresaw."""
    if isinstance(problem.__cause__, httpx2.TransportError | OSError):
        return "network"
    status = status_of(problem)
    if status in _STATUSES:
        return _STATUSES[status]
    return "bad_request" if 400 <= status < 500 else "internal"


def lacking(problem: BaseException) -> str | None:
    """Return what the model lacks, if the provider refused the request for that or shows it."""
    if isinstance(refused(problem), NotStreamed):
        return "streaming"
    if status_of(problem) not in (400, 404, 405, 415, 422, 501):
        return None
    text = said(problem)
    return next((what for what, pattern in _LACKING if pattern.search(text)), None)


def retry_after_s(problem: BaseException) -> float | None:
    """Return how long the provider asks to wait: an hour at most, and nothing that is no time."""
    asked = getattr(problem, "retry_after", None)
    return min(asked, LONGEST_WAIT_S) if asked is not None and asked >= 0 else None


def may_retry(problem: BaseException) -> bool:
    """Return whether the provider leaves it open that the same request works later."""
    return getattr(problem, "provider_retry_hint", None) is not False and refused(problem) is None


def said(problem: BaseException) -> str:
    """Return the sentence of the provider out of whatever it sent."""
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
    """Return the HTTP status of an exception of any SDK, or 0."""
    for name in ("status_code", "code"):
        if isinstance(status := getattr(problem, name, None), int):
            return status
    return 0
