"""Questions of servers: sent to pages, answered once, validated, and withdrawn when the call has ended."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from conductor.domain.servers import QuestionView
from conductor.errors import InvalidParams
from conductor.mcp.client.values import UserQuestion
from conductor.mcp.registry.user_questions import UserQuestions

FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "scene": {"type": "string", "enum": ["a", "b"]},
        "count": {"type": "integer", "minimum": 1, "default": 3},
        "pin": {"type": "string", "title": "Your password"},
    },
    "required": ["scene"],
}
ASKED = UserQuestion(server="obs", message="Which scene?", form=FORM)


class Stage:
    """Questions with a number of open pages, and the events that these get."""

    def __init__(self, pages: int = 1, answer_timeout_s: float = 60) -> None:
        self.pages = pages
        self.events: list[QuestionView] = []
        self.questions = UserQuestions(self._tell, lambda: self.pages, answer_timeout_s)

    def _tell(self, topic: object, payload: Any, /) -> None:
        assert topic == "question"
        self.events.append(payload)

    @property
    def states(self) -> list[str]:
        return [item.state for item in self.events]


def run_stage(work: Callable[[Stage], Awaitable[None]], **stage: Any) -> Stage:
    made = Stage(**stage)

    async def play() -> None:
        async with asyncio.timeout(20):
            await work(made)

    asyncio.run(play())
    return made


async def asked(stage: Stage) -> "tuple[asyncio.Task[Any], str]":
    task = asyncio.create_task(stage.questions.ask_user(ASKED))
    await asyncio.sleep(0)  # it begins
    return task, stage.questions.list_pending_questions()[0].question_id


def test_an_answer_reaches_the_server_and_every_page_knows() -> None:
    async def work(stage: Stage) -> None:
        task, which = await asked(stage)
        stage.questions.submit_answer(which, "accept", {"scene": "b"})
        answer = await task
        assert (answer.action, answer.content) == ("accept", {"scene": "b"})
        assert stage.questions.list_pending_questions() == []
        with pytest.raises(InvalidParams, match="no longer open"):
            stage.questions.submit_answer(which, "accept", {"scene": "a"})

    stage = run_stage(work)
    assert stage.states == ["pending", "answered"]
    assert stage.events[0].form == FORM
    assert ["`pin` looks like a secret" in item for item in stage.events[0].warnings] == [True]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_form_content_is_not_sent_without_acceptance(action: Any) -> None:
    async def work(stage: Stage) -> None:
        task, which = await asked(stage)
        stage.questions.submit_answer(which, action, {"scene": "b", "nonsense": 1})
        answer = await task
        assert (answer.action, answer.content) == (action, None)

    assert run_stage(work).states == ["pending", "answered"]


@pytest.mark.parametrize(
    "content",
    [{}, {"scene": "c"}, {"scene": "a", "count": 0}, {"scene": "a", "other": 1}, {"scene": 1}],
)
def test_an_invalid_answer_is_refused_and_the_question_stays_open(content: Any) -> None:
    async def work(stage: Stage) -> None:
        task, which = await asked(stage)
        with pytest.raises(InvalidParams):
            stage.questions.submit_answer(which, "accept", content)
        assert not task.done()
        stage.questions.submit_answer(which, "accept", {"scene": "a"})
        await task

    run_stage(work)


def test_it_is_withdrawn_when_the_call_ends() -> None:
    async def work(stage: Stage) -> None:
        task, _ = await asked(stage)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert stage.questions.list_pending_questions() == []

    assert run_stage(work).states == ["pending", "withdrawn"]


def test_a_question_is_cancelled_on_timeout_or_without_a_page() -> None:
    async def work(stage: Stage) -> None:
        assert (await stage.questions.ask_user(ASKED)).action == "cancel"

    assert run_stage(work, answer_timeout_s=0).states == ["pending", "withdrawn"]
    assert run_stage(work, pages=0).states == []


def test_the_last_page_takes_questions_with_it_and_another_does_not() -> None:
    async def work(stage: Stage) -> None:
        task, _ = await asked(stage)
        stage.pages = 1
        stage.questions.on_page_closed()
        await asyncio.sleep(0)
        assert not task.done()
        stage.pages = 0
        stage.questions.on_page_closed()
        assert (await task).action == "cancel"

    run_stage(work, pages=2)


def test_several_wait_side_by_side() -> None:
    async def work(stage: Stage) -> None:
        first, which = await asked(stage)
        second = asyncio.create_task(stage.questions.ask_user(ASKED))
        await asyncio.sleep(0)
        assert len(stage.questions.list_pending_questions()) == 2
        stage.questions.submit_answer(which, "decline", None)
        await first
        assert not second.done()
        assert [item.question_id for item in stage.questions.list_pending_questions()] != [which]
        second.cancel()

    run_stage(work)
