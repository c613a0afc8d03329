"""An answer as it streams in: pydantic-ai's events become ours, and the parts that are kept."""

import json
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_ai import messages as wire

from conductor.domain.chat import (
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


def new_call_id() -> str:
    """Make an id of ours for a call; providers' own ids do not fit each other."""
    return f"call_{secrets.token_hex(12)}"


class Answer:
    """One answer. A call ends only with the answer, as pieces of several calls may come mixed."""

    def __init__(self) -> None:
        self._call_ids: dict[int, str] = {}

    def hear(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        """Give what an event of the stream brings."""
        if isinstance(event, wire.PartStartEvent):
            yield from self._start(event.index, event.part)
        elif isinstance(event, wire.PartDeltaEvent):
            yield from self._delta(event.index, event.delta)

    def end(self, came: Sequence[wire.ModelResponsePart]) -> Iterator[StreamEvent]:
        """Give the ends of the calls, when the answer has ended."""
        yield from calls(self.parts(came))

    def parts(self, came: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        """Give the answer's parts to be kept."""
        made = (self._part(index, part) for index, part in enumerate(came))
        return tuple(part for part in made if part is not None)

    def said(self, came: Sequence[wire.ModelResponsePart]) -> tuple[Part, ...]:
        """Give what is kept of an answer that broke: its calls may lack something, so nobody may do them."""
        return tuple(part for part in self.parts(came) if not isinstance(part, ToolCallPart))

    def _start(self, index: int, part: wire.ModelResponsePart) -> Iterator[StreamEvent]:
        if isinstance(part, wire.TextPart) and part.content:
            yield TextDelta(text=part.content)
        elif isinstance(part, wire.ThinkingPart) and part.content:
            yield ThinkingDelta(text=part.content)
        elif isinstance(part, wire.ToolCallPart):
            call_id = self._call_ids.setdefault(index, new_call_id())
            yield ToolCallStart(call_id=call_id, tool=part.tool_name)
            yield from self._arguments(index, part.args)

    def _delta(self, index: int, delta: wire.ModelResponsePartDelta) -> Iterator[StreamEvent]:
        if isinstance(delta, wire.TextPartDelta) and delta.content_delta:
            yield TextDelta(text=delta.content_delta)
        elif isinstance(delta, wire.ThinkingPartDelta) and delta.content_delta:
            yield ThinkingDelta(text=delta.content_delta)
        elif isinstance(delta, wire.ToolCallPartDelta):
            yield from self._arguments(index, delta.args_delta)

    def _arguments(self, index: int, arguments: Any) -> Iterator[StreamEvent]:
        text = json.dumps(arguments) if isinstance(arguments, dict) else arguments
        if text and index in self._call_ids:
            yield ToolArgumentsDelta(call_id=self._call_ids[index], text=text)

    def _part(self, index: int, part: wire.ModelResponsePart) -> Part | None:
        if isinstance(part, wire.TextPart):
            kept = TextPart(text=part.content, origin=_origin(part))
            return kept if kept.text or kept.origin else None
        if isinstance(part, wire.ThinkingPart):
            return ThinkingPart(text=part.content, origin=_origin(part))
        if isinstance(part, wire.ToolCallPart):
            return self._call(index, part)
        return None

    def _call(self, index: int, part: wire.ToolCallPart) -> ToolCallPart:
        call_id = self._call_ids.setdefault(index, new_call_id())
        arguments, malformed = read_arguments(part.args)
        return ToolCallPart(
            call_id=call_id,
            tool=part.tool_name,
            arguments=arguments,
            malformed=malformed,
            origin=_origin(part),
        )


def calls(parts: Sequence[Part]) -> list[ToolCallEnd]:
    """Give the events that end the calls of an answer."""
    return [ToolCallEnd(call=part) for part in parts if isinstance(part, ToolCallPart)]


def read_arguments(raw: Any) -> tuple[dict[str, Any], str | None]:
    """Give a call's arguments, or the text that should have been some."""
    if isinstance(raw, dict):
        return raw, None
    if not raw or not raw.strip():
        return {}, None
    try:
        read: Any = json.loads(raw)
    except ValueError:
        return {}, raw
    return (read, None) if isinstance(read, dict) else ({}, raw)


def _origin(part: wire.TextPart | wire.ThinkingPart | wire.ToolCallPart) -> Origin | None:
    signature = part.signature if isinstance(part, wire.ThinkingPart) else None
    if part.provider_name is None or not (part.id or signature or part.provider_details):
        return None
    return Origin(
        provider=part.provider_name,
        id=part.id,
        signature=signature,
        details=part.provider_details or {},
    )
