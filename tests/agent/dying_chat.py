"""Writes an answer and waits to be killed: run by `test_killed.py`. Usage: dying_chat.py HOME text|tool"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from tests.agent.stage import Scripted, Stage, call, calls

from conductor.domain.chat.messages import ChatRequest, StreamEvent, TextDelta


async def main(home: Path, during: str) -> None:
    async def words(_: ChatRequest) -> AsyncIterator[StreamEvent]:
        for n in range(10):
            yield TextDelta(text=f"word {n} ")
        await saved()
        await asyncio.Event().wait()

    async def saved() -> None:
        while True:
            await asyncio.sleep(0.05)
            kept = stage.conversations.list_conversations()
            rows = stage.conversations.list_messages(kept[0].conversation_id) if kept else ()
            if len(rows) == 2 and rows[1].parts:
                sys.stdout.write("saved\n")
                sys.stdout.flush()
                return

    async def gate(_: str) -> None:
        await saved()
        await asyncio.Event().wait()

    answer = words if during == "text" else calls(call("create_mode", "x", name="A"), text="I try.")
    stage = Stage(home, Scripted("first", answer))
    stage.tool_gate = gate
    await stage.say("Tell me")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
