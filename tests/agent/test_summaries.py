"""Summaries replace earlier messages; they are made automatically or on request, completely or not at all."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.agent.stage import (
    CONFIG,
    COPY,
    Scripted,
    Stage,
    call,
    calls,
    fails,
    get_notes,
    plans_of,
    say,
    spin,
    text_of,
)

from conductor.domain.chat.messages import ChatMessage, ChatRequest, StreamEvent, TextDelta
from conductor.errors import NotAvailable

NO_NEW_PLACE = """
CREATE TRIGGER no_new_place BEFORE UPDATE OF parent_id ON message
WHEN new.parent_id IS NOT old.parent_id BEGIN SELECT RAISE(ABORT, 'no new place'); END
"""


def test_a_summary_replaces_earlier_messages_and_nothing_is_lost(tmp_path: Path):
    async def run() -> None:
        model = Scripted(
            "first",
            calls(call("create_mapping", **COPY)),
            say("Planned."),
            say("They wanted pad 36 to copy."),
            say("Go on, then."),
        )
        stage = Stage(tmp_path, model)
        answer = await stage.ask("Map pad 36 to copy")
        [plan_id] = plans_of(answer)
        await stage.chat.compact_conversation(answer.conversation_id)
        summary = stage.conversations.list_branch_messages(answer.conversation_id)[-1]
        assert summary.summary
        assert "pad 36 to copy" in text_of(summary)
        assert plan_id in text_of(summary)
        await stage.ask("Next wish", conversation_id=answer.conversation_id)
        told = model.requests[-1].messages
        assert [one.summary for one in told] == [True, False]
        assert len(stage.conversations.list_branch_messages(answer.conversation_id)) == 5

    asyncio.run(run())


def test_a_conversation_that_nearly_fills_the_window_is_summarised_by_itself(tmp_path: Path):
    async def run() -> None:
        model = Scripted(
            "first", say("Yes. " * 400, 9_000), say("In short."), say("Fine."), window=10_000
        )
        stage = Stage(tmp_path, model)
        first = await stage.ask("Tell me")
        answer = await stage.ask("More", conversation_id=first.conversation_id)
        branch = stage.conversations.list_branch_messages(first.conversation_id)
        assert [one.summary for one in branch] == [False, False, True, False, False]
        assert branch[-1].message_id == answer.message_id
        assert get_notes(answer) == ["compacted"]
        assert [one.summary for one in model.requests[-1].messages] == [True, False]

    asyncio.run(run())


def test_a_summary_that_cannot_be_kept_whole_leaves_all_as_it_was(tmp_path: Path):
    async def run() -> None:
        model = Scripted(
            "first", say("Yes. " * 400, 9_000), say("In short."), say("Fine."), window=10_000
        )
        stage = Stage(tmp_path, model)
        first = await stage.ask("Tell me")
        with closing(sqlite3.connect(tmp_path / "conductor.db")) as database:
            database.execute(NO_NEW_PLACE)
        failed = await stage.ask("More", conversation_id=first.conversation_id)
        branch = stage.conversations.list_branch_messages(first.conversation_id)
        assert [text_of(one) for one in branch[2:]] == ["More", ""]
        assert branch[-1].message_id == failed.message_id
        assert failed.failure is not None
        assert "no new place" in failed.failure.message

    asyncio.run(run())


def test_a_summary_can_be_stopped(tmp_path: Path):
    async def run() -> None:
        async def never(_: ChatRequest) -> AsyncIterator[StreamEvent]:
            await asyncio.Event().wait()
            yield TextDelta(text="")

        stage = Stage(tmp_path, model := Scripted("first", say("A."), never, say("B.")))
        answer = await stage.ask("One")
        compacting = asyncio.create_task(stage.chat.compact_conversation(answer.conversation_id))
        await stage.until(
            lambda: stage.chat.conversations.open_conversation(answer.conversation_id)[2].running
        )
        await spin(lambda: len(model.requests) == 2)
        await stage.chat.stop_answer(answer.conversation_id)
        with pytest.raises(NotAvailable, match="stopped"):
            await compacting
        assert text_of(await stage.ask("Two", conversation_id=answer.conversation_id)) == "B."

    asyncio.run(run())


def test_a_summary_that_is_stopped_before_it_is_asked_for_is_not_asked_for(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, model := Scripted("first", say("A."), say("In short.")))
        answer = await stage.ask("One")
        compacting = asyncio.create_task(stage.chat.compact_conversation(answer.conversation_id))
        await asyncio.sleep(0)
        await stage.chat.stop_answer(answer.conversation_id)
        with pytest.raises(NotAvailable, match="stopped"):
            await compacting
        assert len(model.requests) == 1
        assert len(stage.conversations.list_branch_messages(answer.conversation_id)) == 2

    asyncio.run(run())


def test_a_summary_that_fails_says_why_and_leaves_all_as_it_was(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, Scripted("first", say("A."), fails("overloaded")))
        answer = await stage.ask("One")
        with pytest.raises(NotAvailable, match="Do something"):
            await stage.chat.compact_conversation(answer.conversation_id)
        assert len(stage.conversations.list_branch_messages(answer.conversation_id)) == 2
        assert not stage.chat.conversations.open_conversation(answer.conversation_id)[2].running

    asyncio.run(run())


def test_a_summary_is_priced_logged_and_held_by_the_budget(tmp_path: Path):
    async def run() -> None:
        limit = "[llm.budget]\nstop_usd_per_conversation = 1.0\n"
        model = Scripted("first", say("A."), say("In short.", 400))
        stage = Stage(tmp_path, model, config=f"{CONFIG}\n{limit}")
        stage.dollars_per_token = 0.000_01
        answer = await stage.ask("One")
        before = stage.usage.sum_conversation_cost(answer.conversation_id)
        await stage.chat.compact_conversation(answer.conversation_id)
        summary = stage.conversations.list_branch_messages(answer.conversation_id)[-1]
        assert (summary.usage.requests, summary.usage.cost_from) == (1, "prices")
        spent = stage.usage.sum_conversation_cost(answer.conversation_id)
        assert spent - before == pytest.approx(405 * 0.000_01)
        await asyncio.to_thread(_put_more, stage, answer)
        stage.dollars_per_token = 1.0
        with pytest.raises(NotAvailable, match="stop_usd_per_conversation"):
            await stage.chat.compact_conversation(answer.conversation_id)
        assert len(model.requests) == 2

    asyncio.run(run())


def _put_more(stage: Stage, answer: ChatMessage) -> None:
    """Add messages after the summary, which the next compaction can summarise."""
    tip = stage.conversations.list_branch_messages(answer.conversation_id)[-1].message_id
    more = {"message_id": "more", "parent_id": tip}
    stage.conversations.save_messages(answer.model_copy(update=more))
