"""What Anthropic is told to cache: the marks, their number, and that what they end at stays the same."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from tests.llm.asking import answer, ask, request, user
from tests.llm.turns import last
from tests.support.edge_llm import EdgeServer, edge_server

from conductor.domain.chat.messages import ToolCallPart, ToolResultPart

AT_MOST = 4
"""Anthropic refuses a request with more."""
CALL = ToolCallPart(call_id="c1", tool="conductor_get_config", arguments={})
RESULT = ToolResultPart(call_id="c1", tool="conductor_get_config", ok=True, content="{}")
FIRST = (user("map pad 36 to copy"),)
SECOND = (*FIRST, answer(CALL, RESULT, "Look at the plan."), user("now pad 37"))
THIRD = (*SECOND, answer(CALL, RESULT, "And at this one."), user("and 38"))
AGAIN = (*THIRD, answer(CALL, RESULT))
"""The same turn, after a call."""


@pytest.fixture
def edge() -> Generator[EdgeServer]:
    with edge_server() as edge:
        yield edge


def test_the_history_is_cached_up_to_the_last_message_of_the_user(edge: EdgeServer) -> None:
    bodies = _asked(edge, "anthropic")

    ends = [_ends(body["messages"]) for body in bodies]
    second, third = ["Look at the plan."], ["And at this one."]
    assert ends == [[], second, third, third], "before the text after the last message"
    assert all("cache_control" in body for body in bodies), "a turn's own calls: automatically"
    assert all(_count(body) <= AT_MOST for body in bodies)


def test_what_is_cached_of_a_turn_is_the_start_of_the_next(edge: EdgeServer) -> None:
    bodies = _asked(edge, "anthropic")

    one, two, again = (_cached(body) for body in bodies[1:])
    assert two.startswith(one)
    assert two == again
    assert "o'clock" not in two


def test_no_other_wire_gets_marks_in_its_history(edge: EdgeServer) -> None:
    assert "cache_control" not in json.dumps(_asked(edge, "custom"))


def _asked(edge: EdgeServer, kind: Any) -> list[dict[str, Any]]:
    """Ask at four moments of a conversation, and return what went over the wire."""
    talks = (FIRST, SECOND, THIRD, AGAIN)
    edge.reply(*(last(kind) for _ in talks))
    for at, said in enumerate(talks):
        ask(kind, edge.url, request(kind, *said, volatile=f"It is {at} o'clock."))
    return [asked.body for asked in edge.asked]


def _ends(messages: list[dict[str, Any]]) -> list[str]:
    """Return the texts that have a mark behind them."""
    blocks = [one for message in messages if isinstance(message["content"], list) for one in message["content"]]  # fmt: skip
    return [block["text"] for block in blocks if "cache_control" in block]


def _count(body: dict[str, Any]) -> int:
    return json.dumps(body).count('"cache_control"')


def _cached(body: dict[str, Any]) -> str:
    """Return what a mark in the history ends, without the mark."""
    whole = json.dumps([body["tools"], body["system"], body["messages"]])
    end = whole.rindex(', "cache_control"', 0, whole.index("o'clock"))
    return whole[:end].replace(', "cache_control": {"type": "ephemeral", "ttl": "5m"}', "")
