"""How much is looked up for whose models: what they know by themselves differs. Best guesses."""

from conductor.domain.knowledge import ProviderProfile

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
    """Give the profile of a kind of provider; with a small window less goes in."""
    found = _PROFILES.get(kind, BASELINE)
    if context_tokens is None:
        return found
    most = min(found.max_tokens, context_tokens // 10)
    if context_tokens <= SMALL_WINDOW_TOKENS:
        most = min(most, SMALL_BUDGET_TOKENS)
    return found.model_copy(update={"max_tokens": most})
