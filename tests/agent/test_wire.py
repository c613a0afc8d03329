"""The chat over real providers and a simulator of their wires, the same for all six kinds."""

import asyncio
import json
from collections.abc import Coroutine
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from tests.agent.stage import (
    CONFIG,
    WINDOW,
    Stage,
    get_notes,
    plans_of,
    results_of,
    text_of,
)
from tests.llm.asking import KEY, KINDS, MODELS, Waits
from tests.support.llm_server import LlmServer

from conductor.domain.chat.messages import ChatMessage
from conductor.domain.settings import LlmProvider, LlmSettings
from conductor.llm.options import ClientOptions
from conductor.llm.provider import Provider
from conductor.llm.service import Providers

TOO_LONG = {
    "message": "prompt is too long: 1200345 tokens > 1000000 maximum",
    "type": "invalid_request_error",
    "code": "context_length_exceeded",
}
pytestmark = [pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason")]
COPY: dict[str, Any] = {
    "mode": "Default",
    "trigger": {"type": "Note", "note": 36},
    "action": {"type": "Keystroke", "keys": ["cmd", "c"]},
}


T = TypeVar("T")


class Way(NamedTuple):
    """How a model is reached: a provider's name, its row and its key."""

    name: str
    row: LlmProvider
    key: str = KEY
    broken: tuple[str, ...] = ("network",)
    """What kind of failure a line that breaks may be."""


@pytest.fixture(name="server")
def clean_server(server: LlmServer) -> LlmServer:
    server.reset()
    return server


@pytest.fixture
def ways(server: LlmServer) -> list[Way]:
    """Return all ways to a model. Other modules run these tests over ways of their own."""
    return [
        Way(kind, LlmProvider(kind=kind, base_url=server.base_url(kind), model=MODELS[kind]))
        for kind in KINDS
    ]


@pytest.fixture(params=KINDS)
def way(ways: list[Way], request: pytest.FixtureRequest) -> Way:
    return next(one for one in ways if one.name == request.param)


class Wired(Stage):
    """A stage whose providers are the real ones, asking the simulator."""

    def __init__(self, home: Path, *ways: Way) -> None:
        rows, keys = {way.name: way.row for way in ways}, {way.name: way.key for way in ways}
        names = tuple(rows)
        known = LlmSettings(providers=rows, default_provider=names[0], failover=names[1:])
        self.waits = Waits()
        self.real = Providers(
            lambda: known, lambda name, _row: keys.get(name), ClientOptions(self.waits)
        )
        super().__init__(home, config=CONFIG)

    def get_provider(self, name: str) -> Provider:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.real.get_provider(name)

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        return self.real.order_provider_names(chosen)

    def asked(self, text: str) -> ChatMessage:
        """Return the answer to one message, and close everything."""
        return self.run(self.ask(text))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        async def whole() -> T:
            try:
                return await work
            finally:
                await self.chat.close()
                await self.real.close()

        return asyncio.run(whole())


def answer(said: str, *calls: tuple[str, dict[str, Any]], turn: int = 0) -> dict[str, Any]:
    """Script what the model does when it is told this and has had so many answers since."""
    made = [
        {"id": f"call_{turn}_{n}", "name": name, "arguments": arguments}
        for n, (name, arguments) in enumerate(calls)
    ]
    return {"toolCalls": made} if made else {"content": said}


def scripted(server: LlmServer, wish: str, *steps: dict[str, Any]) -> None:
    """Answer a message with these steps, one for each request."""
    server.add(
        *(
            {"match": {"userMessage": wish, "sequenceIndex": n}, "response": step}
            for n, step in enumerate(steps)
        )
    )


def sent(server: LlmServer) -> str:
    """Return all bodies that went over the wire, as one text."""
    return json.dumps(server.bodies())


def test_a_chat_goes_there_and_back(tmp_path: Path, server: LlmServer, way: Way):
    stage = Wired(tmp_path, way)

    async def work() -> None:
        first = await stage.ask("Please say hello")
        assert (first.state, first.failure) == ("complete", None)
        assert text_of(first) == "Hello! I can map your pads, keys and faders."
        assert (first.provider, first.model, first.usage.requests) == (way.name, way.row.model, 1)
        [body] = server.bodies()
        told = json.dumps(body)
        assert "Conductor: core reference" in told
        assert "Current config" in told
        assert "Active mode: Default" in told
        assert way.key not in json.dumps(server.journal())
        again = await stage.ask("And think about it", conversation_id=first.conversation_id)
        assert text_of(again) == "42."
        assert "I can map your pads" in json.dumps(server.bodies()[1])

    stage.run(work())


def test_a_wish_becomes_a_plan_and_is_applied(tmp_path: Path, server: LlmServer, way: Way):
    stage = Wired(tmp_path, way)

    async def work() -> None:
        made = await stage.ask("Create a mapping so pad 36 triggers Cmd+C")
        assert made.failure is None
        assert [part.ok for part in results_of(made)] == [True, True]
        [plan_id] = plans_of(made)
        assert stage.plans.get_plan(plan_id).status == "pending"
        assert "Look at the plan" in text_of(made)
        assert len(server.bodies()) == 2
        assert "tool_result name=" in sent(server)
        stage.apply(made)
        keys = [one.action.to_plain() for one in stage.store.current_config.modes[0].mappings]
        assert {"type": "Keystroke", "keys": ["cmd", "c"]} in keys
        await stage.ask("Please say hello", conversation_id=made.conversation_id)
        assert ": applied by" in json.dumps(server.bodies()[-1])

    stage.run(work())


def test_midi_learn_with_a_model(tmp_path: Path, server: LlmServer, way: Way):
    stage = Wired(tmp_path, way)
    scripted(
        server,
        "this knob",
        answer("", ("conductor_start_midi_learn", {})),
        answer("Touch it now and tell me."),
    )
    scripted(
        server,
        "I touched it",
        answer("", ("conductor_get_captured_events", {})),
        answer("", ("conductor_create_mapping", COPY)),
        answer("Here is the plan."),
    )

    async def work() -> None:
        first = await stage.ask("Map this knob here")
        assert text_of(first) == "Touch it now and tell me."
        stage.touch(36)
        second = await stage.ask("I touched it", conversation_id=first.conversation_id)
        assert [part.ok for part in results_of(second)] == [True, True]
        heard = json.loads(results_of(second)[0].content)
        assert heard["suggestions"][0]["trigger"]["note"] == 36
        assert len(plans_of(second)) == 1
        assert len(server.bodies()) == 5

    stage.run(work())


def test_many_turns_with_corrections_make_one_change_each(
    tmp_path: Path, server: LlmServer, way: Way
):
    stage = Wired(tmp_path, way)
    other = {**COPY, "trigger": {"type": "Note", "note": 37}}
    scripted(server, "make 36 copy", answer("", ("conductor_create_mapping", COPY)), answer("A."))
    scripted(server, "I meant 37", answer("", ("conductor_create_mapping", other)), answer("B."))
    scripted(server, "what did we do", answer("You took the second one."))

    async def work() -> None:
        first = await stage.ask("make 36 copy")
        [refused] = plans_of(first)
        stage.plans.reject_plan(refused, WINDOW, "wrong pad")
        second = await stage.ask("No, I meant 37", conversation_id=first.conversation_id)
        assert "wrong pad" in json.dumps(server.bodies()[2])
        stage.apply(second)
        third = await stage.ask("So what did we do?", conversation_id=first.conversation_id)
        assert text_of(third) == "You took the second one."
        last = json.dumps(server.bodies()[-1])
        assert "rejected" in last
        assert "applied" in last
        assert len(stage.store.current_config.modes[0].mappings) == 2

    stage.run(work())


def test_the_next_provider_answers_in_place_of_each_kind(
    tmp_path: Path, server: LlmServer, way: Way, ways: list[Way]
):
    other = next(one for one in ways if one.name != way.name)
    stage = Wired(tmp_path, way, other)

    async def work() -> None:
        server.fail_once(401, {"error": {"message": "bad key", "type": "authentication_error"}})
        made = await stage.ask("Please say hello")
        assert (made.state, made.provider, get_notes(made)) == (
            "complete",
            other.name,
            ["failover"],
        )
        assert text_of(made).startswith("Hello!")

    stage.run(work())


def test_a_wrong_key_says_what_to_do(tmp_path: Path, way: Way):
    made = Wired(tmp_path, way).asked("Use a wrong key")

    assert made.failure is not None
    assert made.failure.kind == "auth"
    assert "Settings > Providers" in made.failure.message
    assert way.key not in made.model_dump_json()


def test_a_busy_provider_is_asked_again_and_the_wait_is_shown(tmp_path: Path, way: Way):
    stage = Wired(tmp_path, way)
    made = stage.asked("Are you busy once?")

    assert (made.state, text_of(made)) == ("complete", "Now there is time.")
    assert stage.waits.seconds
    words = [one.words for one in stage.news if one.type == "state"]
    assert any(text.startswith("Retrying in") for text in words)


def test_what_came_before_a_line_broke_is_kept(tmp_path: Path, way: Way):
    stage = Wired(tmp_path, way)
    made = stage.asked("Now break in the middle")

    assert made.state == "failed"
    assert made.failure is not None
    assert made.failure.kind in way.broken
    assert text_of(made).startswith("The first words")
    assert stage.conversations.find_message(made.conversation_id, made.message_id) == made


def test_stop_ends_the_request_and_keeps_the_words(tmp_path: Path, server: LlmServer, way: Way):
    stage = Wired(tmp_path, way)

    async def work() -> None:
        sent_ = await stage.say("Please speak slowly")
        await stage.until(lambda: "delta" in [one.type for one in stage.news])
        await stage.chat.stop_answer(sent_.conversation_id)
        made = await stage.answered(sent_)
        assert made.state == "stopped"
        assert 0 < len(text_of(made)) < 60
        assert len(server.bodies()) == 1

    stage.run(work())


def test_a_model_without_end_is_paused_after_twelve_requests(
    tmp_path: Path, server: LlmServer, way: Way
):
    made = Wired(tmp_path, way).asked("never stop calling")

    assert (made.state, get_notes(made)) == ("paused", ["found", "steps"])
    assert len(server.bodies()) == 12
    assert len(results_of(made)) == 12


def test_a_tool_that_is_not_there_is_answered(tmp_path: Path, server: LlmServer, way: Way):
    made = Wired(tmp_path, way).asked("Use a tool that is not there")

    assert [part.ok for part in results_of(made)] == [False]
    assert text_of(made) == "I have no tool for that."
    assert "Method not found: conductor_make_coffee" in sent(server)


def test_a_conversation_too_long_can_be_compacted(tmp_path: Path, server: LlmServer, way: Way):
    stage = Wired(tmp_path, way)
    scripted(server, "Summarise the conversation above", answer("They said hello."))
    scripted(server, "Go on with this", {"error": TOO_LONG, "status": 400})

    async def work() -> None:
        first = await stage.ask("Please say hello")
        full = await stage.ask("Go on with this", conversation_id=first.conversation_id)
        assert full.failure is not None
        assert full.failure.kind == "context_overflow"
        await stage.chat.compact_conversation(first.conversation_id)
        last = await stage.ask("Please say hello", conversation_id=first.conversation_id)
        assert last.state == "complete"
        assert "They said hello." in json.dumps(server.bodies()[-1])
        assert "Go on with this" not in json.dumps(server.bodies()[-1])

    stage.run(work())


def every_switch(names: list[str]) -> list[str]:
    """Return an order of names in which each follows each other one, and itself."""
    order = names[:1]
    left = list(product(names, repeat=2))
    while left:
        following = [pair for pair in left if pair[0] == order[-1]]
        if following:
            order.append(following[-1][1])
            left.remove(following[-1])
        else:
            order.append(left[0][0])
    return order


@pytest.mark.timeout(300)
def test_a_conversation_with_tools_goes_on_from_every_model_to_every_other(
    tmp_path: Path, server: LlmServer, ways: list[Way]
):
    stage = Wired(tmp_path, *ways)
    scripted(server, "look first", answer("", ("conductor_list_modes", {})), answer("Two modes."))
    names = [way.name for way in ways]
    order = every_switch(names)
    assert {*pairwise(order)} >= {*product(names, repeat=2)}
    for n in range(len(order)):
        modes = answer("", ("conductor_list_modes", {}))
        scripted(server, f"turn number {n} now", modes, answer("Still."))

    async def work() -> None:
        made: ChatMessage = await stage.ask("look first")
        for n, name in enumerate(order):
            stage.chat.conversations.set_model(made.conversation_id, name, None)
            wish = f"turn number {n} now"
            said = await stage.ask(wish, conversation_id=made.conversation_id)
            assert (said.state, said.provider, text_of(said)) == ("complete", name, "Still.")
            assert results_of(said)[0].ok

    stage.run(work())
