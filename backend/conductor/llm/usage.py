"""Computes the usage and cost of a request. The cost reported by the provider takes precedence over the price
table.
"""

from collections.abc import Mapping
from math import inf

from pydantic_ai.messages import ModelResponse

from conductor.domain.chat.messages import ProviderKind, Usage
from conductor.llm import prices

MOST_TOKENS = 1_000_000_000
COST_HEADER = "x-litellm-response-cost"


def usage_of(
    kind: ProviderKind,
    model: str,
    response: ModelResponse,
    headers: Mapping[str, str],
    listed: prices.Price | None,
) -> Usage:
    """Return the tokens and the cost of an answer, complete or not.

    `listed` is the price in the provider's own list, for models that the table does not know.
    """
    came = response.usage
    used = Usage(
        requests=1,
        input_tokens=_tokens(came.input_tokens),
        cache_read_tokens=_tokens(came.cache_read_tokens),
        cache_write_tokens=_tokens(came.cache_write_tokens),
        output_tokens=_tokens(came.output_tokens),
    )
    told = _reported_cost(response, headers)
    if told is not None:
        return used.model_copy(update={"cost_usd": told, "cost_from": "provider"})
    known = prices.cost(kind, model, used, listed) if came.has_values() else None
    return used.model_copy(
        update={"cost_usd": known, "cost_from": None if known is None else "prices"}
    )


def _tokens(told: int) -> int:
    """Return a plausible token count, because self-hosted servers may report anything."""
    return min(max(told, 0), MOST_TOKENS)


def _reported_cost(response: ModelResponse, headers: Mapping[str, str]) -> float | None:
    details = response.provider_details or {}
    for told in (details.get("cost"), headers.get(COST_HEADER)):
        try:
            if told is not None and 0 < (cost := float(told)) < inf:
                return cost
        except (TypeError, ValueError):
            continue
    return None
