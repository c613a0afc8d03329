"""What goes on in one conversation: the answer that is being written, and what waits behind it."""

import asyncio
import logging
from collections.abc import Callable, Coroutine

from conductor.agent.answer import Answer
from conductor.agent.calls import STOPPED, Calls
from conductor.agent.compaction import is_nearly_full
from conductor.agent.deps import ChatDeps, Tell
from conductor.agent.turn import FAULT, End, Progress
from conductor.domain.chat.events import RunEvent
from conductor.domain.chat.messages import ChatFailure, SendRequest, TextPart
from conductor.errors import ConductorError

log = logging.getLogger(__name__)

STOPPED_WORDS = "Stopped. What had come until then is kept."
BROKEN_OFF = "not run: the answer broke off before it"
QUEUED_AT_MOST = 20
Then = Callable[[Exception | None], Coroutine[None, None, None]]
"""What comes after an answer; it is told why that could not be saved, if so."""


class Run:
    """One cancel scope for the stream, the tools and the queue of a conversation."""

    def __init__(self, desk: ChatDeps, tell: Tell, conversation_id: str) -> None:
        self._desk = desk
        self._tell = tell
        self._conversation_id = conversation_id
        self.busy = False
        self.queue: list[SendRequest] = []
        self.answer: Answer | None = None
        self.progress = Progress()
        self._work: asyncio.Task[End] | None = None
        self._driver: asyncio.Task[None] | None = None
        self._abandoned = asyncio.Event()
        self._stop_asked = False
        """Stop came before there was a task to be stopped."""
        self.aside: asyncio.Task[None] | None = None
        """What is done without an answer: a summary."""

    def news(self) -> RunEvent:
        """Return where the conversation stands."""
        progress = self.progress
        return RunEvent(
            conversation_id=self._conversation_id,
            running=self.busy,
            activity=progress.activity if self.busy else None,
            words=progress.words if self.busy else "",
            step=progress.step,
            steps=progress.steps,
            queued=tuple(_text(request) for request in self.queue),
            context_tokens=progress.context_tokens,
            context_window=progress.context_window,
            nearly_full=is_nearly_full(progress.context_tokens, progress.context_window),
            spent_usd=progress.spent_usd,
            budget_usd=self._desk.config().llm.budget.stop_usd_per_conversation,
        )

    def tell(self) -> None:
        self._tell(self.news())

    def show(self, progress: Progress) -> None:
        """Take over where the turn stands."""
        self.progress = progress
        self.tell()

    def start(
        self,
        answer: Answer,
        work: Coroutine[None, None, End],
        then: Then,
    ) -> None:
        """Write the answer in the background, and then do what comes next."""
        self.answer = answer
        self._abandoned = asyncio.Event()
        self._work = asyncio.create_task(work)
        self._driver = asyncio.create_task(self._drive(answer, self._work, then))
        if self._stop_asked:
            self._work.cancel()
        self._stop_asked = False

    async def do_aside(self, work: Coroutine[None, None, None]) -> bool:
        """Do what is no answer; gives whether it was done and not stopped."""
        self.aside = asyncio.create_task(work)
        if self._stop_asked:
            self.aside.cancel()
        await asyncio.wait({self.aside})
        if self.aside.cancelled():
            return False
        self.aside.result()
        return True

    def free(self) -> None:
        """Let the next answer be written."""
        self.busy = self._stop_asked = False
        self.aside = None

    async def stop(self) -> None:
        """Stop it, and drop what is queued; called again, what does not end by itself is cut off."""
        self.queue.clear()
        if not self.busy:
            return
        if self._work is None or self._driver is None or self._driver.done():
            self._stop_asked = True
            if self.aside is not None:
                self.aside.cancel()
            return
        if self._work.cancelling():
            self._abandoned.set()
        self._work.cancel()
        await asyncio.shield(self._driver)

    async def _drive(
        self,
        answer: Answer,
        work: asyncio.Task[End],
        then: Then,
    ) -> None:
        abandoned = asyncio.create_task(self._abandoned.wait())
        try:
            await asyncio.wait({work, abandoned}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            abandoned.cancel()
        unsaved: Exception | None = None
        try:
            await self._end(answer, work)
        except Exception as error:  # noqa: BLE001 - it is told in the answer
            unsaved = error
        finally:
            await then(unsaved)

    async def _end(self, answer: Answer, work: asyncio.Task[End]) -> None:
        calls = Calls(self._desk, answer)
        if work.done() and not work.cancelled():
            end = end_of(work)
            calls.answer_rest(BROKEN_OFF)
            await answer.end(end.state, end.failure)
        else:
            calls.answer_rest(STOPPED)
            answer.note("stopped", STOPPED_WORDS)
            await answer.end("stopped")


def end_of(work: asyncio.Task[End]) -> End:
    """Return how it ended; a fault of ours is told like a failure of the model's."""
    error = work.exception()
    if error is None:
        return work.result()
    known = isinstance(error, ConductorError)
    if not known:
        log.error("a turn of the chat failed", exc_info=error)
    words = str(error) if known else FAULT
    return End("failed", ChatFailure(kind="internal", message=words))


def _text(request: SendRequest) -> str:
    texts = [part.text for part in request.parts if isinstance(part, TextPart)]
    return " ".join(texts)[:500] or "(attachment)"
