"""Converts a conversation into valid pydantic-ai messages for one model."""

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
from conductor.llm.without_tools import call_as_text, result_as_text

UNANSWERED = "This call was stopped before it was done."
GO_ON = "Go on."
CONTINUED = "(The conversation goes on here.)"
ANTHROPIC = "anthropic"
"""The only API that caches the history only up to an explicit mark."""
SUMMARY = "What was said until now, in short:\n\n"


class Reader(NamedTuple):
    """The model that receives the conversation, with the features that it supports."""

    system: str
    """The API's name in pydantic-ai."""
    row: str
    """The name of the provider in the config."""
    model: str
    tools: bool
    images: bool

    def made(self, origin: Origin) -> bool:
        """Return whether this model produced a part. Only then is the part sent back with its metadata."""
        return (origin.provider, origin.row, origin.model) == (self.system, self.row, self.model)


def history(request: ChatRequest, reader: Reader) -> list[wire.ModelMessage]:
    """Convert the current branch to pydantic-ai messages.

    Every tool call gets exactly one result, the first and last messages are the user's, and roles alternate.
    """
    thread = _MessageListBuilder(reader)
    messages = _since_summary(request.messages)
    last_of_user = max((at for at, one in enumerate(messages) if one.role == "user"), default=-1)
    for at, message in enumerate(messages):
        volatile = request.volatile if at == last_of_user else ""
        thread.add(message, volatile)
    return thread.finish()


def _since_summary(messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
    """Return the last summary and all messages after it."""
    summaries = [at for at, message in enumerate(messages) if message.summary]
    return messages[summaries[-1] :] if summaries else messages


class _MessageListBuilder:
    """Builds the list of pydantic-ai messages, one chat message after the other."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._messages: list[wire.ModelMessage] = []
        self._open: dict[str, ToolCallPart] = {}
        self._results: dict[str, ToolResultPart] = {}
        self._seen: set[str] = set()
        self._thoughts: list[wire.ThinkingPart] = []

    def add(self, message: ChatMessage, volatile: str) -> None:
        if message.summary:
            self._close_calls()
            texts = [part.text for part in message.parts if isinstance(part, TextPart)]
            self._append_user([SUMMARY + "\n\n".join(texts)])
        elif message.role == "user":
            self._close_calls()
            said = part_mapping.to_user_content(message.parts, images=self._reader.images)
            if volatile:
                # The volatile text is gone in the next turn, so a cache entry that includes it would never
                # be read again. Therefore the cache mark is set before this message.
                marks = [wire.CachePoint()] if self._is_marked() and said else []
                said = [*marks, *said, volatile]
            self._append_user(said)
        else:
            self._add_answer(message)

    def finish(self) -> list[wire.ModelMessage]:
        self._close_calls()
        if not self._messages or isinstance(self._messages[-1], wire.ModelResponse):
            self._append_user([GO_ON])
        return self._messages

    def _add_answer(self, message: ChatMessage) -> None:
        self._thoughts = []
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        self._results = {part.call_id: part for part in results}
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                self._add_result(part)
            elif isinstance(part, ToolCallPart):
                self._add_call(part)
            elif isinstance(part, TextPart | ThinkingPart):
                self._add_text(part)

    def _add_text(self, part: TextPart | ThinkingPart) -> None:
        origin = self._origin(part.origin)
        if isinstance(part, ThinkingPart):
            if origin is not None:
                self._thoughts.append(part_mapping.to_thinking_part(part, origin))
        elif part.text.strip() or (origin is not None and origin.details):
            self._append_model(part_mapping.to_text_part(part, origin))

    def _add_call(self, part: ToolCallPart) -> None:
        if part.call_id in self._seen:
            return
        self._seen.add(part.call_id)
        if self._reader.tools:
            self._append_model(part_mapping.to_tool_call_part(part, self._origin(part.origin)))
        else:
            self._append_model(wire.TextPart(call_as_text(part)))
        self._open[part.call_id] = part

    def _add_result(self, part: ToolResultPart) -> None:
        call = self._open.pop(part.call_id, None)
        if call is None:
            return
        if self._reader.tools:
            outcome = "success" if part.ok else "failed"
            name, call_id = part_mapping.fit_name(call.tool), call.call_id
            self._append(wire.ToolReturnPart(name, part.content, call_id, outcome=outcome))
        else:
            self._append_user([result_as_text(part)])

    def _close_calls(self) -> None:
        """Add an error result for each tool call that has none, because providers require one. A missing
        result is replaced by a failure.
        """
        for call in list(self._open.values()):
            stopped = ToolResultPart(
                call_id=call.call_id, tool=call.tool, ok=False, content=UNANSWERED
            )
            self._add_result(self._results.get(call.call_id, stopped))

    def _origin(self, origin: Origin | None) -> Origin | None:
        return origin if origin and self._reader.made(origin) else None

    def _is_marked(self) -> bool:
        """Return whether to mark this position for the provider's prompt cache. Only Anthropic's API needs
        marks, and only after earlier messages.
        """
        return bool(self._messages) and self._reader.system == ANTHROPIC

    def _append_user(self, content: Sequence[wire.UserContent]) -> None:
        if content:
            self._append(wire.UserPromptPart(list(content)))

    def _append(self, part: wire.ModelRequestPart) -> None:
        self._thoughts = []  # OpenAI and Anthropic reject thinking that nothing follows
        if self._messages and isinstance(last := self._messages[-1], wire.ModelRequest):
            last.parts = [*last.parts, part]
        else:
            self._messages.append(wire.ModelRequest([part]))

    def _append_model(self, part: wire.TextPart | wire.ToolCallPart) -> None:
        """Append a part to the answer, after closing the tool calls that have no result."""
        thoughts, self._thoughts = self._thoughts, []
        if not self._messages:
            self._append_user([CONTINUED])
        if isinstance(self._messages[-1], wire.ModelRequest):
            self._close_calls()
            self._messages.append(wire.ModelResponse([]))
        answer = cast("wire.ModelResponse", self._messages[-1])
        answer.parts = [*answer.parts, *thoughts, part]
        answer.provider_name = part.provider_name or answer.provider_name
