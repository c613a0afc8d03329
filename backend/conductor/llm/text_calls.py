"""Finds tool calls in the text of models without tool support, which write each call as a fenced block."""

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
from conductor.llm.answer import StreamedAnswer, create_call_id, list_tool_call_ends
from conductor.llm.without_tools import compute_shown_length, find_call_blocks, parse_call_block


class TextCallAnswer(StreamedAnswer):
    """A streamed answer in which the model writes tool calls as fenced blocks of text.

    The user sees the text before the first block. Each block becomes a tool call.
    """

    def __init__(self, provider: str, model: str) -> None:
        super().__init__(provider, model)
        self._text = ""
        self._shown_length = 0
        self._parsed_calls: tuple[ToolCallPart, ...] = ()

    def translate_event(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        for translated in super().translate_event(event):
            if isinstance(translated, TextDelta):
                self._text += translated.text
                yield from self._yield_text_until(compute_shown_length(self._text))
            else:
                yield translated

    def list_end_events(self, received: Sequence[wire.ModelResponsePart]) -> Iterator[StreamEvent]:
        blocks = find_call_blocks(self._text)
        yield from self._yield_text_until(
            len(self._text) if not blocks else compute_shown_length(self._text)
        )
        self._parsed_calls = tuple(parse_call_block(block, create_call_id()) for block in blocks)
        for call in self._parsed_calls:
            yield ToolCallStart(call_id=call.call_id, tool=call.tool)
        yield from list_tool_call_ends(self._parsed_calls)

    def build_parts(self, received: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        others = [part for part in super().build_parts(received) if not isinstance(part, TextPart)]
        text = self._text[: self._shown_length].rstrip()
        return (*others, *([TextPart(text=text)] if text else []), *self._parsed_calls)

    def _yield_text_until(self, until: int) -> Iterator[StreamEvent]:
        if until > self._shown_length:
            yield TextDelta(text=self._text[self._shown_length : until])
            self._shown_length = until
