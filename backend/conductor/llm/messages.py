"""Converts a conversation to pydantic-ai messages that the provider of the target model accepts."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from pydantic_ai import messages as wire

from conductor.domain.chat.messages import (
    ChatMessage,
    ChatRequest,
    Origin,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from conductor.llm import part_mapping
from conductor.llm.without_tools import render_tool_call, render_tool_result

STOPPED_CALL_RESULT = "This call was stopped before it was done."
CONTINUE_PROMPT = "Go on."
CONTINUED_CONVERSATION_NOTE = "(The conversation goes on here.)"
ANTHROPIC_API = "anthropic"
"""The name of Anthropic's API in pydantic-ai.

It is the only API that needs explicit marks for prompt caching.
"""
SUMMARY_HEADING = "What was said until now, in short:\n\n"


class TargetModel(NamedTuple):
    """The model that receives the conversation, with the features that change how messages are written."""

    api: str
    """The name of the API in pydantic-ai, such as `anthropic`."""
    provider: str
    """The name of the provider in the config."""
    model: str
    tools: bool
    images: bool

    def has_written(self, origin: Origin) -> bool:
        """Return whether this model wrote the part with this origin.

        Only then is the part sent back with its signature, because other models reject it.
        """
        return (origin.provider, origin.row, origin.model) == (self.api, self.provider, self.model)


def build_message_history(request: ChatRequest, target: TargetModel) -> list[wire.ModelMessage]:
    """Convert the current branch of a conversation to pydantic-ai messages.

    Providers require that every tool call has exactly one result, that roles alternate, and that the user
    writes the first and last messages. The result satisfies this for any stored conversation.
    """
    builder = _MessageListBuilder(target)
    messages = _drop_before_summary(request.messages)
    last_user_index = max(
        (index for index, message in enumerate(messages) if message.role == "user"), default=-1
    )
    for index, message in enumerate(messages):
        volatile = request.volatile if index == last_user_index else ""
        builder.add_message(message, volatile)
    return builder.finish_messages()


def _drop_before_summary(messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
    """Return the last summary with all messages after it, or all messages if there is no summary."""
    summaries = [at for at, message in enumerate(messages) if message.summary]
    return messages[summaries[-1] :] if summaries else messages


class _MessageListBuilder:
    """Builds pydantic-ai messages from chat messages that are added in order."""

    def __init__(self, target: TargetModel) -> None:
        self._target = target
        self._messages: list[wire.ModelMessage] = []
        self._open_calls: dict[str, ToolCallPart] = {}
        self._results: dict[str, ToolResultPart] = {}
        self._seen_call_ids: set[str] = set()
        self._pending_thoughts: list[wire.ThinkingPart] = []

    def add_message(self, message: ChatMessage, volatile: str) -> None:
        if message.summary:
            self._close_open_calls()
            texts = [part.text for part in message.parts if isinstance(part, TextPart)]
            self._append_user_content([SUMMARY_HEADING + "\n\n".join(texts)])
        elif message.role == "user":
            self._close_open_calls()
            content = part_mapping.to_user_content(message.parts, images=self._target.images)
            if volatile:
                # The volatile text is different in the next turn, so a cache entry that includes it
                # would never be read again. Therefore the cache mark is set before this message.
                marks = [wire.CachePoint()] if self._should_mark_cache() and content else []
                content = [*marks, *content, volatile]
            self._append_user_content(content)
        else:
            self._add_answer(message)

    def finish_messages(self) -> list[wire.ModelMessage]:
        self._close_open_calls()
        if not self._messages or isinstance(self._messages[-1], wire.ModelResponse):
            self._append_user_content([CONTINUE_PROMPT])
        return self._messages

    def _add_answer(self, message: ChatMessage) -> None:
        self._pending_thoughts = []
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        self._results = {part.call_id: part for part in results}
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                self._add_tool_result(part)
            elif isinstance(part, ToolCallPart):
                self._add_tool_call(part)
            elif isinstance(part, TextPart | ThinkingPart):
                self._add_text_or_thinking(part)

    def _add_text_or_thinking(self, part: TextPart | ThinkingPart) -> None:
        origin = self._get_own_origin(part.origin)
        if isinstance(part, ThinkingPart):
            if origin is not None:
                self._pending_thoughts.append(part_mapping.to_thinking_part(part, origin))
        elif part.text.strip() or (origin is not None and origin.details):
            self._append_answer_part(part_mapping.to_text_part(part, origin))

    def _add_tool_call(self, part: ToolCallPart) -> None:
        if part.call_id in self._seen_call_ids:
            return
        self._seen_call_ids.add(part.call_id)
        if self._target.tools:
            self._append_answer_part(
                part_mapping.to_tool_call_part(part, self._get_own_origin(part.origin))
            )
        else:
            self._append_answer_part(wire.TextPart(render_tool_call(part)))
        self._open_calls[part.call_id] = part

    def _add_tool_result(self, part: ToolResultPart) -> None:
        call = self._open_calls.pop(part.call_id, None)
        if call is None:
            return
        if self._target.tools:
            outcome = "success" if part.ok else "failed"
            name, call_id = part_mapping.sanitize_tool_name(call.tool), call.call_id
            self._append_request_part(
                wire.ToolReturnPart(name, part.content, call_id, outcome=outcome)
            )
        else:
            self._append_user_content([render_tool_result(part)])

    def _close_open_calls(self) -> None:
        """Add the result of each tool call that has none yet.

        Providers reject a call without a result, so a call that was stopped gets a failure as its result.
        """
        for call in list(self._open_calls.values()):
            stopped = ToolResultPart(
                call_id=call.call_id, tool=call.tool, ok=False, content=STOPPED_CALL_RESULT
            )
            self._add_tool_result(self._results.get(call.call_id, stopped))

    def _get_own_origin(self, origin: Origin | None) -> Origin | None:
        return origin if origin and self._target.has_written(origin) else None

    def _should_mark_cache(self) -> bool:
        """Return whether to mark the end of a prompt cache entry here.

        Only Anthropic's API needs such a mark, and only after earlier messages.
        """
        return bool(self._messages) and self._target.api == ANTHROPIC_API

    def _append_user_content(self, content: Sequence[wire.UserContent]) -> None:
        if content:
            self._append_request_part(wire.UserPromptPart(list(content)))

    def _append_request_part(self, part: wire.ModelRequestPart) -> None:
        self._pending_thoughts = []  # OpenAI and Anthropic reject thinking at the end of a message
        if self._messages and isinstance(last := self._messages[-1], wire.ModelRequest):
            last.parts = [*last.parts, part]
        else:
            self._messages.append(wire.ModelRequest([part]))

    def _append_answer_part(self, part: wire.TextPart | wire.ToolCallPart) -> None:
        """Append text or a tool call to the current answer.

        If the answer is new, open tool calls get their results first.
        """
        thoughts, self._pending_thoughts = self._pending_thoughts, []
        if not self._messages:
            self._append_user_content([CONTINUED_CONVERSATION_NOTE])
        if isinstance(self._messages[-1], wire.ModelRequest):
            self._close_open_calls()
            self._messages.append(wire.ModelResponse([]))
        answer = cast("wire.ModelResponse", self._messages[-1])
        answer.parts = [*answer.parts, *thoughts, part]
        answer.provider_name = part.provider_name or answer.provider_name
