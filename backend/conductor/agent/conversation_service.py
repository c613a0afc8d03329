"""Stored conversations, and lookups for the next message. Synchronous; called in worker threads."""

import logging
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Literal

from conductor.agent import attach as attaching
from conductor.agent import export as exporting
from conductor.agent import mentions as mentioning
from conductor.agent import suggestions as suggesting
from conductor.agent.deps import ChatDeps, EventListener
from conductor.agent.live_context import EVENTS
from conductor.agent.run import Run
from conductor.domain.chat.events import (
    ChatEvent,
    ConversationEvent,
    MessageEvent,
    RemovedEvent,
    RunEvent,
)
from conductor.domain.chat.messages import (
    ChatMessage,
    Conversation,
    FilePart,
    ImagePart,
    MentionPart,
    NotePart,
)
from conductor.domain.events import InputEvent
from conductor.errors import ConductorError, InvalidParams, NotAvailable, UnknownConversation
from conductor.storage.conversations import MessageNode

log = logging.getLogger(__name__)

UNSAVED = "This answer could not be saved. Free some disk space; it is saved the next time you use the chat."


class ConversationService:
    """All conversations. Every change is published to the listeners."""

    def __init__(self, deps: ChatDeps) -> None:
        self._deps = deps
        self._conversations = deps.conversations
        self._runs: dict[str, Run] = {}
        self._listeners: list[EventListener] = []
        self._unsaved: dict[str, ChatMessage] = {}
        """Finished answers that could not be saved, by message id; retried whenever the chat is used."""
        self._retry_lock = Lock()

    def listen(self, listener: EventListener) -> Callable[[], None]:
        """Register a listener for all chat events; return a function that removes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> Sequence[Conversation]:
        """Return the latest conversations that contain these words, or that were used before `before_id`.

        Raises:
            UnknownConversation: `before_id` does not exist.
        """
        self._retry_unsaved()
        return self._conversations.all(query, limit, before_id)

    def open(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunEvent]:
        """Return a conversation, its messages (oldest first) and its run status.

        With a limit, return only the last messages of the branch ending at `tip_id` (default: the shown one).

        Raises:
            UnknownConversation: No conversation has this id.
        """
        self._retry_unsaved()
        conversation = self._conversations.get(conversation_id)
        if limit is None:
            messages = self._conversations.messages(conversation_id)
        else:
            messages = self._conversations.branch(
                conversation_id, tip_id or conversation.tip_id, limit
            )
        run = self._runs.get(conversation_id) or Run(self._deps, self._publish, conversation_id)
        newer = {key: _with_unsaved_note(message) for key, message in self._unsaved.items()}
        if run.busy and run.answer is not None and not run.answer.is_ended:
            newer[run.answer.message.message_id] = run.answer.snapshot_for_page()
        messages = tuple(newer.get(m.message_id, m) for m in messages)
        return conversation, messages, run.status()

    def tree(self, conversation_id: str) -> Sequence[MessageNode]:
        """Return the position of every message in the tree, oldest first."""
        return self._conversations.tree(conversation_id)

    def rename(self, conversation_id: str, title: str) -> None:
        self._conversations.rename(conversation_id, title)
        self._publish_conversation(conversation_id)

    def delete(self, conversation_id: str) -> None:
        """Delete a conversation.

        Raises:
            InvalidParams: An answer is being written in it.
        """
        run = self._runs.get(conversation_id)
        if run is not None and run.busy:
            raise InvalidParams(
                "an answer is being written: stop it before deleting the conversation"
            )
        self._conversations.delete(conversation_id)
        self._runs.pop(conversation_id, None)
        self._publish(RemovedEvent(conversation_id=conversation_id))

    def choose_branch(self, conversation_id: str, tip_id: str) -> None:
        """Switch to the branch that ends with this message."""
        self._conversations.set_tip(conversation_id, tip_id)
        self._publish_conversation(conversation_id)

    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None:
        """Set the model of the next answers."""
        self._conversations.set_model(conversation_id, provider, model)
        self._publish_conversation(conversation_id)

    def export(self, conversation_id: str, form: Literal["markdown", "json"]) -> str:
        """Return the shown branch as Markdown, or the whole tree as JSON."""
        conversation = self._conversations.get(conversation_id)
        if form == "json":
            return exporting.as_json(conversation, self._conversations.messages(conversation_id))
        return exporting.as_markdown(conversation, self._conversations.branch(conversation_id))

    def suggestions(self) -> Sequence[str]:
        """Return suggested next messages."""
        deps = self._deps
        return suggesting.suggestions(deps.config(), deps.app_state(), self._recent_events())

    def mentions(self, query: str) -> Sequence[MentionPart]:
        """Return the `@` mentions that match these words."""
        deps = self._deps
        return mentioning.mentions(query, deps.config(), self._recent_events(), deps.plans())

    def attach(self, name: str, content: bytes) -> FilePart | ImagePart:
        """Convert a file into a message part.

        Raises:
            InvalidParams: The file cannot be attached; the message names the supported types.
        """
        return attaching.attach(name, content)

    def _recent_events(self) -> Sequence[InputEvent]:
        """Return the recent input events; empty when the engine does not answer."""
        try:
            return self._deps.recent_events_sync(EVENTS)
        except NotAvailable:
            return ()

    def _run_of(self, conversation_id: str) -> Run:
        return self._runs.setdefault(
            conversation_id, Run(self._deps, self._publish, conversation_id)
        )

    def _publish(self, event: ChatEvent) -> None:
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # a failing listener must not end the answer
                log.exception("chat listener failed")

    def _save_later(self, message: ChatMessage, error: Exception) -> None:
        """Keep an answer that could not be saved, and publish it with a note about that."""
        log.warning("could not save a chat answer: %s", error, exc_info=unexpected(error))
        self._unsaved[message.message_id] = message
        self._publish(MessageEvent(message=_with_unsaved_note(message)))

    def _retry_unsaved(self) -> None:
        """Save unsaved answers again; stop at the first that still fails."""
        with self._retry_lock:  # several worker threads may retry at once
            for message in list(self._unsaved.values()):
                try:
                    self._conversations.put(message)
                except UnknownConversation:
                    pass
                except Exception:  # noqa: BLE001 - logged when it first failed
                    return
                else:
                    self._publish(MessageEvent(message=message))
                del self._unsaved[message.message_id]

    def _publish_conversation(self, conversation_id: str) -> None:
        self._publish(ConversationEvent(conversation=self._conversations.get(conversation_id)))


def _with_unsaved_note(message: ChatMessage) -> ChatMessage:
    note = NotePart(kind="degraded", text=UNSAVED)
    return message.model_copy(update={"parts": (*message.parts, note)})


def unexpected(error: Exception) -> Exception | None:
    """Return the error if its traceback belongs in the log, that is if it is not a ConductorError."""
    return None if isinstance(error, ConductorError) else error
