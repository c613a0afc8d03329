"""What goes wrong in odd places is still told in words: pages instead of answers, names nobody takes."""

import asyncio
from collections.abc import Generator

import pytest
from tests.llm.asking import KINDS, ask, failed, request, talk, text_of
from tests.llm.turns import BYE, last
from tests.support.edge_llm import EdgeServer, Reply, edge_server

from conductor.domain.chat.messages import ProviderKind, StreamEvent
from conductor.llm.failures import FailureContext
from conductor.llm.provider import Provider

PAGE = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_with_an_error_is_not_read_out(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(*[Reply([PAGE], status=502, content_type="text/html") for _ in range(4)])
    events = ask(kind, edge.url, request(kind, "hello"))

    assert failed(events).failure.kind == "internal"
    assert "<" not in failed(events).failure.message


def test_a_model_s_name_that_openrouter_never_has_is_a_failure(edge: EdgeServer) -> None:
    asked = request("openrouter", "hello", model="no-maker")
    events = ask("openrouter", edge.url, asked)

    assert failed(events).failure.kind == "model_not_found"
    assert edge.asked == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_event_may_be_waited_for_in_a_task_of_its_own(
    edge: EdgeServer, kind: ProviderKind
) -> None:
    edge.reply(last(kind))

    async def listen(provider: Provider) -> list[StreamEvent]:
        events, heard = provider.stream_answer(request(kind, "hello")), list[StreamEvent]()
        while True:
            try:
                heard.append(await asyncio.wait_for(anext(events), 20))
            except StopAsyncIteration:
                return heard

    assert text_of(talk(kind, edge.url, listen)) == BYE


def test_an_exception_that_nobody_foresaw_has_words_and_no_key() -> None:
    place = FailureContext("Lab", "qwen", "http://127.0.0.1:1/v1", "hunter2", "custom")
    failure = place.convert_error(
        RuntimeError("hunter2 is not the password; sk-proj-abcdefgh12345678")
    )

    assert failure.kind == "internal"
    assert "hunter2" not in failure.message
    assert "abcdefgh" not in failure.message
    assert "Lab had an internal error" in failure.message


def test_a_long_error_is_cut() -> None:
    place = FailureContext("Lab", "qwen", "http://127.0.0.1:1/v1", None, "custom")

    assert len(place.convert_error(RuntimeError("x" * 5_000)).message) < 500


def test_a_refusal_without_a_key_says_that_none_was_given() -> None:
    place = FailureContext("Lab", "qwen", "http://127.0.0.1:1/v1", None, "custom")
    failure = place.build_failure("auth")
    assert failure.kind == "no_key"
    assert "none is set" in failure.message
    assert "refused" not in failure.message
