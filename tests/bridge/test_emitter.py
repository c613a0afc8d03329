"""News in batches: joined, numbered, bounded, and never more than 30 a second."""

import asyncio
import threading
from typing import Any

import pytest

from conductor.bridge.emitter import (
    BATCHES_PER_SECOND,
    MAX_BURST_BATCHES,
    Emitter,
    Listener,
    send_batches,
)
from conductor.bridge.outbox import MAX_QUEUED_FAILURES, MAX_QUEUED_TRACES, Outbox
from conductor.bridge.topics import TOPIC_MODELS
from conductor.runtime.open_pages import OpenPages


def trace(
    kind: str = "cc", number: int = 1, value: int = 0, outcome: str = "fired"
) -> dict[str, Any]:
    event = {"kind": kind, "device": "d", "channel": 1, "number": number, "value": value, "time": 0}
    return {"event": event, "outcome": outcome, "effects": [], "count": 1}


def test_values_of_one_control_are_joined_to_the_newest_with_their_count() -> None:
    outbox = Outbox()
    for value in range(5):
        outbox.queue_event("trace", trace(value=value))
    outbox.queue_event("trace", trace(number=2))
    [[_, _, first], [_, _, second]] = outbox.take_batch()
    assert (first["event"]["value"], first["count"]) == (4, 5)
    assert second["event"]["number"] == 2


def test_a_value_that_fired_is_not_hidden_by_one_that_did_not() -> None:
    outbox = Outbox()
    outbox.queue_event("trace", trace(outcome="fired"))
    outbox.queue_event("trace", trace(outcome="unmatched"))
    assert [news[2]["outcome"] for news in outbox.take_batch()] == ["fired", "unmatched"]


def test_presses_are_never_joined() -> None:
    outbox = Outbox()
    for _ in range(3):
        outbox.queue_event("trace", trace("note_on"))
    assert len(outbox.take_batch()) == 3


def test_numbers_have_no_gaps_over_batches() -> None:
    outbox = Outbox()
    seen: list[int] = []
    for _ in range(3):
        outbox.queue_event("trace", trace("note_on"))
        outbox.queue_event("skipped", {"count": 1})
        seen += [news[0] for news in outbox.take_batch()]
    assert seen == [1, 2, 3, 4, 5, 6]


def test_a_slow_page_loses_traces_is_told_how_many_and_loses_nothing_else() -> None:
    outbox = Outbox()
    outbox.queue_event("plan", {"plan_id": "a", "status": "pending"})
    outbox.queue_event("config", {"hash": "1"})
    for number in range(MAX_QUEUED_TRACES + 1_000):
        outbox.queue_event("trace", trace("note_on", number))
    for number in range(MAX_QUEUED_FAILURES + 10):
        outbox.queue_event("failure", {"reason": str(number)})
    outbox.queue_event("config", {"hash": "2"})
    outbox.queue_event("plan", {"plan_id": "a", "status": "applied"})
    outbox.queue_event("plan", {"plan_id": "b", "status": "pending"})
    news = outbox.take_batch()
    told = [topic for _, topic, _ in news]
    assert told.count("trace") == MAX_QUEUED_TRACES
    assert ["skipped", {"count": 1_010}] in [one[1:] for one in news]
    assert [one[2] for one in news if one[1] == "config"] == [{"hash": "2"}]
    assert [one[2]["status"] for one in news if one[1] == "plan"] == ["applied", "pending"]


def test_a_dropped_trace_that_stands_for_several_values_counts_as_all_of_them() -> None:
    outbox = Outbox()
    for value in range(7):
        outbox.queue_event("trace", trace(value=value))
    for number in range(MAX_QUEUED_TRACES):
        outbox.queue_event("trace", trace("note_on", number))
    assert ["skipped", {"count": 7}] in [one[1:] for one in outbox.take_batch()]


def test_at_most_thirty_batches_a_second_are_sent_whatever_comes() -> None:
    """Time is a number here: each wait adds to it, and 10 news come in each millisecond."""
    time_s, sent_at = 0.0, list[float]()

    async def play() -> None:
        nonlocal time_s
        listener, done = Listener(), asyncio.Event()

        async def wait(seconds: float) -> None:
            nonlocal time_s
            time_s += seconds
            for _ in range(10):
                listener.outbox.queue_event("trace", trace("note_on"))

        async def sink(_batch: Any) -> None:
            sent_at.append(time_s)
            listener.outbox.queue_event("trace", trace("note_on"))
            if time_s > 2:
                done.set()
                await asyncio.Event().wait()

        listener.outbox.queue_event("trace", trace("note_on"))
        pumping = asyncio.create_task(send_batches(listener, sink, lambda: time_s, wait))
        await asyncio.wait_for(done.wait(), 10)
        pumping.cancel()

    asyncio.run(play())
    assert len(sent_at) > 50
    assert sent_at[:MAX_BURST_BATCHES] == [0.0] * MAX_BURST_BATCHES
    seconds = zip(sent_at, sent_at[BATCHES_PER_SECOND:], strict=False)
    assert all(later - sooner >= 1 - 1e-9 for sooner, later in seconds)


def test_while_a_page_does_not_read_its_queue_stays_bounded() -> None:
    async def play() -> int:
        emitter = Emitter(OpenPages(), lambda _on: None)
        listener = emitter.add_page()
        listener.set_trace_watching(on=True)
        stuck, began = asyncio.Event(), asyncio.Event()

        async def sink(_batch: Any) -> None:
            began.set()
            await stuck.wait()

        pumping = asyncio.create_task(send_batches(listener, sink))
        emitter.publish("config", {"hash": "0"})
        await began.wait()
        for number in range(20_000):
            emitter.publish("trace", trace("note_on", number % 128))
        pumping.cancel()
        return len(listener.outbox)

    assert asyncio.run(play()) <= MAX_QUEUED_TRACES + 1


def test_only_who_watches_is_told_traces_and_the_engine_knows_whether_any_does() -> None:
    wanted: list[bool] = []
    emitter = Emitter(OpenPages(), wanted.append)
    watcher, other = emitter.add_page(), emitter.add_page()
    watcher.set_trace_watching(on=True)
    emitter.publish("trace", trace("note_on"))
    emitter.publish("config", {"hash": "1"})
    assert [topic for _, topic, _ in watcher.outbox.take_batch()] == ["trace", "config"]
    assert [topic for _, topic, _ in other.outbox.take_batch()] == ["config"]
    emitter.remove_page(watcher)
    assert wanted == [True, False]


def delta(text: str, at: int, index: int = 0) -> dict[str, Any]:
    return {
        "type": "delta",
        "conversation_id": "c",
        "message_id": "m",
        "index": index,
        "text": text,
        "at": at,
    }


def test_pieces_of_an_answer_come_whole_and_in_order() -> None:
    outbox = Outbox()
    outbox.queue_event("chat", delta("a", 4))
    outbox.queue_event("chat", delta("b", 5))
    outbox.queue_event("chat", {"type": "part", "message_id": "m", "index": 1})
    outbox.queue_event("chat", delta("c", 7, 1))
    outbox.queue_event("chat", delta("d", 8, 1))
    told = [news[2] for news in outbox.take_batch()]
    assert [(one["type"], one.get("at"), one.get("text")) for one in told] == [
        ("delta", 4, "ab"),
        ("part", None, None),
        ("delta", 7, "cd"),
    ]


def test_pieces_of_a_call_come_whole_and_apart_from_those_of_another() -> None:
    outbox = Outbox()
    for call_id, index, text, at in (("a", 1, "", 0), ("a", 1, "{", 0), ("b", 2, "{", 0)):
        outbox.queue_event("chat", delta(text, at, index) | {"type": "call", "call_id": call_id})
    outbox.queue_event("chat", delta("}", 1, 1) | {"type": "call", "call_id": "a"})
    told = [(one["call_id"], one["at"], one["text"]) for _, _, one in outbox.take_batch()]
    assert told == [("a", 0, "{"), ("b", 0, "{"), ("a", 1, "}")]


def test_only_the_newest_state_of_a_conversation_is_sent() -> None:
    outbox = Outbox()
    for step in range(3):
        outbox.queue_event("chat", {"type": "state", "conversation_id": "c", "step": step})
    outbox.queue_event("chat", {"type": "state", "conversation_id": "d", "step": 9})
    assert [news[2]["step"] for news in outbox.take_batch()] == [2, 9]


ABOUT_DIFFERENT_THINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "authorization_request": ({"request_id": "a"}, {"request_id": "b"}),
    "trace": (trace("note_on", 1), trace("note_on", 2)),
    "failure": ({"reason": "a"}, {"reason": "b"}),
    "plan": ({"plan_id": "a"}, {"plan_id": "b"}),
    "approval": ({"approval_id": "a"}, {"approval_id": "b"}),
    "question": ({"question_id": "a"}, {"question_id": "b"}),
    "code": ({"run_id": "a"}, {"run_id": "b"}),
    "plan_coverage": ({"plan_id": "a"}, {"plan_id": "b"}),
    "provider": ({"provider": "a"}, {"provider": "b"}),
    "servers": ({"name": "a"}, {"name": "b"}),
    "notice": ({"text": "a"}, {"text": "b"}),
    "chat": (
        {"type": "state", "conversation_id": "a"},
        {"type": "state", "conversation_id": "b"},
    ),
    "voice": ({"state": "idle", "outcome": "sent"}, {"state": "listening", "outcome": "none"}),
}
"""Two news of each topic that is about many things: neither may take the place of the other."""
ABOUT_ONE_THING = {
    "a2a",
    "status",
    "devices",
    "config",
    "problems",
    "front",
    "knowledge",
    "manuals",
    "names",
    "remote",
    "midi_learn",
    "mode_switch",
}
OTHERWISE = {"hello", "skipped"}
"""The first is told by the connection itself; the second is a count."""


@pytest.mark.parametrize("topic", sorted(TOPIC_MODELS.keys() - ABOUT_ONE_THING - OTHERWISE))
def test_news_of_two_things_are_both_told(topic: str) -> None:
    outbox = Outbox()
    first, second = ABOUT_DIFFERENT_THINGS[topic]
    outbox.queue_event(topic, first)
    outbox.queue_event(topic, second)
    assert [news[1:] for news in outbox.take_batch()] == [[topic, first], [topic, second]]


@pytest.mark.parametrize("topic", sorted(ABOUT_ONE_THING))
def test_of_what_there_is_one_of_the_newest_is_told(topic: str) -> None:
    outbox = Outbox()
    outbox.queue_event(topic, {"number": 1})
    outbox.queue_event(topic, {"number": 2})
    assert [news[1:] for news in outbox.take_batch()] == [[topic, {"number": 2}]]


def test_what_became_of_a_call_takes_the_place_of_its_question_only() -> None:
    outbox = Outbox()
    outbox.queue_event("approval", {"approval_id": "a", "state": "pending"})
    outbox.queue_event("approval", {"approval_id": "b", "state": "pending"})
    outbox.queue_event("approval", {"approval_id": "a", "state": "expired"})
    told = [(news[2]["approval_id"], news[2]["state"]) for news in outbox.take_batch()]
    assert told == [("b", "pending"), ("a", "expired")]


def test_a_topic_that_nobody_said_how_to_join_is_refused() -> None:
    with pytest.raises(ValueError, match="`weather`"):
        Outbox().queue_event("weather", {})


def test_a_page_that_joins_while_the_status_changes_gets_the_newer_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emitter = Emitter(OpenPages(), lambda _on: None)
    emitter.publish("status", {"mode": "Default"})
    change = threading.Thread(target=emitter.publish, args=("status", {"mode": "Shift"}))

    class SlowOutbox(Outbox):
        def queue_event(self, topic: str, payload: dict[str, Any]) -> None:
            super().queue_event(topic, payload)
            if payload["mode"] == "Default":
                change.start()
                change.join(0.2)  # it may have to wait until the page has joined

    monkeypatch.setattr("conductor.bridge.emitter.Outbox", SlowOutbox)
    page = emitter.add_page()
    change.join(5.0)
    assert page.outbox.take_batch()[-1][1:] == ["status", {"mode": "Shift"}]
