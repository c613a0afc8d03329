"""Looks up prices and context windows of models in the table of the genai-prices package, without a
download.
"""

from typing import NamedTuple

from genai_prices import Usage as Tokens
from genai_prices import calc_price
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo as TableModel
from genai_prices.types import PriceCalculation

from conductor.domain.chat.messages import ProviderKind, Usage

SAMPLE_TOKEN_COUNT = 1_000
"""The number of tokens for which a price is calculated.

It is small, because some models cost more per token for long prompts.
"""
_PROVIDER_BY_PREFIX = {
    "anthropic": "anthropic",
    "openai": "openai",
    "google": "google",
    "gemini": "google",
}
_KINDS_WITH_PRICE_TABLE = frozenset({"anthropic", "openai", "google", "openrouter"})


class ModelPrice(NamedTuple):
    """The price of a model for input and output, each in US dollars per million tokens."""

    input_usd_per_mtok: float
    output_usd_per_mtok: float

    def compute_cost(self, usage: Usage) -> float:
        """Return the cost of a request in US dollars.

        Discounts for cached tokens are ignored, so this is an upper limit.
        """
        input_cost = usage.input_tokens * self.input_usd_per_mtok
        return (input_cost + usage.output_tokens * self.output_usd_per_mtok) / 1_000_000


def compute_request_cost(
    kind: ProviderKind, model: str, usage: Usage, listed_price: ModelPrice | None = None
) -> float | None:
    """Return the cost of a request in US dollars, or None if the price of the model is unknown.

    `listed_price`, from the provider's own list, is used if the price table lacks the model.
    """
    tokens = Tokens(
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    found = _calculate_price(kind, model, tokens)
    if found is not None:
        return float(found.total_price)
    return listed_price.compute_cost(usage) if listed_price else None


def find_model_price(kind: ProviderKind, model: str) -> ModelPrice | None:
    """Return the current price of a model for prompts of usual length, or None if the table lacks the model."""
    input_price = _calculate_price(kind, model, Tokens(input_tokens=SAMPLE_TOKEN_COUNT))
    output_price = _calculate_price(kind, model, Tokens(output_tokens=SAMPLE_TOKEN_COUNT))
    if input_price is None or output_price is None:
        return None
    scale = 1_000_000 / SAMPLE_TOKEN_COUNT
    return ModelPrice(
        float(input_price.total_price) * scale, float(output_price.total_price) * scale
    )


def find_context_window(kind: ProviderKind, model: str) -> int | None:
    """Return the context window of a model in tokens, or None if the table lacks the model."""
    found = find_price_table_row(kind, model)
    return found.context_window if found else None


def find_price_table_row(kind: ProviderKind, model: str) -> TableModel | None:
    """Return the row of a model in the price table, or None if the table lacks the model."""
    found = _calculate_price(kind, model, Tokens(input_tokens=SAMPLE_TOKEN_COUNT))
    return found.model if found else None


def list_known_models(kind: ProviderKind) -> list[str]:
    """Return the names of the provider's models in the price table, except deprecated ones."""
    rows = next((each.models for each in get_snapshot().providers if each.id == kind), [])
    return [row.id for row in rows if not row.deprecated]


def _calculate_price(kind: ProviderKind, model: str, tokens: Tokens) -> PriceCalculation | None:
    """Calculate the price of a request, or return None if the table lacks the model.

    A proxy is not in the table. Its models are looked up by the prefix that names their maker, such as
    `anthropic/`.
    """
    prefix, slash, suffix = model.partition("/")
    if kind in _KINDS_WITH_PRICE_TABLE:
        provider, name = str(kind), model
    elif slash and prefix in _PROVIDER_BY_PREFIX:
        provider, name = _PROVIDER_BY_PREFIX[prefix], suffix
    else:
        return None
    try:
        return calc_price(tokens, name, provider_id=provider)
    except (LookupError, ValueError):
        return None
