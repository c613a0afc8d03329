"""What happens when a model does not answer: another is asked, or the user is told what to do."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.agent.stage import CONFIG, Scripted, Stage, fails, get_notes, say, text_of, used

from conductor.domain.chat.messages import (
    ChatFailure,
    ChatRequest,
    Done,
    FailureKind,
    NotePart,
    Retrying,
    StreamEvent,
    TextDelta,
    TextPart,
)
from conductor.errors import InvalidParams


def test_without_any_provider_the_words_say_what_works(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path)
        answer = await stage.ask("Hello")
        assert answer.state == "failed"
        assert answer.failure is not None
        assert answer.failure.kind == "no_key"
        assert "Settings > Providers" in answer.failure.message
        assert "/map" in answer.failure.message
        assert [
            one.role for one in stage.conversations.list_branch_messages(answer.conversation_id)
        ] == [
            "user",
            "assistant",
        ]

    asyncio.run(run())


@pytest.mark.parametrize(
    "kind",
    [
        *("network", "overloaded", "rate_limit", "auth", "quota", "no_key", "model_not_found"),
        "internal",
    ],
)
def test_the_next_provider_answers_when_one_fails_before_a_word(tmp_path: Path, kind: FailureKind):
    async def run() -> None:
        second = Scripted("second", say("I am here."), say("Again."))
        first = Scripted("first", fails(kind), say("Back."))
        stage = Stage(tmp_path, first, second)
        answer = await stage.ask("Hello")
        assert (answer.state, text_of(answer), answer.provider) == (
            "complete",
            "I am here.",
            "second",
        )
        assert get_notes(answer) == ["failover"]
        [note] = [part for part in answer.parts if isinstance(part, NotePart)]
        assert "first" in note.text
        assert "second" in note.text
        answer = await stage.ask("And now?", conversation_id=answer.conversation_id)
        assert answer.provider == "first"

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["context_overflow", "bad_request", "refusal"])
def test_other_failures_are_not_taken_to_another_provider(tmp_path: Path, kind: FailureKind):
    async def run() -> None:
        second = Scripted("second")
        answer = await (stage := Stage(tmp_path, Scripted("first", fails(kind)), second)).ask("Hi")
        assert answer.failure is not None
        assert (answer.failure.kind, second.requests) == (kind, [])
        assert not stage.chat.conversations.open_conversation(answer.conversation_id)[2].running

    asyncio.run(run())


def test_once_words_have_come_no_other_provider_is_asked_and_they_are_kept(tmp_path: Path):
    async def run() -> None:
        second = Scripted("second")
        first = Scripted("first", fails("network", TextDelta(text="The first words")), say("Yes."))
        stage = Stage(tmp_path, first, second)
        answer = await stage.ask("Hi")
        assert (answer.state, text_of(answer)) == ("failed", "The first words")
        assert second.requests == []
        assert stage.usage.summarize_costs(answer.created_at).total.usage.requests == 1
        again = await stage.answered(await stage.chat.regenerate_answer(answer.message_id))
        assert (again.parent_id, text_of(again)) == (answer.parent_id, "Yes.")

    asyncio.run(run())


def test_what_is_said_to_a_provider_by_name_goes_to_no_other_when_it_cannot_be_asked(
    tmp_path: Path,
):
    async def run() -> None:
        second = Scripted("second", say("Yes."))
        stage = Stage(tmp_path, second)
        answer = await stage.ask("Hi", provider="removed")
        assert answer.failure is not None
        assert "no provider removed" in answer.failure.message
        await stage.ask("And now?", conversation_id=answer.conversation_id)
        assert second.requests == []

    asyncio.run(run())


def test_a_provider_that_nobody_knows_is_refused_before_anything_is_kept(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, Scripted("second", say("Yes.")))
        with pytest.raises(InvalidParams, match="did you mean `second`"):
            await stage.say("Hi", provider="seccond")
        assert stage.conversations.list_conversations() == ()

    asyncio.run(run())

    asyncio.run(run())


def test_a_retry_is_shown_while_it_waits(tmp_path: Path):
    async def run() -> None:
        failure = ChatFailure(kind="rate_limit", message="Too many requests.")
        waits = Retrying(attempt=1, wait_s=4, failure=failure)
        stage = Stage(tmp_path, Scripted("first", [waits, *say("Yes.")]))
        answer = await stage.ask("Hi")
        shown = [news.words for news in stage.news if news.type == "state"]
        assert "Retrying in 4 s: Too many requests." in shown
        assert answer.state == "complete"

    asyncio.run(run())


def test_a_limit_stops_before_the_request_and_names_the_setting(tmp_path: Path):
    async def run() -> None:
        limit = "[llm.budget]\nstop_usd_per_conversation = 0.10\nwarn_usd_per_day = 0.05\n"
        model = Scripted("first", say("One.", 60), say("Two."))
        stage = Stage(tmp_path, model, config=f"{CONFIG}\n{limit}")
        stage.dollars_per_token = 0.000_001
        answer = await stage.ask("First")
        stage.dollars_per_token = 0.001
        stage.usage.add_request(used(95).usage.model_copy(update={"cost_usd": 0.09}), provider="first",
                        kind="anthropic", model="m", conversation_id=answer.conversation_id)  # fmt: skip
        stopped = await stage.ask("Second", conversation_id=answer.conversation_id)
        assert stopped.failure is not None
        assert stopped.failure.kind == "budget"
        assert "stop_usd_per_conversation" in stopped.failure.message
        assert "start a new chat" in stopped.failure.message
        assert len(model.requests) == 1

    asyncio.run(run())


def test_a_limit_that_cannot_hold_a_model_is_told_once_in_a_conversation(tmp_path: Path):
    async def run() -> None:
        limit = "[llm.budget]\nstop_usd_per_day = 1\n"
        model = Scripted("first", say("One."), say("Two."), say("Three."))
        stage = Stage(tmp_path, model, config=f"{CONFIG}\n{limit}")
        first = await stage.ask("First")
        [note] = [part for part in first.parts if isinstance(part, NotePart)]
        assert note.kind == "budget"
        assert "The price of first-model is unknown" in note.text
        second = await stage.ask("Second", conversation_id=first.conversation_id)
        assert (text_of(second), get_notes(second)) == ("Two.", [])
        stage.dollars_per_token = 0.000_001
        assert get_notes(await stage.ask("Elsewhere")) == []

    asyncio.run(run())


def test_a_limit_that_is_reached_does_not_stop_a_model_of_ones_own(tmp_path: Path):
    async def run() -> None:
        limit = "[llm.budget]\nstop_usd_per_day = 1\n"
        local = Scripted("home", say("One."), kind="custom", is_local=True)
        stage = Stage(tmp_path, local, config=f"{CONFIG}\n{limit}")
        stage.usage.add_request(used(5).usage.model_copy(update={"cost_usd": 2.0}), provider="cloud",
                        kind="anthropic", model="m", conversation_id="c")  # fmt: skip
        answer = await stage.ask("First")
        assert (text_of(answer), get_notes(answer)) == ("One.", [])

    asyncio.run(run())


def test_an_answer_is_stopped_while_it_streams_past_the_limit(tmp_path: Path):
    async def run() -> None:
        async def endless(_: ChatRequest) -> AsyncIterator[StreamEvent]:
            while True:
                yield TextDelta(text="word " * 40)
                await asyncio.sleep(0)

        model = Scripted("first", endless)
        stage = Stage(tmp_path, model, config=f"{CONFIG}\n[llm.budget]\nstop_usd_per_day = 20\n")
        stage.dollars_per_token = 0.001
        answer = await stage.ask("Write on and on")
        assert answer.failure is not None
        assert answer.failure.kind == "budget"
        assert text_of(answer).startswith("word word")
        assert model.closed == 1
        assert 5 < (answer.usage.cost_usd or 0) < 40

    asyncio.run(run())


def test_the_soft_limit_is_told_once(tmp_path: Path):
    async def run() -> None:
        model = Scripted("first", say("One.", 500), say("Two.", 600), say("Three.", 500))
        stage = Stage(tmp_path, model)
        stage.dollars_per_token = 0.001
        told = [get_notes(await stage.ask(f"Number {n}")) for n in range(3)]
        assert told == [[], ["budget"], []]

    asyncio.run(run())


def test_a_refusal_and_a_cut_answer_are_said(tmp_path: Path):
    async def run() -> None:
        refused = [Done(stop="refusal", parts=())]
        cut = [TextDelta(text="Half"), Done(stop="length", parts=(TextPart(text="Half"),))]
        stage = Stage(tmp_path, Scripted("first", refused, cut))
        first, second = await stage.ask("Bad"), await stage.ask("Long")
        assert first.failure is not None
        assert first.failure.kind == "refusal"
        assert (second.state, get_notes(second)) == ("complete", ["degraded"])

    asyncio.run(run())


def test_a_chat_that_is_switched_off_asks_nobody(tmp_path: Path):
    async def run() -> None:
        model = Scripted("first")
        stage = Stage(tmp_path, model, config=f"{CONFIG}\n[llm]\nenabled = false\n")
        answer = await stage.ask("Hi")
        assert answer.failure is not None
        assert "llm.enabled" in answer.failure.message
        assert model.requests == []

    asyncio.run(run())
