"""Converts exceptions and error responses of providers to failures with a message for the user.

Each message tells the user what to do next and never contains an API key.
"""

import re

from conductor.base.invisible_chars import remove_hidden
from conductor.base.redact import REDACTED_TEXT, redact_secrets
from conductor.domain.chat.messages import ChatFailure, FailureKind, ProviderKind
from conductor.llm.problems import (
    AnswerTooSlow,
    classify_failure,
    find_rejection,
    read_http_status,
    read_provider_message,
    read_retry_after,
)
from conductor.llm.registry import is_local_url

MAX_DETAIL_LENGTH = 300
MIN_SECRET_LENGTH = 7
"""The shortest key that is removed from messages.

A shorter one, such as `none` for a local server, is also an ordinary word.
"""
TRANSIENT_FAILURE_KINDS: frozenset[FailureKind] = frozenset(
    {"rate_limit", "overloaded", "network", "internal"}
)
"""Kinds of failures after which the same request may succeed a few seconds later."""
_MESSAGE_BY_KIND: dict[FailureKind, str] = {
    "no_key": "{name} requires a key, and none is set. Enter one in Settings > Providers.",
    "auth": "{name} refused the key. Check the key in Settings > Providers, and whether it may use {model}.",
    "rate_limit": "{name} received too many requests. Wait a moment and try again, or choose another model.",
    "overloaded": "{name} is overloaded. Try again in a while, or choose another model.",
    "quota": "The credit or quota at {name} is used up. Top it up there, or choose another provider.",
    "network": "{name} could not be reached, or the connection broke. Check the network and the address {url}, "
    "then try again.",
    "context_overflow": "The conversation is too long for {model}. Compact it, "
    "or choose a model with a larger context window.",
    "model_not_found": "{name} does not have the model {model}. Choose another one in Settings > Providers.",
    "bad_request": "{name} refused the request.",
    "refusal": "{name} declined to answer this. Try a different wording.",
    "budget": "The budget is used up. Raise it in Settings > Providers.",
    "internal": "{name} had an internal error. Try again, or choose another model.",
}
_LOCAL_SERVER_DOES_NOT_ANSWER = (
    "{name} does not answer at {url}. Check that it is running, or choose another provider, "
    "then try again."
)
_KINDS_WITH_DETAIL: frozenset[FailureKind] = frozenset(
    {"auth", "quota", "model_not_found", "bad_request", "refusal", "internal"}
)


class FailureContext:
    """The provider and model that a failure message names, and the API key that is removed from it."""

    def __init__(
        self, name: str, model: str, url: str, key: str | None, kind: ProviderKind
    ) -> None:
        self.name, self.model, self.url = name, model, url
        self.kind: ProviderKind = kind
        self._key = key
        self._key_pattern = (
            _build_key_pattern(key) if key and len(key) >= MIN_SECRET_LENGTH else None
        )

    def build_failure(
        self, kind: FailureKind, detail: str = "", retry_after_s: float | None = None
    ) -> ChatFailure:
        """Return a failure with the message for its kind, followed by the provider's own words in `detail`."""
        if kind == "auth" and not self._key:
            kind = "no_key"
        is_own_server = kind == "network" and not detail and is_local_url(self.url)
        words = _LOCAL_SERVER_DOES_NOT_ANSWER if is_own_server else _MESSAGE_BY_KIND[kind]
        message = words.format(name=self.name, model=self.model or "the model", url=self.url)
        provider_message = f' It said: "{detail[:MAX_DETAIL_LENGTH].strip()}"' if detail else ""
        return ChatFailure(
            kind=kind,
            message=self._remove_secrets(message + provider_message),
            retry_after_s=retry_after_s,
        )

    def convert_error(self, error: BaseException) -> ChatFailure:
        """Convert an exception raised by a chat request to a failure for the user."""
        if (rejection := find_rejection(error)) is not None:
            message = str(rejection).replace("{url}", self.url).replace("{name}", self.name)
            is_slow = isinstance(rejection, AnswerTooSlow)
            kind: FailureKind = "network" if is_slow else "bad_request"
            return ChatFailure(kind=kind, message=self._remove_secrets(message))
        kind = classify_failure(error)
        detail = read_provider_message(error) if kind in _KINDS_WITH_DETAIL else ""
        return self.build_failure(kind, self._remove_secrets(detail), read_retry_after(error))

    def convert_connection_error(self, error: BaseException) -> ChatFailure:
        """Convert an exception raised by a connection test to a failure for the user.

        The test names no model, so status 404 means that the base URL is wrong.
        """
        if read_http_status(error) != 404:
            return self.convert_error(error)
        detail = f"the server has no such API at {self.url}"
        return self.build_failure("network", detail)

    def _remove_secrets(self, text: str) -> str:
        text = remove_hidden(
            text
            # invisible characters are removed first, because they could hide a key by separating its
            # letters
        )
        return redact_secrets(
            text if self._key_pattern is None else self._key_pattern.sub(REDACTED_TEXT, text)
        )


def _build_key_pattern(key: str) -> re.Pattern[str]:
    """Return a pattern that finds the key, but not where it is a fragment of a longer word."""
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(key)}(?![A-Za-z0-9])")
