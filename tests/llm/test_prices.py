"""Prices and windows of the shipped table, and that every default model is in it and stays."""

import pytest

from conductor.domain.chat.messages import Usage
from conductor.llm import prices
from conductor.llm.registry import DEFAULTS_BY_PROVIDER_KIND, ProviderDefaults

WITH_MODELS = [kind for kind in DEFAULTS_BY_PROVIDER_KIND.values() if kind.model]


@pytest.mark.parametrize("kind", WITH_MODELS, ids=lambda kind: kind.kind)
def test_every_default_model_is_known_and_stays(kind: ProviderDefaults) -> None:
    row = prices.find_price_table_row(kind.kind, kind.model)

    assert row is not None
    assert not row.deprecated
    assert (prices.find_context_window(kind.kind, kind.model) or 0) >= 1_000_000


def test_what_is_read_from_the_cache_costs_less() -> None:
    all_new = prices.compute_request_cost(
        "anthropic", "claude-sonnet-5-5", Usage(input_tokens=10_000)
    )
    cached = Usage(input_tokens=10_000, cache_read_tokens=9_000)
    mostly_read = prices.compute_request_cost("anthropic", "claude-sonnet-5-5", cached)

    assert all_new == pytest.approx(0.02)
    assert mostly_read == pytest.approx(0.0029)


def test_behind_a_proxy_the_maker_s_price_counts() -> None:
    usage = Usage(input_tokens=1_000_000)
    direct = prices.compute_request_cost("anthropic", "claude-sonnet-5-5", usage)

    assert prices.compute_request_cost("litellm", "anthropic/claude-sonnet-5-5", usage) == direct
    assert prices.compute_request_cost("litellm", "my-alias", usage) is None
    assert prices.compute_request_cost("custom", "qwen4:8b", usage) is None


def test_a_model_that_nobody_knows_has_no_price_and_no_window() -> None:
    assert prices.find_model_price("openai", "gpt-99-nova") is None
    assert prices.find_context_window("openai", "gpt-99-nova") is None


def test_models_on_their_way_out_are_not_offered() -> None:
    google = prices.list_known_models("google")

    assert "gemini-3.8-flash" in google
    assert "gemini-3-pro-preview" not in google
