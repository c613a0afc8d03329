"""The limit of requests per minute: what is over it waits or fails with what to do, and is not sent."""

import asyncio
from collections.abc import Generator

import pytest
from tests.llm.asking import KEY, MODELS, Waits, gather, request, retries, text_of
from tests.llm.turns import last
from tests.support.edge_llm import EdgeServer, edge_server

from conductor.domain.chat.messages import Failed, StreamEvent
from conductor.domain.settings import LlmProvider, LlmSettings
from conductor.llm.options import ClientOptions
from conductor.llm.registry import build_provider_row
from conductor.llm.request_limit import RequestLimit, find_requests_per_minute
from conductor.llm.service import Providers


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def ask_times(
    times: int, edge: EdgeServer, per_minute: int, waits: Waits
) -> list[list[StreamEvent]]:
    """Make requests one after another, and open the provider again before each."""
    row = LlmProvider(
        kind="custom", base_url=edge.url, model=MODELS["custom"], requests_per_minute=per_minute
    )
    known = LlmSettings(providers={"lab": row})
    edge.reply(*[last("custom") for _ in range(times)])

    async def run() -> list[list[StreamEvent]]:
        providers = Providers(lambda: known, lambda _name, _row: KEY, ClientOptions(waits))
        answers = []
        for _ in range(times):
            provider = providers.get_provider("lab")
            answers.append(await gather(provider.stream_answer(request("custom", "hello"))))
            providers.clear()
        await providers.close()
        return answers

    return asyncio.run(run())


def test_a_request_over_the_limit_is_not_sent_and_says_what_to_do(edge: EdgeServer) -> None:
    waits = Waits()
    first, second, third = ask_times(3, edge, 2, waits)

    assert text_of(first) == text_of(second) != ""
    (retry,) = retries(third)
    assert 0 < retry.wait_s <= 30
    assert waits.seconds == [retry.wait_s]
    assert isinstance(third[-1], Failed)  # the clock stood still while it "waited"
    failure = third[-1].failure
    assert failure.kind == "rate_limit"
    assert "at most 2 requests per minute" in failure.message
    assert "`llm.providers.lab.requests_per_minute`" in failure.message
    assert len(edge.asked) == 2


def test_a_short_wait_is_waited_for_and_then_the_request_is_sent() -> None:
    at = [0.0]

    async def wait(seconds: float) -> None:
        at[0] += seconds

    limit = RequestLimit("Lab", "lab", 60, lambda: at[0])

    async def run() -> list[list[StreamEvent]]:
        return [[event async for event in limit.wait_for_request(wait)] for _ in range(62)]

    *burst, one_more, another = asyncio.run(run())
    assert not any(burst)
    assert [len(one_more), len(another)] == [1, 1]
    assert at[0] == pytest.approx(2)


@pytest.mark.parametrize(
    ("name", "settings", "expected"),
    [
        ("anthropic", LlmProvider(), 60),
        ("anthropic", LlmProvider(requests_per_minute=5), 5),
        ("litellm", LlmProvider(), None),
        ("lab", LlmProvider(base_url="http://192.168.1.20:8000/v1", requests_per_minute=3), 3),
        ("lab", LlmProvider(base_url="https://models.example.com/v1"), 60),
    ],
)
def test_only_a_server_in_the_local_network_has_no_limit_by_default(
    name: str, settings: LlmProvider, expected: int | None
) -> None:
    assert find_requests_per_minute(build_provider_row(name, settings, KEY), settings) == expected
