"""What is kept of conversations, and what can be looked up for the next message: plain, for worker threads."""

import logging
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Literal

from conductor.agent import attach as attaching
from conductor.agent import export as exporting
from conductor.agent import mentions as mentioning
from conductor.agent import suggestions as suggesting
from conductor.agent.deps import ChatDeps, Tell
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

UNSAVED = "This answer could not be saved. Make room on the disk: it is saved when the chat is used again."


class ConversationService:
    """All conversations. Everything that happens in them is told to those who `listen`."""

    def __init__(self, desk: ChatDeps) -> None:
        self._desk = desk
        self._kept = desk.conversations
        self._runs: dict[str, Run] = {}
        self._listeners: list[Tell] = []
        self._unsaved: dict[str, ChatMessage] = {}
        """Answers that have ended and could not be saved: whenever the chat is used, it is tried again."""
        self._saving_again = Lock()

    def listen(self, tell: Tell) -> Callable[[], None]:
        """Have somebody told all news; gives what ends that."""
        self._listeners.append(tell)
        return lambda: self._listeners.remove(tell)

    def conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> Sequence[Conversation]:
        """Return the latest that have these words, or the latest that were used before another.

        Raises:
            UnknownConversation: there is no such other.
        """
        self._save_again()
        return self._kept.all(query, limit, before_id)

    def open(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunEvent]:
        """Return a conversation, its messages with the oldest first, and where it stands.

        With a limit only the last ones up to a tip; without a tip it is the end of what is shown.

        Raises:
            UnknownConversation: there is none of this id.
        """
        self._save_again()
        conversation = self._kept.get(conversation_id)
        if limit is None:
            messages = self._kept.messages(conversation_id)
        else:
            messages = self._kept.branch(conversation_id, tip_id or conversation.tip_id, limit)
        run = self._runs.get(conversation_id) or Run(self._desk, self._tell, conversation_id)
        newer = {key: _told(message) for key, message in self._unsaved.items()}
        if run.busy and run.answer is not None and not run.answer.ended:
            newer[run.answer.message.message_id] = run.answer.shown()
        messages = tuple(newer.get(m.message_id, m) for m in messages)
        return conversation, messages, run.news()

    def tree(self, conversation_id: str) -> Sequence[MessageNode]:
        """Return where every message is, the oldest first."""
        return self._kept.tree(conversation_id)

    def rename(self, conversation_id: str, title: str) -> None:
        self._kept.rename(conversation_id, title)
        self._tell_conversation(conversation_id)

    def delete(self, conversation_id: str) -> None:
        """Forget a conversation.

        Raises:
            InvalidParams: an answer is being written in it.
        """
        run = self._runs.get(conversation_id)
        if run is not None and run.busy:
            raise InvalidParams("an answer is being written: stop it before you delete this")
        self._kept.delete(conversation_id)
        self._runs.pop(conversation_id, None)
        self._tell(RemovedEvent(conversation_id=conversation_id))

    def choose_branch(self, conversation_id: str, tip_id: str) -> None:
        """Show the branch that ends with this message."""
        self._kept.set_tip(conversation_id, tip_id)
        self._tell_conversation(conversation_id)

    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None:
        """Have the next answers come from another model."""
        self._kept.set_model(conversation_id, provider, model)
        self._tell_conversation(conversation_id)

    def export(self, conversation_id: str, form: Literal["markdown", "json"]) -> str:
        """Return the branch that is shown as Markdown, or the whole tree as JSON."""
        conversation = self._kept.get(conversation_id)
        if form == "json":
            return exporting.as_json(conversation, self._kept.messages(conversation_id))
        return exporting.as_markdown(conversation, self._kept.branch(conversation_id))

    def suggestions(self) -> Sequence[str]:
        """Return what the user may want to say now."""
        desk = self._desk
        return suggesting.suggestions(desk.config(), desk.standing(), self._lately())

    def mentions(self, query: str) -> Sequence[MentionPart]:
        """Return what can be pointed at with `@` and has these words."""
        desk = self._desk
        return mentioning.mentions(query, desk.config(), self._lately(), desk.plans())

    def attach(self, name: str, content: bytes) -> FilePart | ImagePart:
        """Make a part of a file.

        Raises:
            InvalidParams: it cannot be attached; says what can.
        """
        return attaching.attach(name, content)

    def _lately(self) -> Sequence[InputEvent]:
        """Return what was played lately; nothing when the engine does not answer."""
        try:
            return self._desk.lately(EVENTS)
        except NotAvailable:
            return ()

    def _run(self, conversation_id: str) -> Run:
        return self._runs.setdefault(conversation_id, Run(self._desk, self._tell, conversation_id))

    def _tell(self, news: ChatEvent) -> None:
        for listener in list(self._listeners):
            try:
                listener(news)
            except Exception:  # who cannot be told must not end what is told of
                log.exception("news of the chat could not be told")

    def _save_later(self, message: ChatMessage, error: Exception) -> None:
        """Keep an answer that could not be saved, and tell so in it."""
        log.warning("an answer of the chat could not be saved: %s", error, exc_info=fault_in(error))
        self._unsaved[message.message_id] = message
        self._tell(MessageEvent(message=_told(message)))

    def _save_again(self) -> None:
        """Save what could not be saved; the first that still cannot be leaves the rest for another time."""
        with self._saving_again:
            for message in list(self._unsaved.values()):
                try:
                    self._kept.put(message)
                except UnknownConversation:
                    pass
                except Exception:  # noqa: BLE001 - the reason was told when it failed at first
                    return
                else:
                    self._tell(MessageEvent(message=message))
                del self._unsaved[message.message_id]

    def _tell_conversation(self, conversation_id: str) -> None:
        self._tell(ConversationEvent(conversation=self._kept.get(conversation_id)))


def _told(message: ChatMessage) -> ChatMessage:
    note = NotePart(kind="degraded", text=UNSAVED)
    return message.model_copy(update={"parts": (*message.parts, note)})


def fault_in(error: Exception) -> Exception | None:
    """Return an error whose trace belongs in the log: one that nobody raised on purpose."""
    return None if isinstance(error, ConductorError) else error
