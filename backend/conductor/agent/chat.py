"""The chat service, used by the window, the terminal and the benchmark.

Coroutines run on the event loop, and other methods are called in worker threads. Chat events are published
from both.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence

from conductor.agent.active_runs import ActiveRuns, select_unexpected_error
from conductor.agent.answer import Answer, create_message_id
from conductor.agent.attach import restore_images
from conductor.agent.choice import ModelChoice, NoProviderError, list_model_choices, open_provider
from conductor.agent.compaction import (
    AUTO_SUMMARY_WINDOW_SHARE,
    count_context_tokens,
    list_messages_since_summary,
)
from conductor.agent.conversation_service import ConversationService
from conductor.agent.deps import ChatDeps, EventListener
from conductor.agent.run import MAX_QUEUED_REQUESTS, Run
from conductor.agent.slash.turn import SlashTurn, find_slash_command
from conductor.agent.summary import summarize_branch
from conductor.agent.titles import build_title
from conductor.agent.turn import INTERNAL_ERROR_MESSAGE, AnswerProgress, Turn, TurnEnd
from conductor.base.suggestions import format_suggestion
from conductor.domain.chat.events import ConversationEvent, MessageEvent
from conductor.domain.chat.messages import (
    ChatFailure,
    ChatMessage,
    Conversation,
    SendRequest,
    SendResult,
    UserPart,
)
from conductor.domain.storable import make_storable
from conductor.errors import InvalidParams, NotAvailable, UnknownConversation

log = logging.getLogger(__name__)

CHAT_DISABLED_MESSAGE = (
    "The chat is off: `llm.enabled` is false. Commands such as `/map pad 1 to cmd+c` still work."
)
AUTO_SUMMARY_NOTE = (
    "The conversation nearly filled the model's window, so earlier messages were summarised."
)
RESUMABLE_STATES = ("paused", "stopped", "failed")


class Chat:
    """Answers the user's messages and controls the answers in progress.

    Several conversations can be active at the same time, each with one answer in progress.
    """

    def __init__(self, deps: ChatDeps) -> None:
        self._deps = deps
        self._conversations = deps.conversations
        self._runs = ActiveRuns(deps)
        self.conversations = ConversationService(deps, self._runs)

    def add_listener(self, listener: EventListener) -> Callable[[], None]:
        """Register a listener for all chat events, and return a function that removes the listener."""
        return self._runs.add_listener(listener)

    async def close(self) -> None:
        """Stop all answers and save the text that they contain so far."""
        await self._runs.stop_all()
        await asyncio.to_thread(self._runs.retry_unsaved_answers)

    async def send_message(self, request: SendRequest) -> SendResult:
        """Save a user message and start answering it, or queue it if the conversation already has an
        answer in progress.

        Raises:
            UnknownConversation: The conversation was deleted.
            InvalidParams: The queue is full, or the provider or the parent message does not exist.
        """
        self._require_known_provider(request.provider)
        conversation = await self._get_or_create_conversation(request)
        run = self._runs.get_or_create_run(conversation.conversation_id)
        if run.busy:
            return self._queue_request(run, conversation.conversation_id, request)
        run.busy = True
        # If the turn of a queued message failed, that message is still first in the queue and is
        # sent before this one.
        first = run.queue[0] if run.queue else request
        try:
            sent = await self._begin_turn(run, conversation, first)
        except BaseException:
            run.mark_idle()
            raise
        return sent if first is request else self._queue_request(run, sent.conversation_id, request)

    async def stop_answer(self, conversation_id: str) -> None:
        """Stop the answer in progress and empty the queue of the conversation.

        A second call no longer waits for a tool call that does not react to being cancelled.
        """
        await self._runs.get_or_create_run(conversation_id).stop_answer()

    async def resume_answer(self, message_id: str) -> SendResult:
        """Continue an answer that failed, was stopped or reached its step limit.

        Raises:
            InvalidParams: The message is no such answer, or the conversation has an answer in progress.
        """
        message = await asyncio.to_thread(self._require_message, message_id)
        if message.role != "assistant" or message.state not in RESUMABLE_STATES or message.summary:
            raise InvalidParams("only a paused, stopped or failed answer can be continued")
        run = self._claim_run(message.conversation_id)
        try:
            conversation = await asyncio.to_thread(
                self._conversations.get_conversation, message.conversation_id
            )
            resumed = message.model_copy(update={"state": "streaming", "failure": None})
            model = (message.provider, message.model)
            return await self._start_answer(run, conversation, resumed, model)
        except BaseException:
            run.mark_idle()
            raise

    async def regenerate_answer(
        self, message_id: str, provider: str | None = None, model: str | None = None
    ) -> SendResult:
        """Write another answer to the user message that this answer replies to.

        The new answer becomes a sibling of the old one, which is kept as another branch.

        Raises:
            InvalidParams: The message is not an answer, or the conversation has an answer in progress.
        """
        self._require_known_provider(provider)
        message = await asyncio.to_thread(self._require_message, message_id)
        if message.role != "assistant" or message.parent_id is None or message.summary:
            raise InvalidParams("only an answer can be regenerated")
        run = self._claim_run(message.conversation_id)
        try:
            conversation = await asyncio.to_thread(
                self._conversations.get_conversation, message.conversation_id
            )
            answer = self._create_answer(message.conversation_id, message.parent_id)
            return await self._start_answer(run, conversation, answer, (provider, model))
        except BaseException:
            run.mark_idle()
            raise

    async def edit_message(self, message_id: str, parts: tuple[UserPart, ...]) -> SendResult:
        """Send an edited copy of a user message and answer it.

        The copy becomes a sibling of the original message, which is kept as another branch.

        Raises:
            InvalidParams: The user did not write the message, or the conversation has an answer in
                progress.
        """
        message = await asyncio.to_thread(self._require_message, message_id)
        if message.role != "user":
            raise InvalidParams("only your own messages can be edited")
        run = self._claim_run(message.conversation_id)
        try:
            conversation = await asyncio.to_thread(
                self._conversations.get_conversation, message.conversation_id
            )
            conversation = conversation.model_copy(update={"tip_id": message.parent_id})
            request = SendRequest(
                conversation_id=message.conversation_id, parts=restore_images(parts, message.parts)
            )
            return await self._begin_turn(run, conversation, request)
        except BaseException:
            run.mark_idle()
            raise

    async def unqueue_message(self, conversation_id: str, index: int) -> None:
        """Remove a message from the queue.

        Nothing happens if the queue no longer has a message at this index.
        """
        run = self._runs.get_or_create_run(conversation_id)
        if 0 <= index < len(run.queue):
            del run.queue[index]
            run.publish_status()

    async def compact_conversation(self, conversation_id: str) -> None:
        """Replace the conversation so far with a summary in later requests. The original messages are kept.

        Raises:
            NotAvailable: No model is configured, the model did not answer, or the user stopped the summary.
            InvalidParams: There is nothing to summarise, or the conversation has an answer in progress.
        """
        run = self._claim_run(conversation_id)
        try:
            conversation = await asyncio.to_thread(
                self._conversations.get_conversation, conversation_id
            )
            branch = await asyncio.to_thread(
                self._conversations.list_branch_messages, conversation_id
            )
            if len(list_messages_since_summary(branch)) < 2:
                raise InvalidParams("there is nothing to compact yet")
            run.progress = AnswerProgress(activity="thinking", words="Summarising")
            run.publish_status()
            candidates = await asyncio.to_thread(self._list_choices, conversation, (None, None))
            if not await run.run_without_answer(self._add_summary(branch, candidates[0])):
                raise NotAvailable("The summary was stopped; nothing was changed.")
        except NoProviderError as error:
            raise NotAvailable(str(error)) from None
        finally:
            run.mark_idle()
            run.publish_status()

    async def _get_or_create_conversation(self, request: SendRequest) -> Conversation:
        if request.conversation_id is not None:
            return await asyncio.to_thread(
                self._require_conversation, request.conversation_id, request.parent_id
            )
        if request.parent_id is not None:
            raise InvalidParams("a new conversation has no earlier message: leave out `parent_id`")
        title = build_title(request.parts)
        created = await asyncio.to_thread(
            self._conversations.create_conversation, request.provider, request.model, title
        )
        self._runs.publish_event(ConversationEvent(conversation=created))
        return created

    def _queue_request(self, run: Run, conversation_id: str, request: SendRequest) -> SendResult:
        if len(run.queue) >= MAX_QUEUED_REQUESTS:
            raise InvalidParams(
                f"{MAX_QUEUED_REQUESTS} messages are queued already: wait until they are answered"
            )
        run.queue.append(request)
        run.publish_status()
        return SendResult(
            conversation_id=conversation_id, user_message_id=None, message_id=None, queued=True
        )

    async def _begin_turn(
        self, run: Run, conversation: Conversation, request: SendRequest
    ) -> SendResult:
        """Save a user message and start answering it."""
        message = ChatMessage(
            message_id=create_message_id(),
            conversation_id=conversation.conversation_id,
            parent_id=request.parent_id or conversation.tip_id,
            role="user",
            created_at=self._deps.clock(),
            parts=request.parts,
        )
        await self._save_messages(message)
        # The message leaves the queue only now, so that it is not lost if saving fails.
        if run.queue and run.queue[0] is request:
            del run.queue[0]
        answer = self._create_answer(conversation.conversation_id, message.message_id)
        command = find_slash_command(request.parts)
        model = (request.provider, request.model)
        return await self._start_answer(run, conversation, answer, model, command)

    async def _start_answer(
        self,
        run: Run,
        conversation: Conversation,
        message: ChatMessage,
        model: tuple[str | None, str | None],
        command: str | None = None,
    ) -> SendResult:
        """Save an empty answer and start writing it in the background.

        The commands of the room `slash` answer a slash command. Any other message is answered by a model.
        """
        await self._save_messages(message)
        answer = Answer(message, self._conversations.save_messages, self._runs.publish_event)
        if command is None:
            work = self._run_turn(run, answer, conversation, model)
        else:
            work = SlashTurn(self._deps, answer, command).run()
        run.progress = AnswerProgress(activity="thinking")
        run.start_answer(answer, work, lambda unsaved: self._on_answer_end(run, answer, unsaved))
        run.publish_status()
        return SendResult(
            conversation_id=message.conversation_id,
            user_message_id=message.parent_id,
            message_id=message.message_id,
        )

    async def _run_turn(
        self,
        run: Run,
        answer: Answer,
        conversation: Conversation,
        model: tuple[str | None, str | None],
    ) -> TurnEnd:
        if not self._deps.config().llm.enabled:
            return TurnEnd("failed", ChatFailure(kind="bad_request", message=CHAT_DISABLED_MESSAGE))
        try:
            candidates = await asyncio.to_thread(self._list_choices, conversation, model)
        except (NoProviderError, NotAvailable) as error:
            return TurnEnd("failed", ChatFailure(kind="no_key", message=str(error)))
        branch = await self._build_branch_to_answer(answer, candidates[0])
        turn = Turn(self._deps, answer, branch, candidates, run.update_progress)
        return await turn.run()

    async def _build_branch_to_answer(
        self, answer: Answer, choice: ModelChoice
    ) -> tuple[ChatMessage, ...]:
        """Return the messages that the answer replies to.

        If they nearly fill the context window, the earlier messages are summarised, and the summary is
        inserted before the user's message.
        """
        message = answer.message
        load = self._conversations.list_branch_messages
        branch = await asyncio.to_thread(load, message.conversation_id, message.parent_id)
        before, summary = branch[:-1], None
        # Without a provider or a summary the turn goes on: it reports the error, or sends the whole
        # conversation.
        with contextlib.suppress(NotAvailable):
            _, choice = await open_provider(self._deps.providers, choice)
            window = choice.capabilities.context_tokens
            is_full = count_context_tokens(branch) >= window * AUTO_SUMMARY_WINDOW_SHARE
            if is_full and len(list_messages_since_summary(before)) > 1:
                summary = await summarize_branch(self._deps, choice, before)
        if summary is None:
            return branch
        # The user's message becomes a child of the summary, so that the summary is part of this
        # branch from now on.
        user_message = branch[-1].model_copy(update={"parent_id": summary.message_id})
        await self._save_messages(summary, user_message, tip_id=message.message_id)
        answer.add_note("compacted", AUTO_SUMMARY_NOTE)
        return (*before, summary, user_message)

    async def _add_summary(self, branch: Sequence[ChatMessage], choice: ModelChoice) -> None:
        await self._save_messages(await summarize_branch(self._deps, choice, branch))

    async def _on_answer_end(self, run: Run, answer: Answer, unsaved: Exception | None) -> None:
        """Publish the conversation and send the next message in its queue.

        If that fails, the user sees a failed answer, and the conversation becomes free for the next
        message.
        """
        conversation_id = answer.message.conversation_id
        if unsaved is not None:
            self._runs.save_answer_later(answer.message, unsaved)
        try:
            conversation = await asyncio.to_thread(
                self._conversations.get_conversation, conversation_id
            )
            self._runs.publish_event(ConversationEvent(conversation=conversation))
            if run.queue:
                await self._begin_turn(run, conversation, run.queue[0])
                return
        except Exception as error:
            log.warning(
                "could not send a queued message: %s",
                error,
                exc_info=select_unexpected_error(error),
            )
            with contextlib.suppress(Exception):
                await self._add_queue_failure(conversation_id, error)
        run.mark_idle()
        run.publish_status()

    async def _add_queue_failure(self, conversation_id: str, error: Exception) -> None:
        """Add a failed answer that explains to the user why the queued message was not sent."""
        conversation = await asyncio.to_thread(
            self._conversations.get_conversation, conversation_id
        )
        words = (
            INTERNAL_ERROR_MESSAGE
            if select_unexpected_error(error)
            else f"The queued message could not be sent: {error}"
        )
        failure = ChatFailure(kind="internal", message=words)
        failed = self._create_answer(conversation_id, conversation.tip_id or "")
        failed = failed.model_copy(update={"state": "failed", "failure": failure})
        try:
            await self._save_messages(failed)
        except Exception:  # noqa: BLE001 - the user sees the failure even if it is not saved
            self._runs.publish_event(MessageEvent(message=failed))

    def _list_choices(
        self, conversation: Conversation, requested: tuple[str | None, str | None]
    ) -> list[ModelChoice]:
        saved = (conversation.provider, conversation.model)
        return list_model_choices(self._deps.providers, requested, saved)

    def _create_answer(self, conversation_id: str, parent_id: str) -> ChatMessage:
        return ChatMessage(
            message_id=create_message_id(),
            conversation_id=conversation_id,
            parent_id=parent_id,
            role="assistant",
            created_at=self._deps.clock(),
            state="streaming",
        )

    async def _save_messages(self, *messages: ChatMessage, tip_id: str | None = None) -> None:
        """Save messages in one transaction and publish them to the page afterwards."""
        messages = make_storable(messages)
        await asyncio.to_thread(self._conversations.save_messages, *messages, tip_id=tip_id)
        for message in messages:
            self._runs.publish_event(MessageEvent(message=message))

    def _require_known_provider(self, provider: str | None) -> None:
        names = self._deps.providers.list_provider_names()
        if provider and provider not in names:
            hint = format_suggestion(provider, names)
            raise InvalidParams(f"no provider is named `{provider}`{hint}")

    def _require_conversation(self, conversation_id: str, parent_id: str | None) -> Conversation:
        self._runs.retry_unsaved_answers()
        conversation = self._conversations.get_conversation(conversation_id)
        if (
            parent_id is not None
            and self._conversations.find_message(conversation_id, parent_id) is None
        ):
            raise InvalidParams(f"the conversation has no message `{parent_id}`")
        return conversation

    def _require_message(self, message_id: str) -> ChatMessage:
        self._runs.retry_unsaved_answers()
        found = self._conversations.find_message(
            self._conversations.find_conversation_id(message_id), message_id
        )
        if found is None:
            raise UnknownConversation(f"no message has the id {message_id!r}")
        return found

    def _claim_run(self, conversation_id: str) -> Run:
        """Mark a conversation as busy and return its run.

        Raises:
            InvalidParams: The conversation already has an answer in progress.
        """
        run = self._runs.get_or_create_run(conversation_id)
        if run.busy:
            raise InvalidParams("an answer is being written: wait for it, or stop it first")
        run.busy = True
        return run
