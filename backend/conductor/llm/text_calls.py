"""Parses tool calls from fenced blocks in the text of a model without tool support."""

from collections.abc import Iterator, Sequence

from pydantic_ai import messages as wire

from conductor.domain.chat.messages import (
    Part,
    StreamEvent,
    TextDelta,
    TextPart,
    ToolCallPart,
    ToolCallStart,
)
from conductor.llm.answer import Answer, calls, new_call_id
from conductor.llm.without_tools import find_blocks, parse_call, shown_length


class TextCallsAnswer(Answer):
    """A streamed answer in which tool calls are written as fenced blocks of text.

    The text before the first block is shown; each block becomes a tool call.
    """

    def __init__(self, row: str, model: str) -> None:
        super().__init__(row, model)
        self._text = ""
        self._shown = 0
        self._calls: tuple[ToolCallPart, ...] = ()

    def translate(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        for told in super().translate(event):
            if isinstance(told, TextDelta):
                self._text += told.text
                yield from self._show(shown_length(self._text))
            else:
                yield told

    def end(self, received: Sequence[wire.ModelResponsePart]) -> Iterator[StreamEvent]:
        blocks = find_blocks(self._text)
        yield from self._show(len(self._text) if not blocks else shown_length(self._text))
        self._calls = tuple(parse_call(block, new_call_id()) for block in blocks)
        for call in self._calls:
            yield ToolCallStart(call_id=call.call_id, tool=call.tool)
        yield from calls(self._calls)

    def parts(self, received: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        others = [part for part in super().parts(received) if not isinstance(part, TextPart)]
        text = self._text[: self._shown].rstrip()
        return (*others, *([TextPart(text=text)] if text else []), *self._calls)

    def _show(self, until: int) -> Iterator[StreamEvent]:
        if until > self._shown:
            yield TextDelta(text=self._text[self._shown : until])
            self._shown = until
