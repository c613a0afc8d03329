"""What every provider does, whichever wire it speaks: the same conversation over all six."""

import asyncio
import json
import re
from contextlib import aclosing

import pytest
from tests.llm.asking import (
    KINDS,
    MODELS,
    WISH,
    Waits,
    answer,
    ask,
    calls,
    done,
    failed,
    request,
    result_of,
    retries,
    talk,
    text_of,
    usage,
    user,
)
from tests.support.llm_server import LlmServer

from conductor.domain.chat.messages import (
    ProviderKind,
    StreamEvent,
    TextDelta,
    TextPart,
    ThinkingDelta,
    ThinkingPart,
    ToolArgumentsDelta,
    ToolCallEnd,
    ToolCallStart,
)
from conductor.llm.provider import Provider

pytestmark = [
    pytest.mark.parametrize("kind", KINDS),
    # The simulator ends Gemini's calls with a reason that Gemini does not have.
    pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason"),
]
MAPPING = {
    "mode": "Default",
    "trigger": {"type": "Note", "note": 36},
    "action": {"type": "Keystroke", "keys": ["cmd", "c"]},
}


def test_text_streams_in_pieces_and_ends_whole(server: LlmServer, kind: ProviderKind) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "say hello"))

    pieces = [event for event in events if isinstance(event, TextDelta)]
    texts = [part.text for part in done(events).parts if isinstance(part, TextPart)]
    assert len(pieces) > 2
    assert texts == [text_of(events)] == ["Hello! I can map your pads, keys and faders."]
    assert done(events).stop == "end"


def test_usage_and_cost_are_told(server: LlmServer, kind: ProviderKind) -> None:
    told = usage(ask(kind, server.base_url(kind), request(kind, "say hello")))

    assert (told.requests, told.input_tokens, told.output_tokens) == (1, 1200, 12)
    if kind == "custom":
        assert told.cost_usd is None
    else:
        assert told.cost_from == "prices"
        assert 0.0005 < told.cost_usd < 0.01


def test_calls_in_parallel_come_complete_and_with_ids_of_ours(
    server: LlmServer, kind: ProviderKind
) -> None:
    events = ask(kind, server.base_url(kind), request(kind, WISH))

    made = calls(done(events).parts)
    assert done(events).stop == "tool_calls"
    assert [(call.tool, call.arguments) for call in made] == [
        ("conductor_get_config", {}),
        ("conductor_create_mapping", MAPPING),
    ]
    assert all(re.fullmatch(r"call_[0-9a-f]{24}", call.call_id) for call in made)
    assert [event.call for event in events if isinstance(event, ToolCallEnd)] == made
    started = [event.call_id for event in events if isinstance(event, ToolCallStart)]
    assert started == [call.call_id for call in made]
    assert json.loads(arguments_of(events, made[1].call_id)) == MAPPING


def test_a_call_ends_after_all_its_arguments(server: LlmServer, kind: ProviderKind) -> None:
    events = ask(kind, server.base_url(kind), request(kind, WISH))

    kinds = [type(event) for event in events]
    last_piece = max(at for at, each in enumerate(kinds) if each is ToolArgumentsDelta)
    assert kinds.index(ToolCallEnd) > last_piece


def test_results_go_back_and_the_answer_goes_on(server: LlmServer, kind: ProviderKind) -> None:
    url = server.base_url(kind)
    said = user(WISH)
    parts = done(ask(kind, url, request(kind, said))).parts
    results = [result_of(call, f'{{"of":"{call.tool}"}}') for call in calls(parts)]
    events = ask(kind, url, request(kind, said, answer(*parts, *results)))

    assert "prepared a mapping" in text_of(events)
    told = [one for one in server.bodies()[-1]["messages"] if one["role"] == "tool"]
    assert len(told) == 2
    for one, tool in zip(told, ("conductor_get_config", "conductor_create_mapping"), strict=True):
        assert f'"of":"{tool}"' in json.dumps(one["content"]).replace("\\", "")


def test_thinking_streams_apart_from_the_text(server: LlmServer, kind: ProviderKind) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "think about it"))

    thought = "".join(event.text for event in events if isinstance(event, ThinkingDelta))
    assert thought == "Six times seven."
    assert text_of(events) == "42."
    parts = done(events).parts
    assert [part.text for part in parts if isinstance(part, ThinkingPart)] == ["Six times seven."]


def test_an_answer_may_call_before_it_speaks(server: LlmServer, kind: ProviderKind) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "call before you speak"))

    assert [call.tool for call in calls(done(events).parts)] == ["conductor_get_config"]
    assert text_of(events) == "I have asked for the config."
    assert done(events).stop == "tool_calls"


def test_an_answer_that_is_cut_says_so(server: LlmServer, kind: ProviderKind) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "talk without end"))

    assert done(events).stop == "length"


def arguments_of(events: list[StreamEvent], call_id: str) -> str:
    pieces = [event for event in events if isinstance(event, ToolArgumentsDelta)]
    return "".join(piece.text for piece in pieces if piece.call_id == call_id)


@pytest.mark.parametrize(
    ("said", "failure", "words"),
    [
        ("a wrong key", "auth", "Settings > Providers"),
        ("a full account", "quota", "Top it up"),
        ("an unknown model", "model_not_found", "Choose another one"),
        ("a long story", "context_overflow", "Compact it"),
        ("a bad request", "bad_request", "messages.3.name"),
    ],
)
def test_a_refused_request_fails_at_once_in_words(
    server: LlmServer, kind: ProviderKind, said: str, failure: str, words: str
) -> None:
    events = ask(kind, server.base_url(kind), request(kind, said))

    assert failed(events).failure.kind == failure
    assert words in failed(events).failure.message
    assert len(server.bodies()) == 1


def test_a_provider_that_asks_to_wait_is_waited_for(server: LlmServer, kind: ProviderKind) -> None:
    waits = Waits()
    events = ask(kind, server.base_url(kind), request(kind, "busy once"), wait=waits)

    (told,) = retries(events)
    assert (told.attempt, told.wait_s, told.failure.kind) == (1, 7, "rate_limit")
    assert waits.seconds == [7]
    assert text_of(events) == "Now there is time."


def test_a_long_wait_is_left_to_the_user(server: LlmServer, kind: ProviderKind) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "busy for an hour"))

    assert failed(events).failure.retry_after_s == 3600
    assert retries(events) == []


@pytest.mark.parametrize(
    ("said", "failure"), [("overloaded", "overloaded"), ("a fault", "internal")]
)
def test_three_retries_and_then_it_fails(
    server: LlmServer, kind: ProviderKind, said: str, failure: str
) -> None:
    waits = Waits()
    events = ask(kind, server.base_url(kind), request(kind, said), wait=waits)

    assert failed(events).failure.kind == failure
    assert [told.attempt for told in retries(events)] == [1, 2, 3]
    assert len(waits.seconds) == 3
    assert waits.seconds == sorted(waits.seconds)
    assert len(server.bodies()) == 4


def test_a_break_in_the_middle_keeps_what_came_and_asks_nothing_more(
    server: LlmServer, kind: ProviderKind
) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "break in the middle"))

    assert failed(events).failure.kind == "network"
    kept = [part.text for part in failed(events).parts if isinstance(part, TextPart)]
    assert kept == [text_of(events)]
    assert kept[0].startswith("The first")
    assert len(server.bodies()) == 1


def test_a_server_that_is_not_there_is_a_matter_of_the_network(
    server: LlmServer, kind: ProviderKind
) -> None:
    events = ask(kind, "http://127.0.0.1:9/v1", request(kind, "say hello"))

    assert failed(events).failure.kind == "network"
    assert (
        "does not answer at http://127.0.0.1:9/v1. Check that it is running"
        in failed(events).failure.message
    )
    assert len(retries(events)) == 3


def test_closing_the_stream_ends_the_request(server: LlmServer, kind: ProviderKind) -> None:
    async def hear_a_word(provider: Provider) -> str:
        async with aclosing(provider.stream_answer(request(kind, "speak slowly"))) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, TextDelta):
                    return event.text
        return ""

    assert talk(kind, server.base_url(kind), hear_a_word).startswith("One")
    assert len(server.bodies()) == 1


def test_cancelling_who_listens_ends_the_request(server: LlmServer, kind: ProviderKind) -> None:
    async def listen_and_cancel(provider: Provider) -> bool:
        heard = asyncio.Event()

        async def listen() -> None:
            async for event in provider.stream_answer(request(kind, "speak slowly")):
                if isinstance(event, TextDelta):
                    heard.set()

        listening = asyncio.create_task(listen())
        await asyncio.wait_for(heard.wait(), 20)
        listening.cancel()
        await asyncio.wait([listening], timeout=5)
        return listening.cancelled()

    assert talk(kind, server.base_url(kind), listen_and_cancel)
    assert len(server.bodies()) == 1


def test_a_model_without_tools_calls_in_its_text(server: LlmServer, kind: ProviderKind) -> None:
    block = (
        '```conductor-call\n{"tool": "conductor_get_config", "arguments": {"part": "modes"}}\n```'
    )
    server.add(
        {
            "match": {"userMessage": "what is mapped"},
            "response": {"content": f"I will look.\n\n{block}"},
        }
    )
    events = ask(kind, server.base_url(kind), request(kind, "what is mapped"), tools=False)

    (call,) = calls(done(events).parts)
    assert (call.tool, call.arguments) == ("conductor_get_config", {"part": "modes"})
    assert text_of(events).strip() == "I will look."
    assert done(events).stop == "tool_calls"
    body = server.bodies()[-1]
    assert not body.get("tools")
    assert "conductor_create_mapping" in json.dumps(body)


def test_a_model_that_does_not_stream_looks_as_if_it_did(
    server: LlmServer, kind: ProviderKind
) -> None:
    events = ask(kind, server.base_url(kind), request(kind, "say hello"), streaming=False)

    assert text_of(events) == "Hello! I can map your pads, keys and faders."
    assert len([event for event in events if isinstance(event, TextDelta)]) > 1
    if kind != "anthropic":  # its SDK streams long answers by itself, and gives them as one
        assert not server.bodies()[-1].get("stream")


def test_the_connection_can_be_tested(server: LlmServer, kind: ProviderKind) -> None:
    health = talk(kind, server.base_url(kind), lambda provider: provider.test_connection())

    assert health.ok, health
    assert health.latency_ms is not None
    assert health.latency_ms > 0


def test_a_wrong_address_is_told_by_the_connection_test(kind: ProviderKind) -> None:
    health = talk(kind, "http://127.0.0.1:9/v1", lambda provider: provider.test_connection())

    assert not health.ok
    assert health.failure is not None
    assert health.failure.kind == "network"


def test_models_are_listed_even_when_the_provider_is_away(kind: ProviderKind) -> None:
    models = talk(kind, "http://127.0.0.1:9/v1", lambda provider: provider.list_models())

    known = {one.model: one for one in models}
    assert MODELS[kind] in known
    if kind != "custom":
        assert known[MODELS[kind]].input_usd_per_mtok is not None
        assert known[MODELS[kind]].capabilities.context_tokens >= 1_000_000


def test_the_key_goes_into_no_body_and_no_event(server: LlmServer, kind: ProviderKind) -> None:
    key = "zq-a-key-of-no-known-shape-9876"
    url = server.base_url(kind)
    server.add(
        {
            "match": {"userMessage": "repeat my key"},
            "response": {
                "error": {"message": f"Incorrect API key: {key}", "type": "authentication_error"},
                "status": 401,
            },
        }
    )
    told = [
        ask(kind, url, request(kind, said), key=key)
        for said in ("say hello", "repeat my key", "overloaded")
    ]
    health = talk(kind, url, lambda provider: provider.test_connection(), key=key)

    assert key not in repr(told)
    assert key not in repr(health)
    assert key not in json.dumps([entry["body"] for entry in server.journal()])


def test_the_key_goes_into_no_log(
    server: LlmServer, kind: ProviderKind, caplog: pytest.LogCaptureFixture
) -> None:
    key, url = "zq-a-key-of-no-known-shape-9876", server.base_url(kind)
    caplog.set_level("DEBUG")
    for said in ("say hello", "a wrong key", "break in the middle"):
        ask(kind, url, request(kind, said), key=key)
    talk(kind, url, lambda provider: provider.test_connection(), key=key)

    assert caplog.records
    assert key not in caplog.text
    assert not any(key in repr(vars(record)) for record in caplog.records)
