"""The chat's door: what the window, the terminal and the benchmark ask of it.

Async methods are called on the event loop, plain ones in worker threads. Everything that happens is told to
those who `listen`, on the event loop or from a worker.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from conductor.agent.answer import Answer, new_id
from conductor.agent.attach import with_images
from conductor.agent.choice import Choice, NoProvider, choices, opened
from conductor.agent.compaction import COMPACT_AT, context_tokens, since_summary
from conductor.agent.conversation_service import ConversationService, fault_in
from conductor.agent.run import QUEUED_AT_MOST, Run
from conductor.agent.slash.turn import SlashTurn, command_of
from conductor.agent.summary import summarise
from conductor.agent.titles import title_of
from conductor.agent.turn import FAULT, End, Progress, Turn
from conductor.domain.chat.events import ConversationEvent, MessageEvent
from conductor.domain.chat.messages import (
    ChatFailure,
    ChatMessage,
    Conversation,
    SendRequest,
    Sent,
    UserPart,
)
from conductor.domain.storable import storable
from conductor.domain.validate import did_you_mean
from conductor.errors import InvalidParams, NotAvailable, UnknownConversation

log = logging.getLogger(__name__)

OFF = "The chat is switched off: `llm.enabled` is false. Commands such as `/map pad 36 to cmd+c` still work."
COMPACTED = "The conversation was nearly longer than the model's window: a summary stands for what was before."
MAY_GO_ON = ("paused", "stopped", "failed")


class Chat(ConversationService):
    """All conversations. Their answers are written side by side, one at a time in each."""

    async def close(self) -> None:
        """Stop every answer, with what there is of it kept."""
        await asyncio.gather(*(run.stop() for run in self._runs.values()))
        await asyncio.to_thread(self._save_again)

    async def send(self, request: SendRequest) -> Sent:
        """Take what the user says, and begin to answer it; while another answer is written, it waits.

        Raises:
            UnknownConversation: its conversation is deleted.
            InvalidParams: too much waits already, or there is no such provider or message before it.
        """
        self._require_known(request.provider)
        conversation = await self._conversation_for(request)
        run = self._run(conversation.conversation_id)
        if run.busy:
            return self._queue(run, conversation.conversation_id, request)
        run.busy = True
        first = run.queue[0] if run.queue else request  # what could not be sent in its turn
        try:
            sent = await self._begin(run, conversation, first)
        except BaseException:
            run.free()
            raise
        return sent if first is request else self._queue(run, sent.conversation_id, request)

    async def stop(self, conversation_id: str) -> None:
        """Stop the answer that is being written; what waits behind it is dropped. Again: cut it off hard."""
        await self._run(conversation_id).stop()

    async def resume(self, message_id: str) -> Sent:
        """Let an answer go on that used up its steps, was stopped or failed."""
        message = await asyncio.to_thread(self._message, message_id)
        if message.role != "assistant" or message.state not in MAY_GO_ON or message.summary:
            raise InvalidParams("this message cannot go on: only an answer that has not ended can")
        run = self._claim(message.conversation_id)
        try:
            conversation = await asyncio.to_thread(self._kept.get, message.conversation_id)
            going_on = message.model_copy(update={"state": "streaming", "failure": None})
            asked = (message.provider, message.model)
            return await self._answer(run, conversation, going_on, asked)
        except BaseException:
            run.free()
            raise

    async def regenerate(
        self, message_id: str, provider: str | None = None, model: str | None = None
    ) -> Sent:
        """Answer again, beside the answer that is there."""
        self._require_known(provider)
        message = await asyncio.to_thread(self._message, message_id)
        if message.role != "assistant" or message.parent_id is None or message.summary:
            raise InvalidParams("only an answer can be made again")
        run = self._claim(message.conversation_id)
        try:
            conversation = await asyncio.to_thread(self._kept.get, message.conversation_id)
            answer = self._new_answer(message.conversation_id, message.parent_id)
            return await self._answer(run, conversation, answer, (provider, model))
        except BaseException:
            run.free()
            raise

    async def edit(self, message_id: str, parts: tuple[UserPart, ...]) -> Sent:
        """Say something else instead, beside what was said."""
        message = await asyncio.to_thread(self._message, message_id)
        if message.role != "user":
            raise InvalidParams("only what you said can be edited")
        run = self._claim(message.conversation_id)
        try:
            conversation = await asyncio.to_thread(self._kept.get, message.conversation_id)
            conversation = conversation.model_copy(update={"tip_id": message.parent_id})
            request = SendRequest(
                conversation_id=message.conversation_id, parts=with_images(parts, message.parts)
            )
            return await self._begin(run, conversation, request)
        except BaseException:
            run.free()
            raise

    async def unqueue(self, conversation_id: str, index: int) -> None:
        """Take back what waits to be sent."""
        run = self._run(conversation_id)
        if 0 <= index < len(run.queue):
            del run.queue[index]
            run.tell()

    async def compact(self, conversation_id: str) -> None:
        """Have a summary stand for everything so far; nothing is lost.

        Raises:
            NotAvailable: the model did not answer, or there is none.
        """
        run = self._claim(conversation_id)
        try:
            conversation = await asyncio.to_thread(self._kept.get, conversation_id)
            branch = await asyncio.to_thread(self._kept.branch, conversation_id)
            if len(since_summary(branch)) < 2:
                raise InvalidParams("there is nothing to compact yet")
            run.progress = Progress(activity="thinking", words="Summarising")
            run.tell()
            tried = await asyncio.to_thread(self._choices, conversation, (None, None))
            if not await run.do_aside(self._put_summary(branch, tried[0])):
                raise NotAvailable("The summary was stopped; nothing is changed.")
        except NoProvider as error:
            raise NotAvailable(str(error)) from None
        finally:
            run.free()
            run.tell()

    async def _conversation_for(self, request: SendRequest) -> Conversation:
        if request.conversation_id is not None:
            return await asyncio.to_thread(self._found, request.conversation_id, request.parent_id)
        if request.parent_id is not None:
            raise InvalidParams(
                "a new conversation has no message to follow: leave `parent_id` out"
            )
        title = title_of(request.parts)
        made = await asyncio.to_thread(self._kept.create, request.provider, request.model, title)
        self._tell(ConversationEvent(conversation=made))
        return made

    def _queue(self, run: Run, conversation_id: str, request: SendRequest) -> Sent:
        if len(run.queue) >= QUEUED_AT_MOST:
            raise InvalidParams(
                f"{QUEUED_AT_MOST} messages wait already: let them be answered first"
            )
        run.queue.append(request)
        run.tell()
        return Sent(
            conversation_id=conversation_id, user_message_id=None, message_id=None, queued=True
        )

    async def _begin(self, run: Run, conversation: Conversation, request: SendRequest) -> Sent:
        """Have what the user said on disk, and begin the answer."""
        said = ChatMessage(
            message_id=new_id(),
            conversation_id=conversation.conversation_id,
            parent_id=request.parent_id or conversation.tip_id,
            role="user",
            created_at=self._desk.clock(),
            parts=request.parts,
        )
        await self._put(said)
        if run.queue and run.queue[0] is request:  # only now that it is kept
            del run.queue[0]
        answer = self._new_answer(conversation.conversation_id, said.message_id)
        text = command_of(request.parts)
        asked = (request.provider, request.model)
        return await self._answer(run, conversation, answer, asked, text)

    async def _answer(
        self,
        run: Run,
        conversation: Conversation,
        message: ChatMessage,
        asked: tuple[str | None, str | None],
        command: str | None = None,
    ) -> Sent:
        """Begin to write an answer, or let one go on."""
        await self._put(message)
        answer = Answer(message, self._kept.put, self._tell)
        if command is None:
            work = self._work(run, answer, conversation, asked)
        else:
            work = SlashTurn(self._desk, answer, command).run()
        run.progress = Progress(activity="thinking")
        run.start(answer, work, lambda unsaved: self._ended(run, answer, unsaved))
        run.tell()
        return Sent(
            conversation_id=message.conversation_id,
            user_message_id=message.parent_id,
            message_id=message.message_id,
        )

    async def _work(
        self,
        run: Run,
        answer: Answer,
        conversation: Conversation,
        asked: tuple[str | None, str | None],
    ) -> End:
        if not self._desk.config().llm.enabled:
            return End("failed", ChatFailure(kind="bad_request", message=OFF))
        try:
            tried = await asyncio.to_thread(self._choices, conversation, asked)
        except (NoProvider, NotAvailable) as error:
            return End("failed", ChatFailure(kind="no_key", message=str(error)))
        branch = await self._fitting(answer, tried[0])
        turn = Turn(self._desk, answer, branch, tried, run.show)
        return await turn.run()

    async def _fitting(self, answer: Answer, choice: Choice) -> tuple[ChatMessage, ...]:
        """Return the branch that is answered, with a summary in it when it is nearly too long."""
        message = answer.message
        get = self._kept.branch
        branch = await asyncio.to_thread(get, message.conversation_id, message.parent_id)
        before, summary = branch[:-1], None
        with contextlib.suppress(NotAvailable):  # the turn says it, or does without a summary
            _, choice = await opened(self._desk.providers, choice)
            window = choice.capabilities.context_tokens
            is_full = context_tokens(branch) >= window * COMPACT_AT
            if is_full and len(since_summary(before)) > 1:
                summary = await summarise(self._desk, choice, before)
        if summary is None:
            return branch
        said = branch[-1].model_copy(update={"parent_id": summary.message_id})
        await self._put(summary, said, tip_id=message.message_id)
        answer.note("compacted", COMPACTED)
        return (*before, summary, said)

    async def _put_summary(self, branch: Sequence[ChatMessage], choice: Choice) -> None:
        await self._put(await summarise(self._desk, choice, branch))

    async def _ended(self, run: Run, answer: Answer, unsaved: Exception | None) -> None:
        """Tell that an answer has ended, and send what waits; nothing that fails here leaves the run busy."""
        conversation_id = answer.message.conversation_id
        if unsaved is not None:
            self._save_later(answer.message, unsaved)
        try:
            conversation = await asyncio.to_thread(self._kept.get, conversation_id)
            self._tell(ConversationEvent(conversation=conversation))
            if run.queue:
                await self._begin(run, conversation, run.queue[0])
                return
        except Exception as error:
            log.warning("the chat could not go on: %s", error, exc_info=fault_in(error))
            with contextlib.suppress(Exception):
                await self._tell_failed(conversation_id, error)
        run.free()
        run.tell()

    async def _tell_failed(self, conversation_id: str, error: Exception) -> None:
        """Say in the conversation why what waited is not answered."""
        conversation = await asyncio.to_thread(self._kept.get, conversation_id)
        words = FAULT if fault_in(error) else f"What waited could not be sent: {error}"
        failure = ChatFailure(kind="internal", message=words)
        failed = self._new_answer(conversation_id, conversation.tip_id or "")
        failed = failed.model_copy(update={"state": "failed", "failure": failure})
        try:
            await self._put(failed)
        except Exception:  # noqa: BLE001 - it is told, though it cannot be kept
            self._tell(MessageEvent(message=failed))

    def _choices(
        self, conversation: Conversation, asked: tuple[str | None, str | None]
    ) -> list[Choice]:
        kept = (conversation.provider, conversation.model)
        return choices(self._desk.providers, asked, kept)

    def _new_answer(self, conversation_id: str, parent_id: str) -> ChatMessage:
        return ChatMessage(
            message_id=new_id(),
            conversation_id=conversation_id,
            parent_id=parent_id,
            role="assistant",
            created_at=self._desk.clock(),
            state="streaming",
        )

    async def _put(self, *messages: ChatMessage, tip_id: str | None = None) -> None:
        """Have messages on disk, all or none, and tell of them."""
        messages = storable(messages)
        await asyncio.to_thread(self._kept.put, *messages, tip_id=tip_id)
        for message in messages:
            self._tell(MessageEvent(message=message))

    def _require_known(self, provider: str | None) -> None:
        names = self._desk.providers.names()
        if provider and provider not in names:
            hint = did_you_mean(provider, names)
            raise InvalidParams(f"no provider is named `{provider}`{hint}")

    def _found(self, conversation_id: str, parent_id: str | None) -> Conversation:
        self._save_again()
        conversation = self._kept.get(conversation_id)
        if parent_id is not None and self._kept.message(conversation_id, parent_id) is None:
            raise InvalidParams(f"the conversation has no message `{parent_id}` to follow")
        return conversation

    def _message(self, message_id: str) -> ChatMessage:
        self._save_again()
        found = self._kept.message(self._kept.conversation_id_of(message_id), message_id)
        if found is None:
            raise UnknownConversation(f"no message has the id {message_id!r}")
        return found

    def _claim(self, conversation_id: str) -> Run:
        """Take a conversation for an answer.

        Raises:
            InvalidParams: one is being written.
        """
        run = self._run(conversation_id)
        if run.busy:
            raise InvalidParams("an answer is being written: wait for it, or stop it first")
        run.busy = True
        return run
