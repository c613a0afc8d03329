"""Lists, reads and edits stored conversations, and prepares the user's next message. All methods are called in
worker threads.
"""

from collections.abc import Sequence
from typing import Literal

from conductor.agent import attach as attaching
from conductor.agent import export as exporting
from conductor.agent import mentions as mentioning
from conductor.agent import suggestions as suggesting
from conductor.agent.active_runs import ActiveRuns
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import MAX_RECENT_EVENTS
from conductor.domain.chat.events import (
    RemovedEvent,
    RunEvent,
)
from conductor.domain.chat.messages import (
    ChatMessage,
    Conversation,
    FilePart,
    ImagePart,
    MentionPart,
)
from conductor.domain.events import InputEvent
from conductor.errors import InvalidParams, NotAvailable
from conductor.storage.conversations import MessageNode


class ConversationService:
    """Lists, reads and edits stored conversations, and publishes each change as an event."""

    def __init__(self, deps: ChatDeps, runs: ActiveRuns) -> None:
        self._deps = deps
        self._conversations = deps.conversations
        self._runs = runs

    def list_conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> Sequence[Conversation]:
        """Return the latest conversations that match the query, older than the conversation `before_id` if
        given.

        Raises:
            UnknownConversation: `before_id` does not exist.
        """
        self._runs.retry_unsaved_answers()
        return self._conversations.list_conversations(query, limit, before_id)

    def open_conversation(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunEvent]:
        """Return a conversation, its messages (oldest first) and the status of its answer in progress.

        With a limit, return only the last messages of the branch that ends at `tip_id`, by default the branch
        that the page shows.

        Raises:
            UnknownConversation: No conversation has this id.
        """
        self._runs.retry_unsaved_answers()
        conversation = self._conversations.get_conversation(conversation_id)
        if limit is None:
            messages = self._conversations.list_messages(conversation_id)
        else:
            messages = self._conversations.list_branch_messages(
                conversation_id, tip_id or conversation.tip_id, limit
            )
        run = self._runs.get_run_or_placeholder(conversation_id)
        newer = self._runs.list_unsaved_messages(run)
        messages = tuple(newer.get(m.message_id, m) for m in messages)
        return conversation, messages, run.build_status_event()

    def list_message_nodes(self, conversation_id: str) -> Sequence[MessageNode]:
        """Return the parent and children of every message in a conversation, oldest first."""
        return self._conversations.list_message_nodes(conversation_id)

    def rename_conversation(self, conversation_id: str, title: str) -> None:
        self._conversations.rename_conversation(conversation_id, title)
        self._runs.publish_conversation(conversation_id)

    def delete_conversation(self, conversation_id: str) -> None:
        """Delete a conversation.

        Raises:
            InvalidParams: An answer is being written in the conversation.
        """
        if self._runs.get_run_or_placeholder(conversation_id).busy:
            raise InvalidParams(
                "an answer is being written: stop it before deleting the conversation"
            )
        self._conversations.delete_conversation(conversation_id)
        self._runs.remove_run(conversation_id)
        self._runs.publish_event(RemovedEvent(conversation_id=conversation_id))

    def choose_branch(self, conversation_id: str, tip_id: str) -> None:
        """Switch the conversation to the branch that ends with this message."""
        self._conversations.set_branch_tip(conversation_id, tip_id)
        self._runs.publish_conversation(conversation_id)

    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None:
        """Set the provider and model for the next answers in a conversation."""
        self._conversations.set_model(conversation_id, provider, model)
        self._runs.publish_conversation(conversation_id)

    def export_conversation(self, conversation_id: str, form: Literal["markdown", "json"]) -> str:
        """Export the shown branch as Markdown, or the whole tree as JSON."""
        conversation = self._conversations.get_conversation(conversation_id)
        if form == "json":
            return exporting.export_json(
                conversation, self._conversations.list_messages(conversation_id)
            )
        return exporting.export_markdown(
            conversation, self._conversations.list_branch_messages(conversation_id)
        )

    def list_suggestions(self) -> Sequence[str]:
        """Return suggested texts for the user's next message."""
        deps = self._deps
        return suggesting.list_suggestions(
            deps.config(), deps.app_state(), self._load_recent_events()
        )

    def find_mentions(self, query: str) -> Sequence[MentionPart]:
        """Return the `@` mentions (devices, modes, mappings, ...) that match the words of the query."""
        deps = self._deps
        return mentioning.find_mentions(
            query, deps.config(), self._load_recent_events(), deps.plans()
        )

    def convert_attachment(self, name: str, content: bytes) -> FilePart | ImagePart:
        """Convert an attached file into a message part.

        Raises:
            InvalidParams: The file cannot be attached; the message names the supported types.
        """
        return attaching.convert_attachment(name, content)

    def _load_recent_events(self) -> Sequence[InputEvent]:
        """Return the recent input events, or none if the engine does not answer."""
        try:
            return self._deps.recent_events_sync(MAX_RECENT_EVENTS)
        except NotAvailable:
            return ()
