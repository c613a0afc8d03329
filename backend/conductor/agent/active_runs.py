"""Keeps the state of the chat that is not in the database.

This is the running answer of each conversation, the listeners for chat events, and answers that could not
be saved yet.
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
    """The answers in progress, the listeners for chat events, and the answers that could not be saved.

    All methods are safe to call from any thread.
    """

    def __init__(self, deps: ChatDeps) -> None:
        self._deps = deps
        self._runs: dict[str, Run] = {}
        self._listeners: list[EventListener] = []
        self._unsaved: dict[str, ChatMessage] = {}
        """Finished answers that could not be saved, by message id.

        Saving is retried whenever the chat is used.
        """
        self._retry_lock = Lock()

    def add_listener(self, listener: EventListener) -> Callable[[], None]:
        """Register a listener for all chat events, and return a function that removes the listener."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish_event(self, event: ChatEvent) -> None:
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # a listener that fails must not end the answer
                log.exception("chat listener failed")

    def publish_conversation(self, conversation_id: str) -> None:
        self.publish_event(
            ConversationEvent(
                conversation=self._deps.conversations.get_conversation(conversation_id)
            )
        )

    def get_or_create_run(self, conversation_id: str) -> Run:
        """Return the run of a conversation.

        If the conversation has none, an idle run is created and stored.
        """
        return self._runs.setdefault(conversation_id, self._create_run(conversation_id))

    def get_run_or_placeholder(self, conversation_id: str) -> Run:
        """Return the run of a conversation, or an idle run that is not stored if the conversation has none.

        Reading the status of many conversations therefore does not create a run for each of them.
        """
        return self._runs.get(conversation_id) or self._create_run(conversation_id)

    def remove_run(self, conversation_id: str) -> None:
        self._runs.pop(conversation_id, None)

    async def stop_all(self) -> None:
        await asyncio.gather(*(run.stop_answer() for run in self._runs.values()))

    def list_unsaved_messages(self, run: Run) -> dict[str, ChatMessage]:
        """Return the messages that are newer than their stored versions, by id: unsaved answers and the
        answer in progress.

        A caller that shows the conversation replaces the stored versions with these.
        """
        newer = {key: _add_unsaved_note(message) for key, message in self._unsaved.items()}
        if run.busy and run.answer is not None and not run.answer.is_ended:
            newer[run.answer.message.message_id] = run.answer.build_page_snapshot()
        return newer

    def save_answer_later(self, message: ChatMessage, error: Exception) -> None:
        """Keep an answer that could not be saved, so that `retry_unsaved_answers` saves it later.

        The answer is published with a note that asks the user to free disk space.
        """
        log.warning(
            "could not save an answer of the chat, will retry: %s",
            error,
            exc_info=select_unexpected_error(error),
        )
        self._unsaved[message.message_id] = message
        self.publish_event(MessageEvent(message=_add_unsaved_note(message)))

    def retry_unsaved_answers(self) -> None:
        """Try to save the unsaved answers again, and stop at the first failure."""
        # several worker threads may use the chat, and therefore retry, at the same time
        with self._retry_lock:
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
    """Return the exception if its traceback should be logged.

    A `ConductorError` is expected and explains itself, so None is returned for it.
    """
    return None if isinstance(error, ConductorError) else error
