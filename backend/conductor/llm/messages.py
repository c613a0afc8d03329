"""A conversation as one model is told it: pydantic-ai's messages, made of ours, whatever is odd in them."""

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from pydantic_ai import messages as wire

from conductor.domain.chat import (
    ChatMessage,
    ChatRequest,
    FilePart,
    ImagePart,
    MentionPart,
    Origin,
    Part,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from conductor.llm.without_tools import call_as_text, result_as_text

UNANSWERED = "This call was stopped before it was done."
GO_ON = "Go on."
CONTINUED = "(The conversation goes on here.)"
SUMMARY = "What was said until now, in short:\n\n"
_ODD_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")


class Reader(NamedTuple):
    """Who is told the conversation, and what it can take."""

    system: str
    """The wire, as pydantic-ai names it; parts go back with their origin only to the same one."""
    model: str
    tools: bool
    images: bool
    one_family: bool
    """Every model there is of one maker. Otherwise origins go back only to the very model."""


def history(request: ChatRequest, reader: Reader) -> list[wire.ModelMessage]:
    """Give the branch as pydantic-ai's messages.

    Every call has exactly one result, the user is first and last, and no two of one side follow each other.
    """
    thread = _Thread(reader)
    messages = _since_summary(request.messages)
    last_of_user = max((at for at, one in enumerate(messages) if one.role == "user"), default=-1)
    for at, message in enumerate(messages):
        volatile = request.volatile if at == last_of_user else ""
        thread.add(message, volatile)
    return thread.finish()


def _since_summary(messages: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
    """Leave out what a summary stands for."""
    summaries = [at for at, message in enumerate(messages) if message.summary]
    return messages[summaries[-1] :] if summaries else messages


class _Thread:
    """The messages as they grow."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._messages: list[wire.ModelMessage] = []
        self._open: dict[str, ToolCallPart] = {}
        self._results: dict[str, ToolResultPart] = {}
        self._seen: set[str] = set()

    def add(self, message: ChatMessage, volatile: str) -> None:
        if message.summary:
            self._close_calls()
            texts = [part.text for part in message.parts if isinstance(part, TextPart)]
            self._say_user([SUMMARY + "\n\n".join(texts)])
        elif message.role == "user":
            self._close_calls()
            self._say_user([*_user_content(message.parts, self._reader), *filter(None, [volatile])])
        else:
            self._add_answer(message)

    def finish(self) -> list[wire.ModelMessage]:
        self._close_calls()
        if not self._messages or isinstance(self._messages[-1], wire.ModelResponse):
            self._say_user([GO_ON])
        return self._messages

    def _add_answer(self, message: ChatMessage) -> None:
        home = self._reader.one_family or message.model in (None, self._reader.model)
        results = [part for part in message.parts if isinstance(part, ToolResultPart)]
        self._results = {part.call_id: part for part in results}
        for part in message.parts:
            if isinstance(part, ToolResultPart):
                self._add_result(part)
            elif isinstance(part, ToolCallPart):
                self._add_call(part, home=home)
            elif isinstance(part, TextPart | ThinkingPart):
                self._add_said(part, home=home)

    def _add_said(self, part: TextPart | ThinkingPart, *, home: bool) -> None:
        origin = self._origin(part.origin, home=home)
        if isinstance(part, ThinkingPart):
            if origin is not None:
                self._say_model(_thinking(part, origin))
        elif part.text.strip() or (origin is not None and origin.details):
            self._say_model(_text(part, origin))

    def _add_call(self, part: ToolCallPart, *, home: bool) -> None:
        if part.call_id in self._seen:
            return
        self._seen.add(part.call_id)
        if self._reader.tools:
            self._say_model(_call(part, self._origin(part.origin, home=home)))
        else:
            self._say_model(wire.TextPart(call_as_text(part)))
        self._open[part.call_id] = part

    def _add_result(self, part: ToolResultPart) -> None:
        call = self._open.pop(part.call_id, None)
        if call is None:
            return
        if self._reader.tools:
            outcome = "success" if part.ok else "failed"
            name, call_id = fit_name(call.tool), call.call_id
            self._append(wire.ToolReturnPart(name, part.content, call_id, outcome=outcome))
        else:
            self._say_user([result_as_text(part)])

    def _close_calls(self) -> None:
        """Give each call its result before anything else is said; one that never came is made up."""
        for call in list(self._open.values()):
            stopped = ToolResultPart(
                call_id=call.call_id, tool=call.tool, ok=False, content=UNANSWERED
            )
            self._add_result(self._results.get(call.call_id, stopped))

    def _origin(self, origin: Origin | None, *, home: bool) -> Origin | None:
        return origin if origin and home and origin.provider == self._reader.system else None

    def _say_user(self, content: Sequence[str | wire.BinaryContent]) -> None:
        if content:
            self._append(wire.UserPromptPart(list(content)))

    def _append(self, part: wire.ModelRequestPart) -> None:
        if self._messages and isinstance(last := self._messages[-1], wire.ModelRequest):
            last.parts = [*last.parts, part]
        else:
            self._messages.append(wire.ModelRequest([part]))

    def _say_model(self, part: wire.TextPart | wire.ThinkingPart | wire.ToolCallPart) -> None:
        """Append to the answer; a call that nobody answered is answered before the model goes on."""
        if not self._messages:
            self._say_user([CONTINUED])
        if isinstance(self._messages[-1], wire.ModelRequest):
            self._close_calls()
            self._messages.append(wire.ModelResponse([]))
        answer = cast("wire.ModelResponse", self._messages[-1])
        answer.parts = [*answer.parts, part]
        answer.provider_name = part.provider_name or answer.provider_name


def fit_name(tool: str) -> str:
    """Give a tool's name as every provider takes it; a model may have made up any name."""
    return _ODD_IN_NAME.sub("_", tool)[:64] or "tool"


def _text(part: TextPart, origin: Origin | None) -> wire.TextPart:
    if origin is None:
        return wire.TextPart(part.text)
    details = origin.details or None
    return wire.TextPart(
        part.text, id=origin.id, provider_name=origin.provider, provider_details=details
    )


def _thinking(part: ThinkingPart, origin: Origin) -> wire.ThinkingPart:
    return wire.ThinkingPart(
        part.text,
        id=origin.id,
        signature=origin.signature,
        provider_name=origin.provider,
        provider_details=origin.details or None,
    )


def _call(part: ToolCallPart, origin: Origin | None) -> wire.ToolCallPart:
    call: wire.ToolCallPart[Any] = wire.ToolCallPart(
        fit_name(part.tool),
        part.arguments if part.malformed is None else part.malformed,
        part.call_id,
    )
    if origin is not None:
        call.id, call.provider_name = origin.id, origin.provider
        call.provider_details = origin.details or None
    return call


def _user_content(parts: Iterable[Part], reader: Reader) -> list[str | wire.BinaryContent]:
    """Give what the user said; where the model sees no images, it is told that there was one."""
    content: list[str | wire.BinaryContent] = []
    for part in parts:
        if isinstance(part, TextPart) and part.text.strip():
            content.append(part.text)
        elif isinstance(part, ImagePart):
            content.append(_image(part, reader))
        elif isinstance(part, FilePart):
            content.append(f'<file name="{part.name}" kind="{part.kind}">\n{part.text}\n</file>')
        elif isinstance(part, MentionPart):
            content.append(f"[{part.label}: {part.detail}]")
    return content


def _image(part: ImagePart, reader: Reader) -> str | wire.BinaryContent:
    if not reader.images:
        return f"[The image {part.name} is left out: this model takes none.]"
    return wire.BinaryContent(base64.b64decode(part.data), media_type=part.media_type)
