"""Which conversation receives what the user says with push-to-talk."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from tests.agent.stage import Scripted, Stage, say

from conductor.agent import spoken_messages
from conductor.agent.spoken_messages import send_spoken_message


@pytest.mark.parametrize(("continues_for_s", "is_continued"), [(1_800, True), (-1, False)])
def test_a_conversation_continues_only_if_its_last_message_is_recent(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    continues_for_s: int,
    is_continued: bool,
):
    monkeypatch.setattr(
        spoken_messages, "CONVERSATION_CONTINUES_FOR", timedelta(seconds=continues_for_s)
    )

    async def run() -> None:
        stage = Stage(tmp_path, Scripted("first", say("A."), say("B.")))
        written = await stage.ask("Write a mapping")
        spoken = await send_spoken_message(stage.chat, "mute it")
        await stage.chat.close()
        assert (spoken == written.conversation_id) is is_continued

    asyncio.run(run())
