"""Defines how many chunks are retrieved for the models of each provider, because their own knowledge differs.
All values are estimates.
"""

from pydantic import Field

from conductor.domain.knowledge_domains import Domain
from conductor.domain.value import Value


class ProviderProfile(Value):
    """How many chunks are retrieved for a provider's models, and how relevant they must be."""

    relevance_threshold: float = Field(default=0.35, ge=0, le=1)
    with_cue: float = Field(default=0.15, ge=0, le=1)
    """The relevance threshold for a message that contains a technical word."""
    max_chunks: int = Field(default=5, ge=0, le=20)
    max_tokens: int = Field(default=1_500, ge=0)
    fill: float = Field(default=0.5, ge=0, le=1)
    """The lowest score of further chunks, as a share of the best score."""
    domain_boosts: dict[Domain, float] = Field(default_factory=dict[Domain, float])


BASELINE = ProviderProfile()
LOCAL = ProviderProfile(relevance_threshold=0.25, with_cue=0.10, max_chunks=7, fill=0.3)
_PROFILES: dict[str, ProviderProfile] = {
    "anthropic": ProviderProfile(domain_boosts={"artnet": 1.15, "hid": 1.15}),
    "openai": ProviderProfile(domain_boosts={"midi": 1.15}),
    "google": BASELINE,
    "openrouter": BASELINE,
    "litellm": LOCAL,
    "custom": LOCAL,
}
SMALL_WINDOW_TOKENS = 16_000
SMALL_BUDGET_TOKENS = 600


def profile(kind: str, context_tokens: int | None = None) -> ProviderProfile:
    """Return the retrieval limits for a kind of provider, reduced if the context window is small."""
    found = _PROFILES.get(kind, BASELINE)
    if context_tokens is None:
        return found
    most = min(found.max_tokens, context_tokens // 10)
    if context_tokens <= SMALL_WINDOW_TOKENS:
        most = min(most, SMALL_BUDGET_TOKENS)
    return found.model_copy(update={"max_tokens": most})
