"""Lists, reads and edits stored conversations, and helps the user to write the next message.

Callers run all methods in worker threads, because they read the database.
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
    """Lists, reads and edits stored conversations. Each edit is published as a chat event."""

    def __init__(self, deps: ChatDeps, runs: ActiveRuns) -> None:
        self._deps = deps
        self._conversations = deps.conversations
        self._runs = runs

    def list_conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> Sequence[Conversation]:
        """Return the latest conversations whose title or text matches the query.

        With `before_id`, return only conversations older than that one, to load the next page of the list.

        Raises:
            UnknownConversation: No conversation has the id `before_id`.
        """
        self._runs.retry_unsaved_answers()
        return self._conversations.list_conversations(query, limit, before_id)

    def open_conversation(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunEvent]:
        """Return a conversation, its messages (oldest first) and the status of its answer in progress.

        Without a limit, all branches are returned. With a limit, the last messages of one branch are
        returned: the one that ends at `tip_id`, or else the branch that the page shows.

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
        """Return the parent and the children of each message, oldest first, from which the page draws the
        tree of branches.
        """
        return self._conversations.list_message_nodes(conversation_id)

    def rename_conversation(self, conversation_id: str, title: str) -> None:
        self._conversations.rename_conversation(conversation_id, title)
        self._runs.publish_conversation(conversation_id)

    def delete_conversation(self, conversation_id: str) -> None:
        """Delete a conversation with all its messages.

        Raises:
            InvalidParams: The conversation has an answer in progress.
        """
        if self._runs.get_run_or_placeholder(conversation_id).busy:
            raise InvalidParams(
                "an answer is being written: stop it before deleting the conversation"
            )
        self._conversations.delete_conversation(conversation_id)
        self._runs.remove_run(conversation_id)
        self._runs.publish_event(RemovedEvent(conversation_id=conversation_id))

    def choose_branch(self, conversation_id: str, tip_id: str) -> None:
        """Show the branch that ends with this message, and continue the conversation there."""
        self._conversations.set_branch_tip(conversation_id, tip_id)
        self._runs.publish_conversation(conversation_id)

    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None:
        """Set the provider and the model that answer the next messages of a conversation."""
        self._conversations.set_model(conversation_id, provider, model)
        self._runs.publish_conversation(conversation_id)

    def export_conversation(self, conversation_id: str, form: Literal["markdown", "json"]) -> str:
        """Return the branch that is shown as Markdown, or all branches as JSON."""
        conversation = self._conversations.get_conversation(conversation_id)
        if form == "json":
            return exporting.export_json(
                conversation, self._conversations.list_messages(conversation_id)
            )
        return exporting.export_markdown(
            conversation, self._conversations.list_branch_messages(conversation_id)
        )

    def list_suggestions(self) -> Sequence[str]:
        """Return up to four texts that the user may want to send next, most relevant first."""
        deps = self._deps
        return suggesting.list_suggestions(
            deps.config(), deps.app_state(), self._load_recent_events()
        )

    def find_mentions(self, query: str) -> Sequence[MentionPart]:
        """Return the devices, modes, mappings and plans that match all words of the query, for `@` in a
        message.
        """
        deps = self._deps
        return mentioning.find_mentions(
            query, deps.config(), self._load_recent_events(), deps.plans()
        )

    def convert_attachment(self, name: str, content: bytes) -> FilePart | ImagePart:
        """Convert an attached file into a message part.

        Raises:
            InvalidParams: The file is empty, too large or of an unsupported type. The message names the
                supported types.
        """
        return attaching.convert_attachment(name, content)

    def _load_recent_events(self) -> Sequence[InputEvent]:
        """Return the recent input events, or an empty sequence if the engine does not answer."""
        try:
            return self._deps.recent_events_sync(MAX_RECENT_EVENTS)
        except NotAvailable:
            return ()
