"""Converts a streaming answer from pydantic-ai to Conductor's events and message parts."""

import secrets
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_ai import messages as wire

from conductor.base.json_types import JsonObject
from conductor.domain.chat.messages import (
    Origin,
    Part,
    StreamEvent,
    TextDelta,
    TextPart,
    ThinkingDelta,
    ThinkingPart,
    ToolArgumentsDelta,
    ToolCallEnd,
    ToolCallPart,
    ToolCallStart,
)
from conductor.llm.fit import (
    Pieces,
    arguments_to_text,
    plain,
    read_arguments,
    repair_surrogates,
    tool_name,
)


def new_call_id() -> str:
    """Return a new tool call id. The providers' own ids have incompatible formats."""
    return f"call_{secrets.token_hex(12)}"


class Answer:
    """Collects the pieces of one streaming answer and builds its message parts.

    Tool calls are completed only when the answer ends, because their pieces may be interleaved.
    """

    def __init__(self, row: str, model: str) -> None:
        """`row` is the name of the provider, `model` the model that answers."""
        self._row, self._model = row, model
        self._call_ids: dict[int, str] = {}
        self._pieces: defaultdict[int, Pieces] = defaultdict(Pieces)

    def translate(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        """Convert one event of the SDK's stream into Conductor's events."""
        if isinstance(event, wire.PartStartEvent):
            yield from self._start(event.index, event.part)
        elif isinstance(event, wire.PartDeltaEvent):
            yield from self._translate_delta(event.index, event.delta)

    def end(self, received: Sequence[wire.ModelResponsePart]) -> Iterator[StreamEvent]:
        """Yield the final events of an answer, after its stream has ended. Later stream events are ignored.

        The answer ends and is published even if it cannot be saved; then the error is raised.
        """
        yield from calls(self.parts(received))

    def parts(self, received: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        """Return the message parts of the answer."""
        made = (self._read_part(index, part) for index, part in enumerate(received))
        return tuple(part for part in made if part is not None)

    def parts_without_calls(self, received: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        """Return the parts of an interrupted answer, without its tool calls, which may be incomplete."""
        return tuple(part for part in self.parts(received) if not isinstance(part, ToolCallPart))

    def _start(self, index: int, part: wire.ModelResponsePart) -> Iterator[StreamEvent]:
        if isinstance(part, wire.TextPart):
            yield from self._add_text_piece(index, part.content)
        elif isinstance(part, wire.ThinkingPart):
            yield from self._add_thinking_piece(index, part.content)
        elif isinstance(part, wire.ToolCallPart):
            call_id = self._call_ids.setdefault(index, new_call_id())
            yield ToolCallStart(call_id=call_id, tool=tool_name(part.tool_name))
            yield from self._add_arguments(index, part.args)

    def _translate_delta(
        self, index: int, delta: wire.ModelResponsePartDelta
    ) -> Iterator[StreamEvent]:
        if isinstance(delta, wire.TextPartDelta):
            yield from self._add_text_piece(index, delta.content_delta)
        elif isinstance(delta, wire.ThinkingPartDelta):
            yield from self._add_thinking_piece(index, delta.content_delta)
        elif isinstance(delta, wire.ToolCallPartDelta):
            yield from self._add_arguments(index, delta.args_delta)

    def _add_text_piece(self, index: int, piece: str) -> Iterator[StreamEvent]:
        if text := self._pieces[index].add(piece):
            yield TextDelta(text=text)

    def _add_thinking_piece(self, index: int, piece: str | None) -> Iterator[StreamEvent]:
        if text := self._pieces[index].add(piece or ""):
            yield ThinkingDelta(text=text)

    def _add_arguments(self, index: int, arguments: Any) -> Iterator[StreamEvent]:
        piece = arguments if isinstance(arguments, str) else arguments_to_text(arguments or "")
        text = self._pieces[index].add(piece)
        if text and index in self._call_ids:
            yield ToolArgumentsDelta(call_id=self._call_ids[index], text=text)

    def _read_part(self, index: int, part: wire.ModelResponsePart) -> Part | None:
        if isinstance(part, wire.TextPart):
            kept = TextPart(text=repair_surrogates(part.content), origin=self._origin(part))
            return kept if kept.text or kept.origin else None
        if isinstance(part, wire.ThinkingPart):
            return ThinkingPart(text=repair_surrogates(part.content), origin=self._origin(part))
        if isinstance(part, wire.ToolCallPart):
            return self._read_call(index, part)
        return None

    def _read_call(self, index: int, part: wire.ToolCallPart) -> ToolCallPart:
        call_id = self._call_ids.setdefault(index, new_call_id())
        arguments, malformed = read_arguments(part.args)
        return ToolCallPart(
            call_id=call_id,
            tool=tool_name(part.tool_name),
            arguments=arguments,
            malformed=malformed,
            origin=self._origin(part),
        )

    def _origin(self, part: wire.TextPart | wire.ThinkingPart | wire.ToolCallPart) -> Origin | None:
        signature = part.signature if isinstance(part, wire.ThinkingPart) else None
        if part.provider_name is None or not (part.id or signature or part.provider_details):
            return None
        return Origin(
            provider=part.provider_name,
            row=self._row,
            model=self._model,
            id=repair_surrogates(part.id) if part.id else None,
            signature=repair_surrogates(signature) if signature else None,
            details=_read_details(part.provider_details),
        )


def calls(parts: Sequence[Part]) -> list[ToolCallEnd]:
    """Return the end event of each tool call in an answer."""
    return [ToolCallEnd(call=part) for part in parts if isinstance(part, ToolCallPart)]


def _read_details(details: JsonObject | None) -> JsonObject:
    """Return the provider's metadata of a part, which must be sent back with the part. Return an empty
    object if the metadata is not plain JSON.
    """
    try:
        return plain(details or {})
    except ValueError:
        return {}
