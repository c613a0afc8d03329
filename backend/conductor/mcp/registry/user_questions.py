"""Shows the questions that MCP servers ask during a call on every page; the first answer is used."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from conductor.base.json_types import JsonObject
from conductor.domain.servers import QuestionAction, QuestionView
from conductor.errors import InvalidParams
from conductor.mcp.client.values import Question, QuestionAnswer
from conductor.mcp.registry.warnings import is_secret_name
from conductor.runtime.events import QUESTION, Publish

ANSWERED_WITHIN_S = 300.0
NOT_OPEN = "this question is no longer open: it was answered, it expired, or its call has ended"


@dataclass
class _PendingQuestion:
    view: QuestionView
    answer: "asyncio.Future[QuestionAnswer]"


class Questions:
    """Implements `bridge.services.Questions`: asks the user on all open pages. Use it on the event loop."""

    def __init__(
        self,
        publish: Publish,
        pages: Callable[[], int],
        answered_within_s: float = ANSWERED_WITHIN_S,
    ) -> None:
        self._publish = publish
        self._pages = pages
        self._within_s = answered_within_s
        self._open: dict[str, _PendingQuestion] = {}

    def pending(self) -> Sequence[QuestionView]:
        """Return the open questions, oldest first."""
        return [asked.view for asked in self._open.values()]

    async def ask(self, question: Question) -> QuestionAnswer:
        """Ask the user a question and return the answer.

        The question is cancelled if no page is open, or if no answer arrives in time.
        """
        if not self._pages():
            return QuestionAnswer(action="cancel")
        asked = _PendingQuestion(
            self._build_view(question), asyncio.get_running_loop().create_future()
        )
        self._open[asked.view.question_id] = asked
        self._publish_question(asked.view)
        try:
            async with asyncio.timeout(self._within_s):
                answer = await asked.answer
        except TimeoutError:
            answer = QuestionAnswer(action="cancel")
        finally:  # also runs when the call has ended, which cancels this task
            del self._open[asked.view.question_id]
            is_answered = asked.answer.done() and not asked.answer.cancelled()
            state = "answered" if is_answered else "withdrawn"
            self._publish_question(asked.view.model_copy(update={"state": state}))
        return answer

    def answer(self, question_id: str, action: QuestionAction, content: JsonObject | None) -> None:
        """Submit the user's answer to a pending question.

        Raises:
            InvalidParams: the content does not match the form, or the question is no longer open.
        """
        asked = self._open.get(question_id)
        if asked is None or asked.answer.done():
            raise InvalidParams(NOT_OPEN)
        filled = (content or {}) if action == "accept" else None
        if filled is not None:
            _check_content(asked.view.form, filled)
        asked.answer.set_result(QuestionAnswer(action=action, content=filled))

    def page_left(self) -> None:
        """Withdraw all questions when the last page has closed, because no page shows them any more."""
        if not self._pages():
            for asked in self._open.values():
                if not asked.answer.done():
                    asked.answer.set_result(QuestionAnswer(action="cancel"))

    def _build_view(self, question: Question) -> QuestionView:
        now = datetime.now(UTC)
        return QuestionView(
            question_id=secrets.token_urlsafe(12),
            server=question.server,
            message=question.message,
            schema=question.form,
            warnings=tuple(_find_warnings(question)),
            requested_at=now,
            expires_at=now + timedelta(seconds=self._within_s),
            state="pending",
        )

    def _publish_question(self, view: QuestionView) -> None:
        self._publish(QUESTION, view)


def _find_warnings(question: Question) -> list[str]:
    """Return a warning for each form field that appears to ask for a secret.

    Servers must not ask for secrets in a form.
    """
    fields: dict[str, JsonObject] = question.form.get("properties", {})
    asked = [
        name
        for name, field in fields.items()
        if any(is_secret_name(str(words)) for words in (name, field.get("title", "")))
        or (field.get("type") == "string" and is_secret_name(field.get("description", "")))
    ]
    return [
        f"`{name}` looks like a secret: {question.server} would receive it as you type it. Servers must not"
        " ask for passwords or keys this way; decline unless you know why it does"
        for name in asked
    ]


def _check_content(form: JsonObject, content: JsonObject) -> None:
    """Validate the user's answer against the form of the question.

    Raises:
        InvalidParams: a field does not match; the message names it.
    """
    from conductor.mcp.client import schemas

    fields: dict[str, JsonObject] = form.get("properties", {})
    unknown = [name for name in content if name not in fields]
    if unknown:
        raise InvalidParams(f"the question has no field `{unknown[0][:80]}`")
    defaults = {name: field["default"] for name, field in fields.items() if "default" in field}
    schemas.build_checker(schemas.bound_schema(form))({**defaults, **content})
