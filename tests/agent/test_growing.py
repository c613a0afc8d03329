"""An answer as a page sees it grow: what is told fits what is given to who opens the conversation meanwhile."""

import asyncio
from pathlib import Path

from tests.agent.stage import Scripted, Stage, call, fails, say, used

from conductor.domain.chat.events import (
    CallEvent,
    ChatEvent,
    DeltaEvent,
    MessageEvent,
    PartEvent,
)
from conductor.domain.chat.messages import (
    Done,
    StreamEvent,
    TextDelta,
    TextPart,
    ThinkingDelta,
    ThinkingPart,
    ToolArgumentsDelta,
    ToolCallEnd,
    ToolCallStart,
)

LOOK = call("get_modes")
BEGUN: list[StreamEvent] = [
    TextDelta(text="I look."),
    ToolCallStart(call_id=LOOK.call_id, tool=LOOK.tool),
    ToolArgumentsDelta(call_id=LOOK.call_id, text="{"),
    ThinkingDelta(text="what "),
    ThinkingDelta(text="then"),
]
MIXED: list[StreamEvent] = [
    *BEGUN,
    ToolCallEnd(call=LOOK),
    used(),
    Done(stop="tool_calls", parts=(TextPart(text="I look."), LOOK, ThinkingPart(text="what then"))),
]
KINDS = {"delta": ("text", "thinking"), "call": ("tool_call",)}


def test_what_comes_after_the_start_of_a_call_has_its_place_in_what_is_opened(tmp_path: Path):
    stage = Stage(tmp_path, Scripted("first", MIXED, say("Done.")))
    misplaced: list[ChatEvent] = []

    def look(news: ChatEvent) -> None:
        if isinstance(news, PartEvent | DeltaEvent | CallEvent):
            parts = stage.chat.conversations.open_conversation(news.conversation_id)[1][-1].parts
            wanted = (news.part.type,) if isinstance(news, PartEvent) else KINDS[news.type]
            if news.index >= len(parts) or parts[news.index].type not in wanted:
                misplaced.append(news)

    stage.chat.add_listener(look)
    answer = asyncio.run(stage.ask("look"))
    assert misplaced == []
    assert [part.type for part in answer.parts] == [
        *("text", "tool_call", "thinking", "tool_result", "text")
    ]
    whole = [news for news in stage.news if isinstance(news, MessageEvent)]
    assert len(whole) == 3  # what the user said, and the answer as it began and ended


def test_the_arguments_of_a_call_are_told_piece_by_piece(tmp_path: Path):
    pieces = [ToolArgumentsDelta(call_id=LOOK.call_id, text=text) for text in ("", "}", " ")]
    stage = Stage(tmp_path, Scripted("first", [*MIXED[:3], *pieces, *MIXED[5:]], say("Done.")))
    asyncio.run(stage.ask("look"))
    told = [(news.text, news.at) for news in stage.news if isinstance(news, CallEvent)]
    assert told == [("", 0), ("{", 0), ("", 1), ("}", 1), (" ", 2)]


def test_a_call_that_broke_off_leaves_no_place_and_is_not_kept(tmp_path: Path):
    stage = Stage(tmp_path, Scripted("first", fails("network", *BEGUN)))
    answer = asyncio.run(stage.ask("look"))
    assert [part.type for part in answer.parts] == ["text"]
    told = [news.message for news in stage.news if isinstance(news, MessageEvent)]
    assert [part.type for part in told[-2].parts] == ["text"]
    assert told[-2].state == "streaming"
