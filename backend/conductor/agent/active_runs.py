"""Keeps the running answer of each conversation, the chat's event listeners, and the answers that could not be
saved yet.
"""

import asyncio
import logging
from collections.abc import Callable
from threading import Lock

from conductor.agent.deps import ChatDeps, EventListener
from conductor.agent.run import Run
from conductor.domain.chat.events import ChatEvent, ConversationEvent, MessageEvent
from conductor.domain.chat.messages import ChatMessage, NotePart
from conductor.errors import ConductorError, UnknownConversation

log = logging.getLogger(__name__)

UNSAVED_ANSWER_NOTE = (
    "This answer could not be saved. Free some disk space. "
    "Conductor saves the answer the next time you use the chat."
)


class ActiveRuns:
    """The running answers by conversation, the chat's event listeners and the unsaved answers; thread-safe."""

    def __init__(self, deps: ChatDeps) -> None:
        self._deps = deps
        self._runs: dict[str, Run] = {}
        self._listeners: list[EventListener] = []
        self._unsaved: dict[str, ChatMessage] = {}
        """Finished answers that could not be saved, by message id; retried whenever the chat is used."""
        self._retry_lock = Lock()

    def add_listener(self, listener: EventListener) -> Callable[[], None]:
        """Register a listener for all chat events; return a function that removes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish_event(self, event: ChatEvent) -> None:
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # a failing listener must not end the answer
                log.exception("chat listener failed")

    def publish_conversation(self, conversation_id: str) -> None:
        self.publish_event(
            ConversationEvent(
                conversation=self._deps.conversations.get_conversation(conversation_id)
            )
        )

    def get_or_create_run(self, conversation_id: str) -> Run:
        """Return the run of a conversation, creating an idle run if there is none."""
        return self._runs.setdefault(conversation_id, self._create_run(conversation_id))

    def get_run_or_placeholder(self, conversation_id: str) -> Run:
        """Return the run of a conversation without storing a new idle run."""
        return self._runs.get(conversation_id) or self._create_run(conversation_id)

    def remove_run(self, conversation_id: str) -> None:
        self._runs.pop(conversation_id, None)

    async def stop_all(self) -> None:
        await asyncio.gather(*(run.stop_answer() for run in self._runs.values()))

    def list_unsaved_messages(self, run: Run) -> dict[str, ChatMessage]:
        """Return the messages that are unsaved or still streaming, by id. Callers return these messages instead
        of the stored versions.
        """
        newer = {key: _add_unsaved_note(message) for key, message in self._unsaved.items()}
        if run.busy and run.answer is not None and not run.answer.is_ended:
            newer[run.answer.message.message_id] = run.answer.build_page_snapshot()
        return newer

    def save_answer_later(self, message: ChatMessage, error: Exception) -> None:
        """Keep an answer that could not be saved until `retry_unsaved_answers` is called, and publish it with a
        note about the error.
        """
        log.warning(
            "could not save a chat answer: %s", error, exc_info=select_unexpected_error(error)
        )
        self._unsaved[message.message_id] = message
        self.publish_event(MessageEvent(message=_add_unsaved_note(message)))

    def retry_unsaved_answers(self) -> None:
        """Try to save the unsaved answers again, stopping at the first failure."""
        with self._retry_lock:  # several worker threads may retry at once
            for message in list(self._unsaved.values()):
                try:
                    self._deps.conversations.save_messages(message)
                except UnknownConversation:
                    pass
                except Exception:  # noqa: BLE001 - logged when it first failed
                    return
                else:
                    self.publish_event(MessageEvent(message=message))
                del self._unsaved[message.message_id]

    def _create_run(self, conversation_id: str) -> Run:
        return Run(self._deps, self.publish_event, conversation_id)


def _add_unsaved_note(message: ChatMessage) -> ChatMessage:
    note = NotePart(kind="degraded", text=UNSAVED_ANSWER_NOTE)
    return message.model_copy(update={"parts": (*message.parts, note)})


def select_unexpected_error(error: Exception) -> Exception | None:
    """Return an exception whose traceback should be logged, or None for a `ConductorError`, which is
    expected.
    """
    return None if isinstance(error, ConductorError) else error
