"""Whatever is said, sent or in the way: an answer ends, its text is kept, and the conversation goes on."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import text
from tests.agent.stage import (
    Scripted,
    Stage,
    call,
    calls,
    get_notes,
    results_of,
    say,
    states,
    text_of,
)

from conductor.agent.chat import Chat
from conductor.domain.chat.messages import (
    ChatMessage,
    ImagePart,
    SendRequest,
    StreamEvent,
    TextPart,
)
from conductor.errors import InvalidParams
from conductor.storage.conversations import Conversations

FULL = """
CREATE TRIGGER full BEFORE UPDATE ON message WHEN NEW.state != 'streaming'
BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END
"""


class Faulty(Conversations):
    """Has a fault of ours when a certain text is put."""

    faults = 0

    def save_messages(self, *messages: ChatMessage, tip_id: str | None = None) -> None:
        if self.faults and any("boom" in text_of(message) for message in messages):
            self.faults -= 1
            raise ZeroDivisionError
        super().save_messages(*messages, tip_id=tip_id)


def deep(levels: int) -> dict[str, Any]:
    return json.loads('{"a":' * levels + "1" + "}" * levels)


def sql(stage: Stage, statement: str) -> None:
    with stage.database.write_session() as session:
        session.connection().execute(text(statement))


@pytest.mark.parametrize(
    "answer",
    [
        say("half an emoji \ud83d"),
        calls(call("get_mappings", mode="\ud83d")),
        calls(call("get_mappings", **deep(150))),
        calls(call("get_mappings", **deep(300))),
    ],
    ids=["half a letter", "half a letter in a call", "unreadably deep", "unwritably deep"],
)
def test_an_odd_answer_ends_and_is_kept(tmp_path: Path, answer: Sequence[StreamEvent]):
    async def run() -> None:
        stage = Stage(tmp_path, Scripted("first", answer, say("after"), say("next")))
        message = await stage.ask("hi")
        assert message.state == "complete"
        assert message.parts[0].type != "note"
        assert all(not result.ok for result in results_of(message))
        for news in stage.news:
            news.model_dump_json()
        again = await stage.ask("again", conversation_id=message.conversation_id)
        assert again.state == "complete"

    asyncio.run(run())


def test_what_waits_survives_a_fault_and_goes_before_what_is_said_next(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, Scripted("first", *(say(word) for word in ("One.", "Two.", "3."))))
        stage.conversations = faulty = Faulty(lambda: stage.database)
        stage.chat = Chat(stage.desk())
        stage.chat.add_listener(stage.hear)
        faulty.faults = 1
        first = await stage.say("1")
        queued = await stage.say("boom", conversation_id=first.conversation_id)
        assert queued.queued
        await stage.answered(first)
        _, messages, run = stage.chat.conversations.open_conversation(first.conversation_id)
        assert (run.running, run.queued) == (False, ("boom",))
        assert messages[-1].state == "failed"
        assert messages[-1].failure is not None
        await stage.say("3", conversation_id=first.conversation_id)
        await stage.answered(first)
        _, messages, run = stage.chat.conversations.open_conversation(first.conversation_id)
        assert [text_of(one) for one in messages if one.role == "user"] == ["1", "boom", "3"]
        assert run.queued == ()

    asyncio.run(run())


def test_an_answer_that_cannot_be_saved_is_told_and_saved_when_there_is_room(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, Scripted("first", say("Kept all the same."), say("Next.")))
        sql(stage, FULL)
        sent = await stage.say("hi")
        kept = await stage.answered(sent)
        assert kept.state == "streaming"
        shown = stage.chat.conversations.open_conversation(sent.conversation_id)[1][-1]
        assert (shown.state, text_of(shown)) == ("complete", "Kept all the same.")
        assert get_notes(shown) == ["degraded"]
        sql(stage, "DROP TRIGGER full")
        shown = stage.chat.conversations.open_conversation(sent.conversation_id)[1][-1]
        assert (shown.state, get_notes(shown)) == ("complete", [])
        assert await stage.answered(sent) == shown

    asyncio.run(run())


def test_a_message_follows_only_one_of_its_conversation(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, Scripted("first", say("One.")))
        sent = await stage.say("1")
        await stage.answered(sent)
        for conversation_id in (None, sent.conversation_id):
            with pytest.raises(InvalidParams, match=r"parent_id|no message `nope`"):
                await stage.say("2", conversation_id=conversation_id, parent_id="nope")
        assert len(stage.conversations.list_conversations()) == 1
        assert not stage.chat.conversations.open_conversation(sent.conversation_id)[2].running

    asyncio.run(run())


def test_what_is_said_is_cleaned_or_refused_before_it_is_stored():
    said = SendRequest.model_validate({"parts": [{"type": "text", "text": "a \ud83d b"}]})
    assert said.parts == (TextPart(text="a \ufffd b"),)
    image = ImagePart(name="x.png", media_type="image/png", data="%%%")
    with pytest.raises(ValidationError, match=r"image `x.png` is not base64"):
        SendRequest(parts=(image,))
    for name in ("conversation_id", "parent_id", "provider", "model"):
        with pytest.raises(ValidationError, match="at most"):
            SendRequest.model_validate({"parts": said.parts, name: "m" * 100_000})


def test_the_position_of_an_odd_answer_can_be_sent(tmp_path: Path):
    async def run() -> None:
        odd = call("get_status", call_id="c1").model_copy(update={"tool": "half \ud83d"})
        stage = Stage(tmp_path, Scripted("first", calls(odd), say("after")))
        await stage.ask("hi")
        assert "half \ufffd" in [news.words for news in states(stage)]

    asyncio.run(run())
