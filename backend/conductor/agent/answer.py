"""Collects the parts of an assistant message while the model writes it.

Each streamed part is published to the page at once and saved to the database every second.
"""

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from typing import Literal

from conductor.agent.deps import EventListener
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
from conductor.domain.storable import make_storable

log = logging.getLogger(__name__)

SAVE_INTERVAL_S = 1.0
"""The time between two saves of an answer in progress.

If Conductor crashes, the text since the last save is lost.
"""


def create_message_id() -> str:
    return str(uuid.uuid4())


class Answer:
    """An assistant message that is still being written.

    `save` writes the message to the database and is called in a worker thread. `publish` sends chat events
    to the page.
    """

    def __init__(
        self, message: ChatMessage, save: Callable[[ChatMessage], None], publish: EventListener
    ) -> None:
        self.message = message
        self._parts: list[Part] = list(message.parts)
        """Contains a part without arguments for each tool call whose arguments are still streaming, so that
        indexes stay valid.
        """
        self._save = save
        self._publish = publish
        self._request_start = len(self._parts)
        """The index of the first part that the current model request wrote."""
        self._estimate_usage: Callable[[], Usage | None] = _estimate_no_usage
        """Returns the token usage of the current request so far, or None if nothing was streamed."""
        self._streaming: tuple[int, list[str]] | None = None
        """The index of the text or thinking that is streaming and the pieces received so far, or None if no
        text is streaming.
        """
        self._length = 0
        self._calls: dict[str, tuple[int, str, int]] = {}
        """The tool calls that are streaming, by id: index of the part, name of the tool, and length of the
        received arguments.
        """
        self._pending_save: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self.is_ended = False

    @property
    def written_parts(self) -> tuple[Part, ...]:
        """The parts received so far, without tool calls whose arguments are still streaming."""
        return tuple(
            part for part in self._list_current_parts() if not self._is_streaming_call(part)
        )

    def build_snapshot(self) -> ChatMessage:
        """Return the answer written so far as a message that can be saved or sent to the model.

        Tool calls that are still streaming are left out, because their arguments are incomplete.
        """
        return self.message.model_copy(update={"parts": self.written_parts})

    def build_page_snapshot(self) -> ChatMessage:
        """Return the answer written so far as a message for the page.

        Its parts have the same indexes as those in chat events, so that the page can apply later events.
        Safe in any thread.
        """
        return self.message.model_copy(update={"parts": tuple(self._list_current_parts())})

    def begin_request(self) -> None:
        """Start a new model request, so that its text is not appended to the text of the previous request."""
        self._close_streamed_part()
        self._request_start = len(self._parts)
        self._estimate_usage = _estimate_no_usage

    def set_usage_estimator(self, estimate_usage: Callable[[], Usage | None]) -> None:
        """Set the function that returns the token usage of the current request so far.

        The usage is saved with the answer, so that a request interrupted by a crash still counts towards
        the spending limits.
        """
        self._estimate_usage = estimate_usage

    def has_content(self) -> bool:
        """Return whether the current model request has written anything."""
        return len(self._parts) > self._request_start

    def apply_stream_event(self, event: StreamEvent) -> None:
        """Apply a stream event of the current request to the parts.

        Events after the end of the answer are ignored.
        """
        if self.is_ended:
            return
        match event.type:
            case "text_delta":
                self._append_streamed_text(TextPart, event.text)
            case "thinking_delta":
                self._append_streamed_text(ThinkingPart, event.text)
            case "tool_call_start":
                self._close_streamed_part()
                self._calls[event.call_id] = (len(self._parts), event.tool, 0)
                self._parts.append(ToolCallPart(call_id=event.call_id, tool=event.tool))
                self._publish_call(event.call_id, "")
            case "tool_arguments_delta":
                if event.call_id in self._calls:
                    self._publish_call(event.call_id, event.text)
            case "tool_call_end":
                self._on_call_end(event.call)
            case "done" | "failed":
                self._on_request_end(event.parts)
            case _:
                pass

    def add_note(
        self, kind: NoteKind, text: str, skill: str | None = None, tools: Sequence[str] = ()
    ) -> None:
        """Add a note from Conductor, which is shown to the user and never sent to the model."""
        self._add_part(NotePart(kind=kind, text=text, skill=skill, tools=tuple(tools)))
        self._request_start = max(self._request_start, len(self._parts))

    def add_knowledge(self, part: KnowledgePart) -> None:
        """Add the reference texts that were sent to the model, so that the user can look up the citations."""
        self._add_part(part)
        self._request_start = max(self._request_start, len(self._parts))

    def add_text(self, text: str) -> None:
        """Add a complete text, for example the result of a slash command."""
        self._add_part(TextPart(text=text))

    def add_call(self, part: ToolCallPart) -> None:
        """Add a complete tool call, for example from a slash command."""
        self._add_part(part)

    def add_result(self, part: ToolResultPart) -> None:
        self._add_part(part)

    def list_unanswered_calls(self) -> list[ToolCallPart]:
        """Return the tool calls that have no result yet."""
        answered = {part.call_id for part in self.written_parts if isinstance(part, ToolResultPart)}
        calls = [part for part in self.written_parts if isinstance(part, ToolCallPart)]
        return [call for call in calls if call.call_id not in answered]

    def add_usage(self, usage: Usage) -> None:
        """Add the tokens and the cost of a finished model request, and update the size of the context."""
        self._estimate_usage = _estimate_no_usage
        total = usage.input_tokens + usage.output_tokens
        update = {"usage": self.message.usage.add(usage)}
        self.message = self.message.model_copy(
            update={**update, "context_tokens": total or self.message.context_tokens}
        )

    def set_model(self, provider: str, model: str) -> None:
        self.message = self.message.model_copy(update={"provider": provider, "model": model})

    async def save_message(self) -> None:
        """Write the answer so far to the database. Nothing is written once the answer has ended."""
        async with self._lock:
            if not self.is_ended:
                await asyncio.to_thread(self._save, self._build_snapshot_with_usage())

    def _build_snapshot_with_usage(self) -> ChatMessage:
        """Return the answer so far, including the estimated usage of the request in progress."""
        snapshot, running = self.build_snapshot(), self._estimate_usage()
        if running is None:
            return snapshot
        return snapshot.model_copy(update={"usage": snapshot.usage.add(running)})

    async def finish_answer(
        self,
        state: Literal["complete", "stopped", "failed", "paused"],
        failure: ChatFailure | None = None,
    ) -> ChatMessage:
        """End the answer and write its final version to the database. Later stream events are ignored.

        If the database cannot be written, the answer still ends and is published before the error is
        raised.
        """
        self._close_streamed_part()
        self._parts = list(self.written_parts)
        if self._pending_save is not None:
            self._pending_save.cancel()
        async with self._lock:
            if not self.is_ended:
                update = {"state": state, "failure": failure, "parts": self.written_parts}
                self.message = make_storable(self.message.model_copy(update=update))
                self.is_ended = True
                try:
                    await asyncio.to_thread(self._save, self.message)
                finally:
                    self._publish(MessageEvent(message=self.message))
        return self.message

    def _append_streamed_text(self, kind: type[TextPart] | type[ThinkingPart], text: str) -> None:
        if self._streaming is None or not isinstance(self._parts[-1], kind):
            self._add_part(kind(text=text))
            self._streaming, self._length = (len(self._parts) - 1, [text]), len(text)
            return
        self._publish(
            DeltaEvent(
                conversation_id=self.message.conversation_id,
                message_id=self.message.message_id,
                index=len(self._parts) - 1,
                text=text,
                at=self._length,
            )
        )
        self._streaming[1].append(text)
        self._length += len(text)
        self._schedule_save()

    def _on_call_end(self, call: ToolCallPart) -> None:
        self._close_streamed_part()
        index = self._calls.pop(call.call_id, (len(self._parts), "", 0))[0]
        self._parts[index : index + 1] = [call]
        self._publish_part(index, call)
        self._schedule_save()

    def _on_request_end(self, parts: Sequence[Part]) -> None:
        """Replace the streamed parts with the final ones, which include the metadata that the provider
        needs back.
        """
        self._close_streamed_part()
        published = [_strip_provider_metadata(part) for part in self._parts[self._request_start :]]
        received = [
            part for part in self._parts[self._request_start :] if not self._is_streaming_call(part)
        ]
        self._calls.clear()
        self._parts[self._request_start :] = parts or received
        if [
            _strip_provider_metadata(part) for part in self._parts[self._request_start :]
        ] != published:
            self._publish(MessageEvent(message=self.build_snapshot()))
        self._schedule_save()

    def _add_part(self, part: Part) -> None:
        if self.is_ended:
            return
        self._close_streamed_part()
        part = make_storable(part)
        self._parts.append(part)
        self._publish_part(len(self._parts) - 1, part)
        self._schedule_save()

    def _close_streamed_part(self) -> None:
        if self._streaming is not None:
            self._parts = self._list_current_parts()
            self._streaming = None

    def _list_current_parts(self) -> list[Part]:
        # `_streaming` is read before the parts: this runs in any thread, and the event loop may
        # append a part in between.
        streaming, parts = self._streaming, list(self._parts)
        if streaming is None:
            return parts
        index, pieces = streaming
        last = parts[index] if index < len(parts) else None
        if isinstance(last, TextPart | ThinkingPart):
            parts[index] = last.model_copy(update={"text": "".join(pieces)})
        return parts

    def _is_streaming_call(self, part: Part) -> bool:
        return isinstance(part, ToolCallPart) and part.call_id in self._calls

    def _schedule_save(self) -> None:
        if self._pending_save is None or self._pending_save.done():
            self._pending_save = asyncio.create_task(self._save_after_delay())

    async def _save_after_delay(self) -> None:
        await asyncio.sleep(SAVE_INTERVAL_S)
        try:
            # Shielded, because a cancelled write could overwrite the final one that `finish_answer`
            # makes.
            await asyncio.shield(self.save_message())
        except Exception as error:  # noqa: BLE001 - the next or the final save may succeed
            log.warning("could not save the answer in progress, will retry: %s", error)

    def _publish_part(self, index: int, part: Part) -> None:
        self._publish(
            PartEvent(
                conversation_id=self.message.conversation_id,
                message_id=self.message.message_id,
                index=index,
                part=part,
            )
        )

    def _publish_call(self, call_id: str, text: str) -> None:
        index, tool, length = self._calls[call_id]
        self._calls[call_id] = (index, tool, length + len(text))
        self._publish(
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


def _estimate_no_usage() -> Usage | None:
    return None


def _strip_provider_metadata(part: Part) -> Part:
    """Return a copy of a message part without the provider's metadata, which the page does not need."""
    return (
        part if getattr(part, "origin", None) is None else part.model_copy(update={"origin": None})
    )
