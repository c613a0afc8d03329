"""Every way a provider fails, in words that say what to do next, and never with a key in them."""

import re

from conductor.base.invisible_chars import clean
from conductor.base.redact import HIDDEN, redact
from conductor.domain.chat.messages import ChatFailure, FailureKind, ProviderKind
from conductor.llm.problems import TooSlow, kind_of, refused, retry_after_s, said, status_of

LONGEST_DETAIL = 300
SHORTEST_SECRET = 7
"""Characters. A local server takes any key, such as `none`, which is a word of other texts too."""
TRANSIENT: frozenset[FailureKind] = frozenset({"rate_limit", "overloaded", "network", "internal"})
"""What may go away by itself."""
_WORDS: dict[FailureKind, str] = {
    "no_key": "{name} wants a key, and none was given. Enter one in Settings > Providers.",
    "auth": "{name} refused the key. Check it in Settings > Providers, and that it may use {model}.",
    "rate_limit": "{name} got too many requests. Wait a moment and try again, or choose another model.",
    "overloaded": "{name} is overloaded. Try again in a while, or choose another model.",
    "quota": "The credit or quota at {name} is used up. Top it up there, or choose another provider.",
    "network": "{name} could not be reached, or the connection broke. Check the network and the address {url}, "
    "then try again.",
    "context_overflow": "The conversation is too long for {model}. Compact it, "
    "or choose a model that holds more.",
    "model_not_found": "{name} does not have the model {model}. Choose another one in Settings > Providers.",
    "bad_request": "{name} refused the request.",
    "refusal": "{name} declined to answer this. Say it in another way.",
    "budget": "The budget is used up. Raise it in Settings > Providers.",
    "internal": "{name} had a fault of its own. Try again, or choose another model.",
}
_WITH_DETAIL: frozenset[FailureKind] = frozenset(
    {"auth", "quota", "model_not_found", "bad_request", "refusal", "internal"}
)


class Place:
    """Which provider and model a failure is of, for its words, and the key that must not be in them."""

    def __init__(
        self, name: str, model: str, url: str, key: str | None, kind: ProviderKind
    ) -> None:
        self.name, self.model, self.url = name, model, url
        self.kind: ProviderKind = kind
        self._key = key
        self._key_pattern = _whole(key) if key and len(key) >= SHORTEST_SECRET else None

    def failure(
        self, kind: FailureKind, detail: str = "", retry_after_s: float | None = None
    ) -> ChatFailure:
        """Make a failure, with what the provider said of it."""
        if kind == "auth" and not self._key:
            kind = "no_key"
        words = _WORDS[kind].format(name=self.name, model=self.model or "the model", url=self.url)
        said = f' It said: "{detail[:LONGEST_DETAIL].strip()}"' if detail else ""
        return ChatFailure(
            kind=kind, message=self._clean(words + said), retry_after_s=retry_after_s
        )

    def of(self, problem: BaseException) -> ChatFailure:
        """Return what an exception means."""
        if (no := refused(problem)) is not None:
            words = str(no).replace("{url}", self.url).replace("{name}", self.name)
            slow = isinstance(no, TooSlow)
            kind: FailureKind = "network" if slow else "bad_request"
            return ChatFailure(kind=kind, message=self._clean(words))
        kind = kind_of(problem)
        detail = said(problem) if kind in _WITH_DETAIL else ""
        return self.failure(kind, self._clean(detail), retry_after_s(problem))

    def of_address(self, problem: BaseException) -> ChatFailure:
        """Return what an exception means where no model was asked for anything: then nothing is found there."""
        if status_of(problem) != 404:
            return self.of(problem)
        detail = f"nothing is found at {self.url}"
        return self.failure("network", detail)

    def _clean(self, text: str) -> str:
        text = clean(text)  # first: what nobody sees could stand between the letters of a key
        return redact(text if self._key_pattern is None else self._key_pattern.sub(HIDDEN, text))


def _whole(key: str) -> re.Pattern[str]:
    """Return what finds a key where it stands by itself, not as a part of a longer word."""
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(key)}(?![A-Za-z0-9])")
