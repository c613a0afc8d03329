"""Sends one request to a model and converts the answer. Retries are left to the caller."""

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
from conductor.llm.answer import StreamedAnswer
from conductor.llm.messages import TargetModel, build_message_history
from conductor.llm.problems import ANSWER_TOO_LONG_MESSAGE, ExchangeRejected
from conductor.llm.text_calls import TextCallAnswer
from conductor.llm.without_tools import describe_tools

MAX_REPLAYED_PIECE_LENGTH = 40
"""The length of a text event, in characters, if the provider sends the whole answer at once."""
MAX_ANSWER_LENGTH = 1_000_000
"""The maximum length of an answer, about twice the longest answer that a current model can write."""
_RECEIVED_RESPONSES: ContextVar[list[httpx2.Response] | None] = ContextVar("heads", default=None)


async def record_response(response: httpx2.Response) -> None:
    """Store an HTTP response in the exchange that caused it, so that its headers can be read after the answer.

    The SDK's hook does not know the exchange, so a context variable connects the two.
    """
    responses = _RECEIVED_RESPONSES.get()
    if responses is not None:
        responses.append(response)


class ModelExchange:
    """One request to a model and the answer received so far.

    After the events have ended, even with an exception, the parts of the answer can be built from what was
    received.
    """

    def __init__(
        self,
        model: Model,
        request: ChatRequest,
        capabilities: Capabilities,
        *,
        provider: str,
        settings: Mapping[str, Any],
    ) -> None:
        self._model, self._request, self._capabilities = model, request, capabilities
        self._settings = cast("ModelSettings", dict(settings))
        self._target = TargetModel(
            model.system, provider, request.model, capabilities.tools, capabilities.images
        )
        made_by = (provider, request.model)
        self._answer = StreamedAnswer(*made_by) if capabilities.tools else TextCallAnswer(*made_by)
        self._response: wire.ModelResponse | None = None
        self._answer_length = 0
        self._responses: list[httpx2.Response] = []

    async def stream_events(self) -> AsyncGenerator[StreamEvent]:
        """Send the request and yield the events of the answer.

        A complete answer ends with a `ToolCallEnd` event for each tool call. Exceptions of the SDK are
        raised unchanged.
        """
        _RECEIVED_RESPONSES.set(self._responses)
        arguments = (self._model, build_message_history(self._request, self._target))
        more: JsonObject = {
            "model_settings": self._settings,
            "model_request_parameters": self._build_request_parameters(),
        }
        if self._capabilities.streaming:
            async with model_request_stream(*arguments, **more) as stream:
                try:
                    async for event in stream:
                        for translated in self._translate_event(event):
                            yield translated
                finally:
                    self._response = stream.get()
                    await self._close_connections()
        else:
            self._response = await model_request(*arguments, **more)
            for event in replay_as_stream(self._response.parts):
                for translated in self._translate_event(event):
                    yield translated
        if self._is_complete():
            for translated in self._answer.list_end_events(self._received_parts):
                yield translated

    def _translate_event(self, event: wire.ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        for translated in self._answer.translate_event(event):
            if isinstance(translated, TextDelta | ThinkingDelta | ToolArgumentsDelta):
                self._answer_length += len(translated.text)
            if self._answer_length > MAX_ANSWER_LENGTH:
                raise ExchangeRejected(ANSWER_TOO_LONG_MESSAGE)
            yield translated

    @property
    def partial_response(self) -> wire.ModelResponse | None:
        """The response received so far, or None if the provider has sent nothing."""
        return self._response

    @property
    def response_headers(self) -> Mapping[str, str]:
        """The HTTP headers of the latest response, or an empty mapping if there is none."""
        return self._responses[-1].headers if self._responses else {}

    def build_parts(self) -> tuple[Part, ...]:
        """Return the message parts of the answer. Call this only after a complete answer."""
        return self._answer.build_parts(self._received_parts)

    def build_usable_parts(self) -> tuple[Part, ...]:
        """Return the text and thinking of an interrupted answer, without tool calls."""
        return self._answer.build_parts_without_calls(self._received_parts)

    def find_stop_reason(self) -> StopReason | None:
        """Return why the model stopped writing, or None if the answer was interrupted."""
        if self._response is None or not self._is_complete():
            return None
        if self._raw_stop_reason == "model_context_window_exceeded":
            return "context_overflow"
        reason = self._response.finish_reason
        if reason == "length" or self._raw_stop_reason == "incomplete":
            return "length"
        if reason == "content_filter":
            return "refusal"
        has_calls = any(part.type == "tool_call" for part in self.build_parts())
        return "tool_calls" if has_calls else "end"

    def _is_complete(self) -> bool:
        """Return whether the provider said that the answer ended.

        A self-hosted server may omit this, so its answer is complete if no error occurred.
        """
        response, raw_reason = self._response, self._raw_stop_reason
        if response is None or raw_reason == "incomplete":
            return response is not None
        is_marked = raw_reason is not None or self._model.system.startswith("custom:")
        return is_marked and response.state != "incomplete" and response.finish_reason != "error"

    @property
    def _raw_stop_reason(self) -> str | None:
        details = self._response.provider_details if self._response else None
        return (details or {}).get("finish_reason")

    async def _close_connections(self) -> None:
        """Close the HTTP connection of an abandoned answer, because Google's SDK would keep it open."""
        for response in self._responses:
            await response.aclose()

    @property
    def _received_parts(self) -> list[wire.ModelResponsePart]:
        return list(self._response.parts) if self._response else []

    def _build_request_parameters(self) -> ModelRequestParameters:
        request = self._request
        tool_text = "" if self._capabilities.tools else describe_tools(request.tools)
        system = "\n\n".join(filter(None, [request.system, tool_text]))
        tools = [
            ToolDefinition(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=_allow_undescribed_properties(tool.parameters),
            )
            for tool in request.tools
        ]
        return ModelRequestParameters(
            function_tools=tools if self._capabilities.tools else [],
            instruction_parts=[wire.InstructionPart(system)] if system else [],
        )


def _allow_undescribed_properties(schema: Any) -> Any:
    """Return a JSON schema in which an object without described properties allows any property.

    Otherwise OpenAI's SDK declares such an object as empty. A model whose output is restricted to the
    schema, as local models often are, could then send only `{}`.
    """
    if isinstance(schema, list):
        return [_allow_undescribed_properties(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    opened = {key: _allow_undescribed_properties(each) for key, each in schema.items()}
    if schema.get("type") == "object" and "properties" not in schema:
        opened.setdefault("additionalProperties", True)
    return opened


def replay_as_stream(
    parts: Sequence[wire.ModelResponsePart],
) -> Iterator[wire.ModelResponseStreamEvent]:
    """Split an answer that arrived at once into stream events, so that callers handle both kinds of answers
    alike.
    """
    for index, part in enumerate(parts):
        if not isinstance(part, wire.TextPart):
            yield wire.PartStartEvent(index=index, part=part)
            continue
        yield wire.PartStartEvent(index=index, part=wire.TextPart(""))
        for at in range(0, len(part.content), MAX_REPLAYED_PIECE_LENGTH):
            delta = wire.TextPartDelta(part.content[at : at + MAX_REPLAYED_PIECE_LENGTH])
            yield wire.PartDeltaEvent(index=index, delta=delta)
