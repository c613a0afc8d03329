"""Every way a provider fails, in words that say what to do next, and never with a key in them."""

import re
from typing import Any

import httpx2
from pydantic_ai import exceptions as wire

from conductor.base.redact import HIDDEN, redact
from conductor.domain.chat import ChatFailure, FailureKind, ProviderKind

LONGEST_DETAIL = 300
TRANSIENT: frozenset[FailureKind] = frozenset({"rate_limit", "overloaded", "network", "internal"})
"""What may go away by itself."""
_WORDS: dict[FailureKind, str] = {
    "no_key": "There is no key for {name}. Enter one in Settings > Providers.",
    "auth": "{name} refused the key. Check it in Settings > Providers, and that it may use {model}.",
    "rate_limit": "{name} got too many requests. Wait a moment and send it again, or choose another model.",
    "overloaded": "{name} is overloaded. Try again in a while, or choose another model.",
    "quota": "The credit or quota at {name} is used up. Top it up there, or choose another provider.",
    "network": "{name} could not be reached, or the connection broke. Check the network and the address {url}, "
    "then send it again.",
    "context_overflow": "The conversation is too long for {model}. Compact it, "
    "or choose a model that holds more.",
    "model_not_found": "{name} does not have the model {model}. Choose another one in Settings > Providers.",
    "bad_request": "{name} refused the request.",
    "refusal": "{name} declined to answer this. Say it in another way.",
    "budget": "The budget is used up. Raise it in Settings > Providers.",
    "internal": "{name} had a fault of its own. Try again, or choose another model.",
}
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


class Place:
    """Which provider and model a failure is of, for its words, and the key that must not be in them."""

    def __init__(
        self, name: str, model: str, url: str, key: str | None, kind: ProviderKind
    ) -> None:
        self.name, self.model, self.url = name, model, url
        self.kind: ProviderKind = kind
        self._key = key

    def failure(
        self, kind: FailureKind, detail: str = "", retry_after_s: float | None = None
    ) -> ChatFailure:
        """Make a failure, with what the provider said of it."""
        words = _WORDS[kind].format(name=self.name, model=self.model or "the model", url=self.url)
        said = f' It said: "{detail[:LONGEST_DETAIL].strip()}"' if detail else ""
        return ChatFailure(
            kind=kind, message=self._clean(words + said), retry_after_s=retry_after_s
        )

    def of(self, problem: BaseException) -> ChatFailure:
        """Say what an exception means."""
        kind = _kind(problem)
        detail = said(problem) if kind in _WITH_DETAIL else ""
        return self.failure(kind, self._clean(detail), getattr(problem, "retry_after", None))

    def of_address(self, problem: BaseException) -> ChatFailure:
        """Say what an exception means where no model was asked for anything: then nothing is found there."""
        if status_of(problem) != 404:
            return self.of(problem)
        detail = f"nothing is found at {self.url}"
        return self.failure("network", detail)

    def _clean(self, text: str) -> str:
        return redact(text.replace(self._key, HIDDEN) if self._key else text)


_WITH_DETAIL: frozenset[FailureKind] = frozenset(
    {"auth", "quota", "model_not_found", "bad_request", "refusal", "internal"}
)


def lacking(problem: BaseException) -> str | None:
    """Give what the model lacks, if the provider refused the request for that."""
    if status_of(problem) not in (400, 404, 405, 415, 422, 501):
        return None
    text = said(problem)
    return next((what for what, pattern in _LACKING if pattern.search(text)), None)


def may_retry(problem: BaseException) -> bool:
    """Tell whether the provider leaves it open that the same request works later."""
    return getattr(problem, "provider_retry_hint", None) is not False


def said(problem: BaseException) -> str:
    """Give the sentence of the provider out of whatever it sent."""
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
    """Give the HTTP status of an exception of any SDK, or 0."""
    for name in ("status_code", "code"):
        if isinstance(status := getattr(problem, name, None), int):
            return status
    return 0


def _kind(problem: BaseException) -> FailureKind:
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
