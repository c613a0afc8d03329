"""Prices and windows of models, from the table shipped with genai-prices; nothing is downloaded."""

from typing import NamedTuple

from genai_prices import Usage as Tokens
from genai_prices import calc_price
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo as TableModel
from genai_prices.types import PriceCalculation

from conductor.domain.chat.messages import ProviderKind, Usage

SAMPLE = 1_000
"""Tokens of a sample calculation, few enough to stay below the price tiers for long prompts."""
_MAKERS = {"anthropic": "anthropic", "openai": "openai", "google": "google", "gemini": "google"}
_OWN_TABLE = frozenset({"anthropic", "openai", "google", "openrouter"})


class Price(NamedTuple):
    """Price in dollars per million tokens."""

    input_usd_per_mtok: float
    output_usd_per_mtok: float

    def of(self, usage: Usage) -> float:
        """Return the maximum cost of the tokens in dollars, without the discount for cached tokens."""
        into = usage.input_tokens * self.input_usd_per_mtok
        return (into + usage.output_tokens * self.output_usd_per_mtok) / 1_000_000


def cost(kind: ProviderKind, model: str, usage: Usage, listed: Price | None = None) -> float | None:
    """Return the cost of a request in dollars, or None if no price of the model is known."""
    tokens = Tokens(
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    found = _calculate(kind, model, tokens)
    if found is not None:
        return float(found.total_price)
    return listed.of(usage) if listed else None


def price(kind: ProviderKind, model: str) -> Price | None:
    """Return a model's price today, for prompts of usual length."""
    into = _calculate(kind, model, Tokens(input_tokens=SAMPLE))
    out = _calculate(kind, model, Tokens(output_tokens=SAMPLE))
    if into is None or out is None:
        return None
    scale = 1_000_000 / SAMPLE
    return Price(float(into.total_price) * scale, float(out.total_price) * scale)


def window(kind: ProviderKind, model: str) -> int | None:
    """Return the size of a model's context window in tokens, or None if it is not known."""
    found = table_model(kind, model)
    return found.context_window if found else None


def table_model(kind: ProviderKind, model: str) -> TableModel | None:
    """Return the row of a model in the price table, or None if the table does not have it."""
    found = _calculate(kind, model, Tokens(input_tokens=SAMPLE))
    return found.model if found else None


def known_models(kind: ProviderKind) -> list[str]:
    """Return a provider's models in the table that are not deprecated."""
    rows = next((each.models for each in get_snapshot().providers if each.id == kind), [])
    return [row.id for row in rows if not row.deprecated]


def _calculate(kind: ProviderKind, model: str, tokens: Tokens) -> PriceCalculation | None:
    """Calculate a price at the provider, or behind a proxy at the maker named in the model's prefix."""
    maker, slash, rest = model.partition("/")
    if kind in _OWN_TABLE:
        provider, name = str(kind), model
    elif slash and maker in _MAKERS:
        provider, name = _MAKERS[maker], rest
    else:
        return None
    try:
        return calc_price(tokens, name, provider_id=provider)
    except (LookupError, ValueError):
        return None
