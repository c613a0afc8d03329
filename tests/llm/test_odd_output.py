"""What a model writes that nothing can keep: halves of letters, names of control characters, bottomless arguments."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from tests.llm.asking import ask, calls, done, request, text_of
from tests.support.edge_llm import EdgeServer, Reply, chat, chat_call, edge_server

from conductor.domain.chat.messages import (
    StreamEvent,
    TextPart,
    ThinkingPart,
    ToolArgumentsDelta,
)
from conductor.llm.fit import (
    IncompleteTextJoiner,
    clean_tool_name,
    parse_tool_arguments,
    repair_surrogates,
)
from conductor.llm.without_tools import parse_call_block

HIGH, LOW = "\ud83c", "\udfb9"
"""The halves of 🎹."""


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def escaped(*events: Any) -> Reply:
    """Make a stream whose JSON has all but ASCII escaped, as Python's own writer does."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in events]
    return Reply([f"data: {line}\n\n".encode() for line in lines])


def as_bytes(events: list[StreamEvent]) -> bytes:
    """Write the events as they leave for the window: nothing in them may prevent this."""
    return "".join(event.model_dump_json() for event in events).encode()


def test_a_letter_that_is_split_over_two_pieces_is_joined(edge: EdgeServer) -> None:
    edge.reply(escaped(*chat({"content": f"Keys: {HIGH}"}, {"content": f"{LOW}."})))
    events = ask("custom", edge.url, request("custom", "hello"))

    assert text_of(events) == "Keys: 🎹."
    assert done(events).parts == (TextPart(text="Keys: 🎹."),)


def test_half_a_letter_becomes_a_mark_that_it_is_missing(edge: EdgeServer) -> None:
    thought = {"reasoning_content": f"hm {LOW} so"}
    edge.reply(escaped(*chat(thought, {"content": f"Keys: {HIGH}"})))
    events = ask("litellm", edge.url, request("litellm", "hello"))

    thinking, text = done(events).parts
    assert isinstance(thinking, ThinkingPart)
    assert isinstance(text, TextPart)
    assert (thinking.text, text.text) == ("hm \ufffd so", "Keys: \ufffd")
    assert as_bytes(events)


def test_calls_have_whole_letters_and_names_that_can_be_shown(edge: EdgeServer) -> None:
    name = f"conductor_{HIGH}get\x1b[31m\u202e\n" + "x" * 500
    call = chat_call(0, name, json.dumps({f"mode{LOW}": [HIGH, "🎹"]}), "c1")
    edge.reply(escaped(*chat(call, stop="tool_calls")))
    events = ask("custom", edge.url, request("custom", "hello"))

    (made,) = calls(done(events).parts)
    assert made.tool == "conductor_\ufffdget[31m" + "x" * 110
    assert made.arguments == {"mode\ufffd": ["\ufffd", "🎹"]}
    assert as_bytes(events)


def test_arguments_stream_in_with_whole_letters(edge: EdgeServer) -> None:
    pieces = (f'{{"mode": "{HIGH}', f'{LOW}"}}')
    begun = chat_call(0, "conductor_get_config", pieces[0], "c1")
    edge.reply(escaped(*chat(begun, chat_call(0, None, pieces[1], None), stop="tool_calls")))
    events = ask("custom", edge.url, request("custom", "hello"))

    streamed = [event.text for event in events if isinstance(event, ToolArgumentsDelta)]
    assert "".join(streamed) == '{"mode": "🎹"}'


@pytest.mark.parametrize("depth", [300, 100_000])
def test_arguments_without_a_bottom_are_malformed(edge: EdgeServer, depth: int) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    call = chat_call(0, "conductor_get_config", deep, "c1")
    edge.reply(escaped(*chat({"content": "I will."}, call, stop="tool_calls")))
    events = ask("custom", edge.url, request("custom", "hello"))

    (made,) = calls(done(events).parts)
    assert (made.arguments, made.malformed) == ({}, deep)
    assert parse_call_block(f'{{"tool": "get", "arguments": {deep}}}', "c").malformed
    assert parse_call_block(f'{{"tool": "get", "arguments": {deep}}}', "c").tool == "get"


def test_numbers_that_json_has_not_are_malformed() -> None:
    assert parse_tool_arguments('{"x": 1e999}') == ({}, '{"x": 1e999}')
    assert parse_tool_arguments('{"x": NaN}') == ({}, '{"x": NaN}')


def test_blocks_have_whole_letters_and_names_that_can_be_shown() -> None:
    made = parse_call_block(json.dumps({"tool": f"get\x07{HIGH}", "arguments": {"mode": LOW}}), "c")

    assert (made.tool, made.arguments) == ("get\ufffd", {"mode": "\ufffd"})
    assert parse_call_block(f"not JSON {HIGH}", "c").malformed == "not JSON \ufffd"


def test_pieces_hold_back_half_a_letter_until_the_rest_has_come() -> None:
    pieces = IncompleteTextJoiner()

    assert [pieces.add(piece) for piece in (HIGH, LOW, "", f"a{HIGH}", "b")] == [
        *("", "🎹", "", "a", "\ufffdb")
    ]
    assert repair_surrogates(f"{HIGH}a{LOW}{HIGH}{LOW}{HIGH}") == "\ufffda\ufffd🎹\ufffd"
    assert clean_tool_name("\x00\u202e") == "unknown"


def test_a_letter_is_joined_where_calls_are_told_in_words(edge: EdgeServer) -> None:
    edge.reply(escaped(*chat({"content": f"Keys: {HIGH}"}, {"content": f"{LOW}."})))
    events = ask("custom", edge.url, request("custom", "hello"), tools=False)

    assert done(events).parts == (TextPart(text="Keys: 🎹."),)
