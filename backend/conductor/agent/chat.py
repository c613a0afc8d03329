"""The chat's door: what the window, the terminal and the benchmark ask of it.

Async methods are called on the event loop, plain ones in worker threads. Everything that happens is told to
those who `listen`, on the event loop or from a worker.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Literal

from conductor.agent import attach as attaching
from conductor.agent import export as exporting
from conductor.agent import mentions as mentioning
from conductor.agent import suggestions as suggesting
from conductor.agent.answer import Answer, new_id
from conductor.agent.choice import Choice, NoProvider, choices, opened
from conductor.agent.compaction import COMPACT_AT, context_tokens, since_summary
from conductor.agent.desk import Desk, Tell
from conductor.agent.pulse import EVENTS
from conductor.agent.run import QUEUED_AT_MOST, Run
from conductor.agent.slash_turn import SlashTurn, command_of
from conductor.agent.summary import summarise
from conductor.agent.titles import title_of
from conductor.agent.turn import End, Progress, Turn
from conductor.domain.chat import (
    ChatFailure,
    ChatMessage,
    ChatNews,
    Conversation,
    ConversationNews,
    FilePart,
    ImagePart,
    MentionPart,
    MessageNews,
    RemovedNews,
    RunNews,
    SendRequest,
    Sent,
    UserPart,
)
from conductor.errors import InvalidParams, NotAvailable, UnknownConversation
from conductor.storage.conversations import Twig

OFF = "The chat is switched off: `llm.enabled` is false. Commands such as `/map pad 36 to cmd+c` still work."
COMPACTED = "The conversation was nearly longer than the model's window: a summary stands for what was before."
MAY_GO_ON = ("paused", "stopped", "failed")


class Chat:
    """All conversations. Their answers are written side by side, one at a time in each."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._kept = desk.conversations
        self._runs: dict[str, Run] = {}
        self._listeners: list[Tell] = []

    def listen(self, tell: Tell) -> Callable[[], None]:
        """Have somebody told all news; gives what ends that."""
        self._listeners.append(tell)
        return lambda: self._listeners.remove(tell)

    async def close(self) -> None:
        """Stop every answer, with what there is of it kept."""
        await asyncio.gather(*(run.stop() for run in self._runs.values()))

    # --- saying something ---

    async def send(self, request: SendRequest) -> Sent:
        """Take what the user says, and begin to answer it; while another answer is written, it waits.

        Raises:
            UnknownConversation: its conversation is deleted.
            InvalidParams: too much waits already.
        """
        conversation = await self._conversation_for(request)
        run = self._run(conversation.conversation_id)
        if run.busy:
            return self._queue(run, conversation.conversation_id, request)
        run.busy = True
        try:
            return await self._begin(run, conversation, request)
        except BaseException:
            run.busy = False
            raise

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
            run.busy = False
            raise

    async def regenerate(
        self, message_id: str, provider: str | None = None, model: str | None = None
    ) -> Sent:
        """Answer again, beside the answer that is there."""
        message = await asyncio.to_thread(self._message, message_id)
        if message.role != "assistant" or message.parent_id is None or message.summary:
            raise InvalidParams("only an answer can be made again")
        run = self._claim(message.conversation_id)
        try:
            conversation = await asyncio.to_thread(self._kept.get, message.conversation_id)
            answer = self._new_answer(message.conversation_id, message.parent_id)
            return await self._answer(run, conversation, answer, (provider, model))
        except BaseException:
            run.busy = False
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
            request = SendRequest(conversation_id=message.conversation_id, parts=parts)
            return await self._begin(run, conversation, request)
        except BaseException:
            run.busy = False
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
            await self._put_summary(branch, tried[0])
        except NoProvider as error:
            raise NotAvailable(str(error)) from None
        finally:
            run.busy = False
            run.tell()

    # --- looking and keeping ---

    def conversations(self, query: str = "") -> Sequence[Conversation]:
        """Give those that have these words, the one that was used last first."""
        return self._kept.all(query)

    def open(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunNews]:
        """Give a conversation, its messages with the oldest first, and where it stands.

        With a limit only the last ones up to a tip; without a tip it is the end of what is shown.

        Raises:
            UnknownConversation: there is none of this id.
        """
        conversation = self._kept.get(conversation_id)
        if limit is None:
            messages = self._kept.messages(conversation_id)
        else:
            messages = self._kept.branch(conversation_id, tip_id or conversation.tip_id, limit)
        run = self._runs.get(conversation_id) or Run(self._desk, self._tell, conversation_id)
        if run.busy and run.answer is not None and not run.answer.ended:
            live = run.answer.snapshot()
            messages = tuple(live if m.message_id == live.message_id else m for m in messages)
        return conversation, messages, run.news()

    def tree(self, conversation_id: str) -> Sequence[Twig]:
        """Give where every message is, the oldest first."""
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
        self._tell(RemovedNews(conversation_id=conversation_id))

    def choose_branch(self, conversation_id: str, tip_id: str) -> None:
        """Show the branch that ends with this message."""
        self._kept.set_tip(conversation_id, tip_id)
        self._tell_conversation(conversation_id)

    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None:
        """Have the next answers come from another model."""
        self._kept.set_model(conversation_id, provider, model)
        self._tell_conversation(conversation_id)

    def export(self, conversation_id: str, form: Literal["markdown", "json"]) -> str:
        """Give the branch that is shown as Markdown, or the whole tree as JSON."""
        conversation = self._kept.get(conversation_id)
        if form == "json":
            return exporting.as_json(conversation, self._kept.messages(conversation_id))
        return exporting.as_markdown(conversation, self._kept.branch(conversation_id))

    def suggestions(self) -> Sequence[str]:
        """Give what the user may want to say now."""
        desk = self._desk
        return suggesting.suggestions(desk.config(), desk.standing(), desk.lately(EVENTS))

    def mentions(self, query: str) -> Sequence[MentionPart]:
        """Give what can be pointed at with `@` and has these words."""
        desk = self._desk
        return mentioning.mentions(query, desk.config(), desk.lately(EVENTS), desk.plans())

    def attach(self, name: str, content: bytes) -> FilePart | ImagePart:
        """Make a part of a file.

        Raises:
            InvalidParams: it cannot be attached; says what can.
        """
        return attaching.attach(name, content)

    # --- between the two ---

    async def _conversation_for(self, request: SendRequest) -> Conversation:
        if request.conversation_id is not None:
            return await asyncio.to_thread(self._kept.get, request.conversation_id)
        title = title_of(request.parts)
        made = await asyncio.to_thread(self._kept.create, request.provider, request.model, title)
        self._tell(ConversationNews(conversation=made))
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
        run.start(answer, work, lambda: self._ended(run, conversation.conversation_id))
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
        try:
            tried = await asyncio.to_thread(self._choices, conversation, asked)
        except NoProvider as error:
            return End("failed", ChatFailure(kind="no_key", message=str(error)))
        if not self._desk.config().llm.enabled:
            return End("failed", ChatFailure(kind="bad_request", message=OFF))
        branch = await self._fitting(answer, tried[0])
        turn = Turn(self._desk, answer, branch, tried, run.show)
        return await turn.run()

    async def _fitting(self, answer: Answer, choice: Choice) -> tuple[ChatMessage, ...]:
        """Give the branch that is answered, with a summary in it when it is nearly too long."""
        message = answer.message
        get = self._kept.branch
        branch = await asyncio.to_thread(get, message.conversation_id, message.parent_id)
        before = branch[:-1]
        with contextlib.suppress(NotAvailable):  # the turn says it, or does without a summary
            _, choice = await opened(self._desk.providers, choice)
            window = choice.capabilities.context_tokens
            is_full = context_tokens(branch) >= window * COMPACT_AT
            if is_full and len(since_summary(before)) > 1:
                summary = await self._put_summary(before, choice)
                said = branch[-1].model_copy(update={"parent_id": summary.message_id})
                await self._put(said)
                await asyncio.to_thread(
                    self._kept.set_tip, message.conversation_id, message.message_id
                )
                answer.note("compacted", COMPACTED)
                return (*before, summary, said)
        return branch

    async def _put_summary(self, branch: Sequence[ChatMessage], choice: Choice) -> ChatMessage:
        summary = await summarise(self._desk, choice, branch)
        await self._put(summary)
        return summary

    async def _ended(self, run: Run, conversation_id: str) -> None:
        """Tell that an answer has ended, and send what waits."""
        with contextlib.suppress(UnknownConversation):
            await asyncio.to_thread(self._tell_conversation, conversation_id)
            if run.queue:
                conversation = await asyncio.to_thread(self._kept.get, conversation_id)
                await self._begin(run, conversation, run.queue.pop(0))
                return
        run.busy = False
        run.tell()

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

    async def _put(self, message: ChatMessage) -> None:
        await asyncio.to_thread(self._kept.put, message)
        self._tell(MessageNews(message=message))

    def _message(self, message_id: str) -> ChatMessage:
        found = self._kept.message(self._kept.home_of(message_id), message_id)
        if found is None:
            raise UnknownConversation(f"no message has the id {message_id!r}")
        return found

    def _run(self, conversation_id: str) -> Run:
        return self._runs.setdefault(conversation_id, Run(self._desk, self._tell, conversation_id))

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

    def _tell(self, news: ChatNews) -> None:
        for listener in list(self._listeners):
            listener(news)

    def _tell_conversation(self, conversation_id: str) -> None:
        self._tell(ConversationNews(conversation=self._kept.get(conversation_id)))
