"""An answer while it is written: its parts as they stream in, told at once and saved every second."""

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from typing import Literal

from conductor.agent.deps import Tell
from conductor.domain.chat.events import CallEvent, DeltaEvent, MessageEvent, PartEvent
from conductor.domain.chat.messages import (
    ChatFailure,
    ChatMessage,
    KnowledgePart,
    NotePart,
    Part,
    StreamEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    Usage,
)
from conductor.domain.chat.parts import NoteKind
from conductor.domain.storable import storable

log = logging.getLogger(__name__)

SAVE_EVERY_S = 1.0


def new_id() -> str:
    return str(uuid.uuid4())


class Answer:
    """One assistant message. `put` saves it, in another thread."""

    def __init__(
        self, message: ChatMessage, put: Callable[[ChatMessage], None], tell: Tell
    ) -> None:
        self.message = message
        self._parts: list[Part] = list(message.parts)
        """A call whose arguments still stream has its place here, without them."""
        self._put = put
        self._tell = tell
        self._base = len(self._parts)
        """Where the parts of the present request begin."""
        self._growing: tuple[int, list[str]] | None = None
        """Where a text or a thought streams, and what has come of it."""
        self._length = 0
        self._calls: dict[str, tuple[int, str, int]] = {}
        """Of each call that still streams: its index, its tool, and how much came of its arguments."""
        self._saving: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self.ended = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """What has come, without the calls whose arguments still stream."""
        return tuple(part for part in self._so_far() if not self._is_forming(part))

    def snapshot(self) -> ChatMessage:
        """Return the message as it is now."""
        return self.message.model_copy(update={"parts": self.parts})

    def shown(self) -> ChatMessage:
        """Return the message with every part at the index that news have of it. For any thread."""
        return self.message.model_copy(update={"parts": tuple(self._so_far())})

    def begin_request(self) -> None:
        """Take what comes from now on for a new request's."""
        self._close_part()
        self._base = len(self._parts)

    def has_content(self) -> bool:
        """Return whether the present request has given anything yet."""
        return len(self._parts) > self._base

    def take(self, event: StreamEvent) -> None:
        """Take a piece of the present request that can be stored; what comes after a hard stop is lost."""
        if self.ended:
            return
        match event.type:
            case "text_delta":
                self._stream(TextPart, event.text)
            case "thinking_delta":
                self._stream(ThinkingPart, event.text)
            case "tool_call_start":
                self._close_part()
                self._calls[event.call_id] = (len(self._parts), event.tool, 0)
                self._parts.append(ToolCallPart(call_id=event.call_id, tool=event.tool))
                self._tell_call(event.call_id, "")
            case "tool_arguments_delta":
                if event.call_id in self._calls:
                    self._tell_call(event.call_id, event.text)
            case "tool_call_end":
                self._call_ended(event.call)
            case "done" | "failed":
                self._settle(event.parts)
            case _:
                pass

    def note(
        self, kind: NoteKind, text: str, skill: str | None = None, tools: Sequence[str] = ()
    ) -> None:
        """Add a word of Conductor's own."""
        self._add(NotePart(kind=kind, text=text, skill=skill, tools=tuple(tools)))
        self._base = max(self._base, len(self._parts))

    def looked_up(self, part: KnowledgePart) -> None:
        """Keep what the model was given to read."""
        self._add(part)
        self._base = max(self._base, len(self._parts))

    def say(self, text: str) -> None:
        """Add a whole text."""
        self._add(TextPart(text=text))

    def call(self, part: ToolCallPart) -> None:
        """Add a whole call."""
        self._add(part)

    def result(self, part: ToolResultPart) -> None:
        self._add(part)

    def unanswered(self) -> list[ToolCallPart]:
        """Return the calls that have no result yet."""
        answered = {part.call_id for part in self.parts if isinstance(part, ToolResultPart)}
        calls = [part for part in self.parts if isinstance(part, ToolCallPart)]
        return [call for call in calls if call.call_id not in answered]

    def count(self, usage: Usage) -> None:
        """Add what a request took."""
        told = usage.input_tokens + usage.output_tokens
        update = {"usage": self.message.usage.plus(usage)}
        self.message = self.message.model_copy(
            update={**update, "context_tokens": told or self.message.context_tokens}
        )

    def came_from(self, provider: str, model: str) -> None:
        self.message = self.message.model_copy(update={"provider": provider, "model": model})

    async def save(self) -> None:
        """Have the message as it is now on disk."""
        async with self._lock:
            if not self.ended:
                await asyncio.to_thread(self._put, self.snapshot())

    async def end(
        self,
        state: Literal["complete", "stopped", "failed", "paused"],
        failure: ChatFailure | None = None,
    ) -> ChatMessage:
        """Write the message for the last time. What still streams into it is lost.

        It has ended, and is told, also when it cannot be saved; then the error is raised.
        """
        self._close_part()
        self._parts = list(self.parts)
        if self._saving is not None:
            self._saving.cancel()
        async with self._lock:
            if not self.ended:
                update = {"state": state, "failure": failure, "parts": self.parts}
                self.message = storable(self.message.model_copy(update=update))
                self.ended = True
                try:
                    await asyncio.to_thread(self._put, self.message)
                finally:
                    self._tell(MessageEvent(message=self.message))
        return self.message

    def _stream(self, kind: type[TextPart] | type[ThinkingPart], text: str) -> None:
        if self._growing is None or not isinstance(self._parts[-1], kind):
            self._add(kind(text=text))
            self._growing, self._length = (len(self._parts) - 1, [text]), len(text)
            return
        self._tell(
            DeltaEvent(
                conversation_id=self.message.conversation_id,
                message_id=self.message.message_id,
                index=len(self._parts) - 1,
                text=text,
                at=self._length,
            )
        )
        self._growing[1].append(text)
        self._length += len(text)
        self._save_soon()

    def _call_ended(self, call: ToolCallPart) -> None:
        self._close_part()
        index = self._calls.pop(call.call_id, (len(self._parts), "", 0))[0]
        self._parts[index : index + 1] = [call]
        self._tell_part(index, call)
        self._save_soon()

    def _settle(self, parts: Sequence[Part]) -> None:
        """Take the whole of what a request gave, with what its provider wants back."""
        self._close_part()
        shown = [_bare(part) for part in self._parts[self._base :]]
        came = [part for part in self._parts[self._base :] if not self._is_forming(part)]
        self._calls.clear()
        self._parts[self._base :] = parts or came
        if [_bare(part) for part in self._parts[self._base :]] != shown:
            self._tell(MessageEvent(message=self.snapshot()))
        self._save_soon()

    def _add(self, part: Part) -> None:
        if self.ended:
            return
        self._close_part()
        part = storable(part)
        self._parts.append(part)
        self._tell_part(len(self._parts) - 1, part)
        self._save_soon()

    def _close_part(self) -> None:
        if self._growing is not None:
            self._parts = self._so_far()
            self._growing = None

    def _so_far(self) -> list[Part]:
        growing, parts = self._growing, list(self._parts)  # in this order: the loop may go on
        if growing is None:
            return parts
        index, pieces = growing
        last = parts[index] if index < len(parts) else None
        if isinstance(last, TextPart | ThinkingPart):
            parts[index] = last.model_copy(update={"text": "".join(pieces)})
        return parts

    def _is_forming(self, part: Part) -> bool:
        return isinstance(part, ToolCallPart) and part.call_id in self._calls

    def _save_soon(self) -> None:
        if self._saving is None or self._saving.done():
            self._saving = asyncio.create_task(self._save_later())

    async def _save_later(self) -> None:
        await asyncio.sleep(SAVE_EVERY_S)
        try:
            await asyncio.shield(self.save())  # what is being saved is never overtaken by the last
        except Exception as error:  # noqa: BLE001 - the next one, or the last, may succeed
            log.warning("an answer of the chat could not be saved yet: %s", error)

    def _tell_part(self, index: int, part: Part) -> None:
        self._tell(
            PartEvent(
                conversation_id=self.message.conversation_id,
                message_id=self.message.message_id,
                index=index,
                part=part,
            )
        )

    def _tell_call(self, call_id: str, text: str) -> None:
        index, tool, length = self._calls[call_id]
        self._calls[call_id] = (index, tool, length + len(text))
        self._tell(
            CallEvent(
                conversation_id=self.message.conversation_id,
                message_id=self.message.message_id,
                index=index,
                call_id=call_id,
                tool=tool,
                text=text,
                at=length,
            )
        )


def _bare(part: Part) -> Part:
    """Return a part as the page sees it."""
    return (
        part if getattr(part, "origin", None) is None else part.model_copy(update={"origin": None})
    )
