"""One request and its answer over a wire: sent once, with nothing tried again."""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, cast

import httpx2
from pydantic_ai import messages as wire
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from conductor.base.json_types import JsonObject
from conductor.domain.chat.messages import (
    Capabilities,
    ChatRequest,
    Part,
    StopReason,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
)
from conductor.llm.answer import Answer
from conductor.llm.messages import Reader, history
from conductor.llm.problems import TOO_MUCH, Refused
from conductor.llm.text_calls import TextCallsAnswer
from conductor.llm.without_tools import instructions

PIECE = 40
"""How much text comes at once where a provider does not stream."""
LONGEST_ANSWER = 1_000_000
"""Characters; twice what models write at most."""
_HEADS: ContextVar[list[httpx2.Response] | None] = ContextVar("heads", default=None)


async def on_response(response: httpx2.Response) -> None:
    """Keep the head of a response for the exchange it belongs to, which waits for it in this very context."""
    heads = _HEADS.get()
    if heads is not None:
        heads.append(response)


class Exchange:
    """One request. When the events have ended, well or not, it knows what came."""

    def __init__(
        self,
        model: Model,
        request: ChatRequest,
        can: Capabilities,
        *,
        row: str,
        settings: Mapping[str, Any],
    ) -> None:
        self._model, self._request, self._can = model, request, can
        self._settings = cast("ModelSettings", dict(settings))
        self._reader = Reader(model.system, row, request.model, can.tools, can.images)
        made_by = (row, request.model)
        self._answer = Answer(*made_by) if can.tools else TextCallsAnswer(*made_by)
        self._response: wire.ModelResponse | None = None
        self._length = 0
        self._heads: list[httpx2.Response] = []

    async def events(self) -> AsyncGenerator[StreamEvent]:
        """Send the request and give what comes; a whole answer ends with the ends of its calls.

        Raises whatever the SDK raises.
        """
        _HEADS.set(self._heads)
        arguments = (self._model, history(self._request, self._reader))
        more: JsonObject = {
            "model_settings": self._settings,
            "model_request_parameters": self._parameters(),
        }
        if self._can.streaming:
            async with model_request_stream(*arguments, **more) as stream:
                try:
                    async for event in stream:
                        for told in self._heard(event):
                            yield told
                finally:
                    self._response = stream.get()
                    await self._hang_up()
        else:
            self._response = await model_request(*arguments, **more)
            for event in in_pieces(self._response.parts):
                for told in self._heard(event):
                    yield told
        if self._is_whole():
            for told in self._answer.end(self._came):
                yield told

    def _heard(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        for told in self._answer.hear(event):
            if isinstance(told, TextDelta | ThinkingDelta | ToolArgumentsDelta):
                self._length += len(told.text)
            if self._length > LONGEST_ANSWER:
                raise Refused(TOO_MUCH)
            yield told

    @property
    def response(self) -> wire.ModelResponse | None:
        """What came until now, if the provider answered at all."""
        return self._response

    @property
    def headers(self) -> Mapping[str, str]:
        """What the head of the response says."""
        return self._heads[-1].headers if self._heads else {}

    def parts(self) -> tuple[Part, ...]:
        """Return the parts of an answer that came to its end."""
        return self._answer.parts(self._came)

    def kept(self) -> tuple[Part, ...]:
        """Return what is worth keeping of an answer that broke."""
        return self._answer.said(self._came)

    def stop(self) -> StopReason | None:
        """Return why the answer ended; None: it did not, the connection did."""
        if self._response is None or not self._is_whole():
            return None
        if self._raw_reason == "model_context_window_exceeded":
            return "context_overflow"
        reason = self._response.finish_reason
        if reason == "length" or self._raw_reason == "incomplete":
            return "length"
        if reason == "content_filter":
            return "refusal"
        has_calls = any(part.type == "tool_call" for part in self.parts())
        return "tool_calls" if has_calls else "end"

    def _is_whole(self) -> bool:
        """Return whether the provider said that this is all; servers of one's own may leave it out."""
        response, raw = self._response, self._raw_reason
        if response is None or raw == "incomplete":
            return response is not None
        said_so = raw is not None or self._model.system.startswith("custom:")
        return said_so and response.state != "incomplete" and response.finish_reason != "error"

    @property
    def _raw_reason(self) -> str | None:
        details = self._response.provider_details if self._response else None
        return (details or {}).get("finish_reason")

    async def _hang_up(self) -> None:
        """Close the connection of an answer that nobody listens to any more; Google's SDK would keep it."""
        for head in self._heads:
            await head.aclose()

    @property
    def _came(self) -> list[wire.ModelResponsePart]:
        return list(self._response.parts) if self._response else []

    def _parameters(self) -> ModelRequestParameters:
        request = self._request
        told = "" if self._can.tools else instructions(request.tools)
        system = "\n\n".join(filter(None, [request.system, told]))
        tools = [
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=tool.parameters
            )
            for tool in request.tools
        ]
        return ModelRequestParameters(
            function_tools=tools if self._can.tools else [],
            instruction_parts=[wire.InstructionPart(system)] if system else [],
        )


def in_pieces(parts: Sequence[wire.ModelResponsePart]) -> Iterator[wire.ModelResponseStreamEvent]:
    """Return an answer that came at once as if it had streamed."""
    for index, part in enumerate(parts):
        if not isinstance(part, wire.TextPart):
            yield wire.PartStartEvent(index=index, part=part)
            continue
        yield wire.PartStartEvent(index=index, part=wire.TextPart(""))
        for at in range(0, len(part.content), PIECE):
            delta = wire.TextPartDelta(part.content[at : at + PIECE])
            yield wire.PartDeltaEvent(index=index, delta=delta)
