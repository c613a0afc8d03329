"""Through a real LiteLLM proxy, which asks the simulator over two wires. `make test-litellm` runs this."""

from typing import Any

import pytest
from tests.llm.asking import (
    WISH,
    answer,
    ask,
    calls,
    done,
    failed,
    request,
    result_of,
    talk,
    text_of,
    usage,
    user,
)
from tests.support.litellm_proxy import KEY, START_WITHIN_S, Proxy

from conductor.domain.chat.messages import (
    ChatRequest,
    ModelInfo,
    ProviderHealth,
    StreamEvent,
    TextPart,
)
from conductor.llm.provider import Provider

pytestmark = [
    pytest.mark.litellm,
    pytest.mark.timeout(START_WITHIN_S + 60),
    pytest.mark.parametrize("model", ["claude", "gpt"]),
]


@pytest.fixture(name="proxy")
def clean_proxy(proxy: Proxy) -> Proxy:
    proxy.behind.reset()
    return proxy


def ask_proxy(proxy: Proxy, asked: ChatRequest) -> list[StreamEvent]:
    return ask("litellm", proxy.url, asked, key=KEY, model=asked.model)


def test_text_comes_through_with_its_usage(proxy: Proxy, model: str) -> None:
    events = ask_proxy(proxy, request("litellm", "say hello", model=model))

    assert text_of(events) == "Hello! I can map your pads, keys and faders."
    assert (usage(events).input_tokens, usage(events).output_tokens) == (1200, 12)


def test_calls_and_their_results_come_through(proxy: Proxy, model: str) -> None:
    said = user(WISH)
    first = done(ask_proxy(proxy, request("litellm", said, model=model)))
    results = [result_of(call) for call in calls(first.parts)]
    events = ask_proxy(proxy, request("litellm", said, answer(*first.parts, *results), model=model))

    assert first.stop == "tool_calls"
    assert len(results) == 2
    assert "prepared a mapping" in text_of(events)


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("a wrong key", {"auth"}),
        ("a long story", {"context_overflow"}),
        ("overloaded", {"overloaded", "internal"}),
        ("a fault", {"internal"}),
    ],
)
def test_what_fails_behind_the_proxy_fails_in_words(
    proxy: Proxy, model: str, said: str, kinds: set[str]
) -> None:
    failure = failed(ask_proxy(proxy, request("litellm", said, model=model))).failure

    assert failure.kind in kinds, failure
    assert KEY not in failure.message


def test_a_break_behind_the_proxy_keeps_what_came(proxy: Proxy, model: str) -> None:
    last = failed(ask_proxy(proxy, request("litellm", "break in the middle", model=model)))

    assert last.failure.kind in ("network", "internal"), last.failure
    kept = [part.text for part in last.parts if isinstance(part, TextPart)]
    assert kept
    assert kept[0].startswith("The first")


def test_the_proxy_reports_its_models_and_that_it_is_running(proxy: Proxy, model: str) -> None:
    async def look(provider: Provider) -> tuple[ProviderHealth, list[ModelInfo]]:
        return await provider.test_connection(), await provider.list_models()

    health, models = talk("litellm", proxy.url, look, key=KEY, model=model)
    assert health.ok, health
    assert {one.model for one in models} == {"claude", "gpt"}


def test_after_listing_the_proxy_s_price_makes_the_cost(proxy: Proxy, model: str) -> None:
    asked = request("litellm", "say hello", model=model)

    async def list_and_ask(provider: Provider) -> Any:
        await provider.list_models()
        return usage([event async for event in provider.stream_answer(asked)])

    told = talk("litellm", proxy.url, list_and_ask, key=KEY, model=model)
    assert told.cost_usd is not None
    assert told.cost_usd > 0


def test_a_wrong_key_for_the_proxy_itself_is_told(proxy: Proxy, model: str) -> None:
    events = ask("litellm", proxy.url, request("litellm", "say hello", model=model), key="sk-wrong")

    assert failed(events).failure.kind == "auth", failed(events).failure.message
