"""Converts the streamed answer of pydantic-ai to Conductor's stream events and message parts."""

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
    IncompleteTextJoiner,
    clean_tool_name,
    copy_plain_json,
    parse_tool_arguments,
    repair_surrogates,
    serialize_tool_arguments,
)


def create_call_id() -> str:
    """Return a new id for a tool call.

    The ids of the providers are not used, because a conversation may continue with another provider whose
    ids have another format.
    """
    return f"call_{secrets.token_hex(12)}"


class StreamedAnswer:
    """Converts the events of one streamed answer and builds the message parts of that answer.

    A tool call is completed only at the end of the answer, because providers may interleave the arguments
    of several calls.
    """

    def __init__(self, provider: str, model: str) -> None:
        """Remember the provider and the model that write the answer, because a part is later sent back with
        its signature only to the model that wrote it.
        """
        self._provider, self._model = provider, model
        self._call_ids: dict[int, str] = {}
        self._joiners: defaultdict[int, IncompleteTextJoiner] = defaultdict(IncompleteTextJoiner)

    def translate_event(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        """Convert one event of pydantic-ai's stream to zero or more of Conductor's stream events."""
        if isinstance(event, wire.PartStartEvent):
            yield from self._translate_part_start(event.index, event.part)
        elif isinstance(event, wire.PartDeltaEvent):
            yield from self._translate_part_delta(event.index, event.delta)

    def list_end_events(self, received: Sequence[wire.ModelResponsePart]) -> Iterator[StreamEvent]:
        """Yield a `ToolCallEnd` event with the parsed arguments for each tool call.

        Call this after the stream has ended.
        """
        yield from list_tool_call_ends(self.build_parts(received))

    def build_parts(self, received: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        """Return the message parts of a complete answer: text, thinking and tool calls."""
        converted = (self._convert_part(index, part) for index, part in enumerate(received))
        return tuple(part for part in converted if part is not None)

    def build_parts_without_calls(
        self, received: Sequence[wire.ModelResponsePart]
    ) -> tuple[Part, ...]:
        """Return the text and thinking of an interrupted answer.

        Tool calls are left out, because their arguments may be incomplete.
        """
        return tuple(
            part for part in self.build_parts(received) if not isinstance(part, ToolCallPart)
        )

    def _translate_part_start(
        self, index: int, part: wire.ModelResponsePart
    ) -> Iterator[StreamEvent]:
        if isinstance(part, wire.TextPart):
            yield from self._add_text_piece(index, part.content)
        elif isinstance(part, wire.ThinkingPart):
            yield from self._add_thinking_piece(index, part.content)
        elif isinstance(part, wire.ToolCallPart):
            call_id = self._call_ids.setdefault(index, create_call_id())
            yield ToolCallStart(call_id=call_id, tool=clean_tool_name(part.tool_name))
            yield from self._add_arguments_piece(index, part.args)

    def _translate_part_delta(
        self, index: int, delta: wire.ModelResponsePartDelta
    ) -> Iterator[StreamEvent]:
        if isinstance(delta, wire.TextPartDelta):
            yield from self._add_text_piece(index, delta.content_delta)
        elif isinstance(delta, wire.ThinkingPartDelta):
            yield from self._add_thinking_piece(index, delta.content_delta)
        elif isinstance(delta, wire.ToolCallPartDelta):
            yield from self._add_arguments_piece(index, delta.args_delta)

    def _add_text_piece(self, index: int, piece: str) -> Iterator[StreamEvent]:
        if text := self._joiners[index].add(piece):
            yield TextDelta(text=text)

    def _add_thinking_piece(self, index: int, piece: str | None) -> Iterator[StreamEvent]:
        if text := self._joiners[index].add(piece or ""):
            yield ThinkingDelta(text=text)

    def _add_arguments_piece(self, index: int, arguments: Any) -> Iterator[StreamEvent]:
        piece = (
            arguments if isinstance(arguments, str) else serialize_tool_arguments(arguments or "")
        )
        text = self._joiners[index].add(piece)
        if text and index in self._call_ids:
            yield ToolArgumentsDelta(call_id=self._call_ids[index], text=text)

    def _convert_part(self, index: int, part: wire.ModelResponsePart) -> Part | None:
        if isinstance(part, wire.TextPart):
            text_part = TextPart(
                text=repair_surrogates(part.content), origin=self._build_part_origin(part)
            )
            return text_part if text_part.text or text_part.origin else None
        if isinstance(part, wire.ThinkingPart):
            return ThinkingPart(
                text=repair_surrogates(part.content), origin=self._build_part_origin(part)
            )
        if isinstance(part, wire.ToolCallPart):
            return self._convert_tool_call(index, part)
        return None

    def _convert_tool_call(self, index: int, part: wire.ToolCallPart) -> ToolCallPart:
        call_id = self._call_ids.setdefault(index, create_call_id())
        arguments, malformed = parse_tool_arguments(part.args)
        return ToolCallPart(
            call_id=call_id,
            tool=clean_tool_name(part.tool_name),
            arguments=arguments,
            malformed=malformed,
            origin=self._build_part_origin(part),
        )

    def _build_part_origin(
        self, part: wire.TextPart | wire.ThinkingPart | wire.ToolCallPart
    ) -> Origin | None:
        signature = part.signature if isinstance(part, wire.ThinkingPart) else None
        if part.provider_name is None or not (part.id or signature or part.provider_details):
            return None
        return Origin(
            provider=part.provider_name,
            row=self._provider,
            model=self._model,
            id=repair_surrogates(part.id) if part.id else None,
            signature=repair_surrogates(signature) if signature else None,
            details=_sanitize_provider_details(part.provider_details),
        )


def list_tool_call_ends(parts: Sequence[Part]) -> list[ToolCallEnd]:
    """Return one `ToolCallEnd` event for each tool call among the parts of an answer."""
    return [ToolCallEnd(call=part) for part in parts if isinstance(part, ToolCallPart)]


def _sanitize_provider_details(details: JsonObject | None) -> JsonObject:
    """Return a copy of the metadata that the provider requires with this part in the next request.

    If the metadata is not plain JSON, it could not be stored, so an empty object is returned.
    """
    try:
        return copy_plain_json(details or {})
    except ValueError:
        return {}
