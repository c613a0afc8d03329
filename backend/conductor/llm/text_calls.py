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
from conductor.llm.answer import Answer, list_call_ends, new_call_id
from conductor.llm.without_tools import find_call_blocks, find_shown_length, parse_call


class TextCallAnswer(Answer):
    """A streamed answer in which tool calls are written as fenced blocks of text.

    The text before the first block is shown; each block becomes a tool call.
    """

    def __init__(self, provider: str, model: str) -> None:
        super().__init__(provider, model)
        self._text = ""
        self._shown_length = 0
        self._parsed_calls: tuple[ToolCallPart, ...] = ()

    def translate(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        for translated in super().translate(event):
            if isinstance(translated, TextDelta):
                self._text += translated.text
                yield from self._yield_text(find_shown_length(self._text))
            else:
                yield translated

    def end(self, received: Sequence[wire.ModelResponsePart]) -> Iterator[StreamEvent]:
        blocks = find_call_blocks(self._text)
        yield from self._yield_text(
            len(self._text) if not blocks else find_shown_length(self._text)
        )
        self._parsed_calls = tuple(parse_call(block, new_call_id()) for block in blocks)
        for call in self._parsed_calls:
            yield ToolCallStart(call_id=call.call_id, tool=call.tool)
        yield from list_call_ends(self._parsed_calls)

    def parts(self, received: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        others = [part for part in super().parts(received) if not isinstance(part, TextPart)]
        text = self._text[: self._shown_length].rstrip()
        return (*others, *([TextPart(text=text)] if text else []), *self._parsed_calls)

    def _yield_text(self, until: int) -> Iterator[StreamEvent]:
        if until > self._shown_length:
            yield TextDelta(text=self._text[self._shown_length : until])
            self._shown_length = until
