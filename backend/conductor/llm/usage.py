"""Computes the tokens and the cost of a request.

A cost that the provider reports takes precedence over the price table.
"""

from collections.abc import Mapping
from math import inf

from pydantic_ai.messages import ModelResponse

from conductor.domain.chat.messages import ProviderKind, Usage
from conductor.llm import prices

MAX_PLAUSIBLE_TOKENS = 1_000_000_000
COST_HEADER = "x-litellm-response-cost"


def build_usage(
    kind: ProviderKind,
    model: str,
    response: ModelResponse,
    headers: Mapping[str, str],
    listed_price: prices.ModelPrice | None,
) -> Usage:
    """Return the tokens and the cost of an answer, which may be incomplete.

    `listed_price`, from the provider's own list, is used for a model that the price table lacks.
    """
    reported = response.usage
    usage = Usage(
        requests=1,
        input_tokens=_limit_token_count(reported.input_tokens),
        cache_read_tokens=_limit_token_count(reported.cache_read_tokens),
        cache_write_tokens=_limit_token_count(reported.cache_write_tokens),
        output_tokens=_limit_token_count(reported.output_tokens),
    )
    reported_cost = _read_reported_cost(response, headers)
    if reported_cost is not None:
        return usage.model_copy(update={"cost_usd": reported_cost, "cost_from": "provider"})
    table_cost = (
        prices.compute_request_cost(kind, model, usage, listed_price)
        if reported.has_values()
        else None
    )
    return usage.model_copy(
        update={"cost_usd": table_cost, "cost_from": None if table_cost is None else "prices"}
    )


def _limit_token_count(count: int) -> int:
    """Return the token count within plausible limits, because a self-hosted server may report any number."""
    return min(max(count, 0), MAX_PLAUSIBLE_TOKENS)


def _read_reported_cost(response: ModelResponse, headers: Mapping[str, str]) -> float | None:
    details = response.provider_details or {}
    for value in (details.get("cost"), headers.get(COST_HEADER)):
        try:
            if value is not None and 0 < (cost := float(value)) < inf:
                return cost
        except (TypeError, ValueError):
            continue
    return None
