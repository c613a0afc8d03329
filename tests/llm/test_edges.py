"""What providers really send beside the usual: caches, strange streams, breaks, and what they refuse."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing
from typing import cast

import pytest
from tests.llm.asking import (
    KINDS,
    MODELS,
    ask,
    calls,
    done,
    failed,
    request,
    retries,
    talk,
    text_of,
    usage,
)
from tests.llm.turns import first, last
from tests.support.edge_llm import (
    EdgeServer,
    Reply,
    as_json,
    chat,
    chat_call,
    claude,
    claude_call,
    claude_text,
    edge_server,
    error,
    event,
    gemini,
    sse,
)

from conductor.domain.chat.messages import (
    ProviderKind,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallEnd,
    ToolCallStart,
)
from conductor.llm.provider import Provider


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def without_end(kind: ProviderKind) -> list[bytes]:
    """Return an answer's stream up to all of its text."""
    if kind == "google":
        return [event(each) for each in gemini({"text": "Half"}, stop=None)]
    whole = list(last(kind).chunks)
    return {"anthropic": whole[:-3], "openai": whole[:-2]}.get(kind, whole[:1])


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def test_cached_tokens_are_told_and_priced_as_such(edge: EdgeServer) -> None:
    events = claude(
        claude_text("Hi."),
        input_tokens=100,
        cache_read_input_tokens=2_000,
        cache_creation_input_tokens=300,
    )
    edge.reply(sse(*events))
    told = usage(ask("anthropic", edge.url, request("anthropic", "hello")))

    assert (told.input_tokens, told.cache_read_tokens, told.cache_write_tokens) == (2400, 2000, 300)
    # Per million: input $2, read $0.10, write $2.50, output $10.
    expected = (100 * 2 + 2_000 * 0.1 + 300 * 2.5 + 20 * 10) / 1_000_000
    assert told.cost_usd == pytest.approx(expected)


def test_numbers_of_tokens_that_cannot_be_are_none(edge: EdgeServer) -> None:
    told = {"prompt_tokens": 2**63, "completion_tokens": 1, "total_tokens": 2**63, "cost": 1e999}
    edge.reply(sse(*chat({"content": "Hi."}, usage=told)))
    used = usage(ask("openrouter", edge.url, request("openrouter", "hello")))

    assert used.input_tokens == 1_000_000_000
    assert used.cost_usd is None or used.cost_usd < 1e9


def test_an_error_event_after_text_keeps_the_text(edge: EdgeServer) -> None:
    whole = claude(claude_text("Half of"))
    edge.reply(sse(*whole[:3], OVERLOADED))
    events = ask("anthropic", edge.url, request("anthropic", "hello"))

    assert failed(events).failure.kind == "overloaded"
    assert [part.text for part in failed(events).parts if isinstance(part, TextPart)] == ["Half of"]
    assert len(edge.asked) == 1


def test_an_error_event_before_any_text_is_tried_again(edge: EdgeServer) -> None:
    edge.reply(sse(claude()[0], OVERLOADED), last("anthropic"))
    events = ask("anthropic", edge.url, request("anthropic", "hello"))

    assert len(retries(events)) == 1
    assert done(events).stop == "end"


def test_a_proxy_s_error_in_the_stream_fails_in_words(edge: EdgeServer) -> None:
    broken = {"error": {"message": "upstream went away", "type": "server_error", "code": "500"}}
    edge.reply(sse(*chat({"role": "assistant", "content": "Half"}, stop=None)[:1], broken))
    events = ask("litellm", edge.url, request("litellm", "hello"))

    assert failed(events).failure.kind == "internal"
    assert "upstream went away" in failed(events).failure.message
    assert text_of(events) == "Half"


@pytest.mark.parametrize("kind", ["anthropic", "openai", "google", "openrouter", "litellm"])
def test_a_stream_that_just_ends_is_no_answer(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(Reply(without_end(kind)))
    events = ask(kind, edge.url, request(kind, "hello"))

    assert failed(events).failure.kind == "network"
    assert failed(events).parts


@pytest.mark.parametrize("kind", KINDS)
def test_a_connection_that_is_cut_keeps_what_came(edge: EdgeServer, kind: ProviderKind) -> None:
    edge.reply(Reply(without_end(kind), then="cut"))
    events = ask(kind, edge.url, request(kind, "hello"))

    assert len(edge.asked) == 1
    assert text_of(events)


@pytest.mark.parametrize("kind", ["anthropic", "openai", "openrouter", "litellm"])
def test_a_call_of_an_answer_that_just_ends_never_ends_itself(
    edge: EdgeServer, kind: ProviderKind
) -> None:
    whole = list(first(kind).chunks)
    edge.reply(Reply({"anthropic": whole[:-2], "openai": whole[:-1]}.get(kind, whole[:-2])))
    events = ask(kind, edge.url, request(kind, "map pad 36"))

    assert failed(events).failure.kind == "network"
    assert any(isinstance(each, ToolCallStart) for each in events)
    assert not any(isinstance(each, ToolCallEnd) for each in events)
    assert calls(failed(events).parts) == []


def test_pings_unknown_events_odd_line_ends_and_split_letters_do_no_harm(edge: EdgeServer) -> None:
    whole = claude(claude_text("Grüße ", "an alle 🎹"))
    with_more = [whole[0], {"type": "ping"}, {"type": "from_the_future", "x": 1}, *whole[1:]]
    raw = b"".join(event(each) for each in with_more).replace(b"\n", b"\r\n")
    edge.reply(Reply([raw[at : at + 7] for at in range(0, len(raw), 7)]))
    events = ask("anthropic", edge.url, request("anthropic", "hello"))

    assert text_of(events) == "Grüße an alle 🎹"


def test_claude_s_bad_arguments_are_kept_as_they_came(edge: EdgeServer) -> None:
    call = claude_call("conductor_create_mapping", '{"mode": "Def', 'ault", ')
    edge.reply(sse(*claude(call, stop="tool_use")))
    (made,) = calls(done(ask("anthropic", edge.url, request("anthropic", "map"))).parts)

    assert made.malformed == '{"mode": "Default", '
    assert made.arguments == {}


def test_pieces_of_two_calls_may_come_mixed(edge: EdgeServer) -> None:
    deltas = [
        chat_call(0, "conductor_get_config", '{"a"', "id-0"),
        chat_call(1, "conductor_create_mapping", '{"b"', "id-1"),
        chat_call(0, None, ":1}", None),
        chat_call(1, None, ":2}", None),
    ]
    edge.reply(sse(*chat(*deltas, stop="tool_calls")))
    made = calls(done(ask("custom", edge.url, request("custom", "map"))).parts)

    assert [call.arguments for call in made] == [{"a": 1}, {"b": 2}]


def test_a_server_of_one_s_own_may_say_nothing_of_usage_or_the_end(edge: EdgeServer) -> None:
    edge.reply(sse(*chat({"role": "assistant", "content": "Hi."}, stop=None)))
    events = ask("custom", edge.url, request("custom", "hello"))

    assert done(events).stop == "end"
    assert usage(events).cost_usd is None


@pytest.mark.parametrize("kind", ["openrouter", "litellm", "custom"])
def test_who_one_is_at_openai_is_told_to_nobody_else(
    edge: EdgeServer, kind: ProviderKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-mine")
    edge.reply(sse(*chat({"role": "assistant", "content": "Hi."})))
    ask(kind, edge.url, request(kind, "hello"))
    assert "of-mine" not in str(edge.asked[-1].headers)


def test_openrouter_s_own_word_for_the_cost_counts(edge: EdgeServer) -> None:
    used = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12, "cost": 0.0123}
    edge.reply(sse(*chat({"role": "assistant", "content": "Hi."}, usage=used)))
    told = usage(ask("openrouter", edge.url, request("openrouter", "hello")))

    assert (told.cost_usd, told.cost_from) == (0.0123, "provider")


def test_litellm_s_header_for_the_cost_counts(edge: EdgeServer) -> None:
    used = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    chunks = chat({"role": "assistant", "content": "Hi."}, usage=used)
    edge.reply(sse(*chunks, headers={"x-litellm-response-cost": "0.0007"}))
    told = usage(ask("litellm", edge.url, request("litellm", "hello")))

    assert (told.cost_usd, told.cost_from) == (0.0007, "provider")


@pytest.mark.parametrize("how", ["close", "cancel"])
@pytest.mark.parametrize("kind", KINDS)
def test_who_stops_listening_ends_the_connection(
    edge: EdgeServer, kind: ProviderKind, how: str
) -> None:
    edge.reply(Reply(without_end(kind), then="hold"))

    async def hear_a_word(provider: Provider) -> bool:
        events = cast("AsyncGenerator[StreamEvent]", provider.stream_answer(request(kind, "hello")))
        if how == "close":
            async with aclosing(events):
                await _until_text(events)
        else:
            heard = asyncio.Event()
            listening = asyncio.create_task(_listen(events, heard))
            await asyncio.wait_for(heard.wait(), 20)
            listening.cancel()
            await asyncio.wait([listening])
        return await asyncio.to_thread(edge.left.wait, 10)

    assert talk(kind, edge.url, hear_a_word)


async def _until_text(events: AsyncGenerator[StreamEvent]) -> None:
    async for each in events:
        if isinstance(each, TextDelta):
            return


async def _listen(events: AsyncGenerator[StreamEvent], heard: asyncio.Event) -> None:
    async for each in events:
        if isinstance(each, TextDelta):
            heard.set()


def test_a_model_that_turns_out_to_have_no_tools_is_told_them_in_words(edge: EdgeServer) -> None:
    edge.reply(error(400, "registry.ollama.ai/library/gemma does not support tools"))
    edge.reply(last("custom"), last("custom"))

    async def ask_twice(provider: Provider) -> list[bool]:
        for _ in range(2):
            told = [each async for each in provider.stream_answer(request("custom", "map pad 36"))]
            assert done(told).stop == "end"
        return [provider.get_capabilities(MODELS["custom"]).tools]

    assert talk("custom", edge.url, ask_twice) == [False]
    with_tools, without, second = [asked.body for asked in edge.asked]
    assert with_tools["tools"]
    assert "tools" not in without
    assert "conductor_create_mapping" in str(without["messages"])
    assert without["messages"] == second["messages"]


def test_a_model_that_refuses_a_temperature_is_asked_without(edge: EdgeServer) -> None:
    edge.reply(error(400, "Unsupported parameter: 'temperature'"), last("custom"))
    events = ask("custom", edge.url, request("custom", "hello", temperature=0.2))

    assert done(events).stop == "end"
    assert [("temperature" in asked.body) for asked in edge.asked] == [True, False]


@pytest.mark.parametrize("kind", KINDS)
def test_a_temperature_goes_only_to_models_that_take_one(
    edge: EdgeServer, kind: ProviderKind
) -> None:
    edge.reply(last(kind))
    ask(kind, edge.url, request(kind, "hello"), temperature=0.2)

    assert ("temperature" in str(edge.asked[0].body)) == (kind in ("google", "custom"))


def test_what_stays_the_same_is_marked_for_claude_s_cache(edge: EdgeServer) -> None:
    edge.reply(last("anthropic"), last("anthropic"))
    for volatile in ("pad 36 was just hit", "pad 37 was just hit"):
        ask("anthropic", edge.url, request("anthropic", "hello", volatile=volatile))
    one, two = [asked.body for asked in edge.asked]

    assert one["system"][-1]["cache_control"]["type"] == "ephemeral"
    assert one["tools"][-1]["cache_control"]["type"] == "ephemeral"
    assert (one["system"], one["tools"]) == (two["system"], two["tools"])
    assert one["messages"][-1]["content"][-1]["text"] == "pad 36 was just hit"


def test_a_429_with_its_wait_in_the_body_is_waited_for(edge: EdgeServer) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "9s"}]
    told = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow down", "details": details}
    edge.reply(as_json({"error": told}, status=429), last("google"))
    events = ask("google", edge.url, request("google", "hello"))

    assert [each.wait_s for each in retries(events)] == [9]


def test_what_the_provider_says_not_to_try_again_is_not(edge: EdgeServer) -> None:
    edge.reply(error(429, "not for you", **{"x-should-retry": "false"}))
    events = ask("openai", edge.url, request("openai", "hello"))

    assert failed(events).failure.kind == "rate_limit"
    assert retries(events) == []
