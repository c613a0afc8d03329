"""Conductor is killed while an answer is written: after the next start nothing is missing."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from tests.agent.stage import Scripted, Stage, get_notes, results_of, say, text_of, told_to
from tests.support.running import REPOSITORY


@pytest.mark.parametrize("during", ["text", "tool"])
def test_what_had_come_is_there_after_a_kill_and_the_conversation_goes_on(
    tmp_path: Path, during: str
):
    dying = subprocess.Popen(
        [sys.executable, "-m", "tests.agent.dying_chat", str(tmp_path), during],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert dying.stdout is not None
    with dying:
        assert dying.stdout.readline() == "saved\n"
        dying.kill()

    async def run() -> None:
        stage = Stage(tmp_path, model := Scripted("first", say("And on.")))
        assert stage.conversations.mark_unfinished_as_stopped() == 1
        [conversation] = stage.chat.conversations.list_conversations()
        user, answer = stage.conversations.list_branch_messages(conversation.conversation_id)
        assert (text_of(user), answer.state) == ("Tell me", "stopped")
        assert get_notes(answer) == ["restarted"]
        assert answer.usage.requests == 1
        assert answer.usage.input_tokens > 0
        if during == "text":
            assert text_of(answer) == "".join(f"word {n} " for n in range(10))
        else:
            assert [part.ok for part in results_of(answer)] == [False]
        went_on = await stage.answered(await stage.chat.resume_answer(answer.message_id))
        assert went_on.state == "complete"
        assert "Tell me" in told_to(model.requests[0])

    asyncio.run(run())
