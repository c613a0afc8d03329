"""Runs the answer of one conversation, and holds the user messages that wait for it to end."""

import asyncio
import logging
from collections.abc import Callable, Coroutine

from conductor.agent.answer import Answer
from conductor.agent.calls import STOPPED_BY_USER_REASON, ToolCallRunner
from conductor.agent.compaction import is_context_nearly_full
from conductor.agent.deps import ChatDeps, EventListener
from conductor.agent.turn import INTERNAL_ERROR_MESSAGE, AnswerProgress, TurnEnd
from conductor.domain.chat.events import RunEvent
from conductor.domain.chat.messages import ChatFailure, SendRequest, TextPart
from conductor.errors import ConductorError

log = logging.getLogger(__name__)

STOPPED_ANSWER_TEXT = "Stopped. The answer so far is kept."
CALL_NOT_RUN_REASON = "not run: the answer ended before this call"
MAX_QUEUED_REQUESTS = 20
AnswerEndCallback = Callable[[Exception | None], Coroutine[None, None, None]]
"""Called when an answer has ended, with the exception if the answer could not be saved, otherwise None."""


class Run:
    """The answer in progress of a conversation and the queue of user messages behind it."""

    def __init__(self, deps: ChatDeps, publish: EventListener, conversation_id: str) -> None:
        self._deps = deps
        self._publish = publish
        self._conversation_id = conversation_id
        self.busy = False
        self.queue: list[SendRequest] = []
        self.answer: Answer | None = None
        self.progress = AnswerProgress()
        self._work: asyncio.Task[TurnEnd] | None = None
        self._driver: asyncio.Task[None] | None = None
        self._abandoned = asyncio.Event()
        self._stop_requested = False
        """Whether the user stopped the answer before there was a task that could be cancelled."""
        self.side_task: asyncio.Task[None] | None = None
        """A task that writes no answer, such as a summary that the user requested."""

    def build_status_event(self) -> RunEvent:
        """Return an event with the progress of the answer, the queue, and how full the context window is."""
        progress = self.progress
        return RunEvent(
            conversation_id=self._conversation_id,
            running=self.busy,
            activity=progress.activity if self.busy else None,
            words=progress.words if self.busy else "",
            step=progress.step,
            steps=progress.steps,
            queued=tuple(_summarize_request(request) for request in self.queue),
            context_tokens=progress.context_tokens,
            context_window=progress.context_window,
            nearly_full=is_context_nearly_full(progress.context_tokens, progress.context_window),
            spent_usd=progress.spent_usd,
            budget_usd=self._deps.config().llm.budget.stop_usd_per_conversation,
        )

    def publish_status(self) -> None:
        self._publish(self.build_status_event())

    def update_progress(self, progress: AnswerProgress) -> None:
        """Store the progress of the answer and publish it to the page."""
        self.progress = progress
        self.publish_status()

    def start_answer(
        self,
        answer: Answer,
        work: Coroutine[None, None, TurnEnd],
        on_end: AnswerEndCallback,
    ) -> None:
        """Start writing an answer in the background.

        `on_end` is called when the answer has ended and was saved.
        """
        self.answer = answer
        self._abandoned = asyncio.Event()
        self._work = asyncio.create_task(work)
        self._driver = asyncio.create_task(self._finish_work(answer, self._work, on_end))
        if self._stop_requested:
            self._work.cancel()
        self._stop_requested = False

    async def run_without_answer(self, work: Coroutine[None, None, None]) -> bool:
        """Run work that writes no answer, such as a summary, so that the user can stop it.

        Return False if the user stopped the work. Exceptions of the work are raised.
        """
        self.side_task = asyncio.create_task(work)
        if self._stop_requested:
            self.side_task.cancel()
        # `wait` does not raise, so a cancellation by the user can be told from a failure
        await asyncio.wait({self.side_task})
        if self.side_task.cancelled():
            return False
        self.side_task.result()
        return True

    def mark_idle(self) -> None:
        """Mark the conversation as free, so that the next message starts an answer instead of being queued."""
        self.busy = self._stop_requested = False
        self.side_task = None

    async def stop_answer(self) -> None:
        """Empty the queue and stop the answer in progress.

        A second call no longer waits for the answer to end, in case a tool call does not react to being
        cancelled.
        """
        self.queue.clear()
        if not self.busy:
            return
        if self._work is None or self._driver is None or self._driver.done():
            self._stop_requested = True
            if self.side_task is not None:
                self.side_task.cancel()
            return
        if self._work.cancelling():  # the user has pressed Stop a second time
            self._abandoned.set()
        self._work.cancel()
        await asyncio.shield(self._driver)

    async def _finish_work(
        self,
        answer: Answer,
        work: asyncio.Task[TurnEnd],
        on_end: AnswerEndCallback,
    ) -> None:
        abandoned = asyncio.create_task(self._abandoned.wait())
        try:
            await asyncio.wait({work, abandoned}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            abandoned.cancel()
        unsaved: Exception | None = None
        try:
            await self._end_answer(answer, work)
        except Exception as error:  # noqa: BLE001 - passed to `on_end`
            unsaved = error
        finally:
            await on_end(unsaved)

    async def _end_answer(self, answer: Answer, work: asyncio.Task[TurnEnd]) -> None:
        calls = ToolCallRunner(self._deps, answer)
        if work.done() and not work.cancelled():
            end = _get_turn_end(work)
            calls.fail_unanswered_calls(CALL_NOT_RUN_REASON)
            await answer.finish_answer(end.state, end.failure)
        else:
            calls.fail_unanswered_calls(STOPPED_BY_USER_REASON)
            answer.add_note("stopped", STOPPED_ANSWER_TEXT)
            await answer.finish_answer("stopped")


def _get_turn_end(work: asyncio.Task[TurnEnd]) -> TurnEnd:
    """Return the result of a finished turn.

    If the turn raised an unexpected exception, it is logged and returned as a failure for the user.
    """
    error = work.exception()
    if error is None:
        return work.result()
    known = isinstance(error, ConductorError)
    if not known:
        log.error("an answer of the chat failed with an unexpected exception", exc_info=error)
    words = str(error) if known else INTERNAL_ERROR_MESSAGE
    return TurnEnd("failed", ChatFailure(kind="internal", message=words))


def _summarize_request(request: SendRequest) -> str:
    texts = [part.text for part in request.parts if isinstance(part, TextPart)]
    return " ".join(texts)[:500] or "(attachment)"
