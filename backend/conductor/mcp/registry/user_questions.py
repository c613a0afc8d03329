"""Shows the questions that MCP servers ask during a call on all pages, and uses the first answer."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from conductor.base.json_types import JsonObject
from conductor.domain.servers import QuestionAction, QuestionView
from conductor.errors import InvalidParams
from conductor.mcp.client.values import UserAnswer, UserQuestion
from conductor.mcp.registry.warnings import is_secret_name
from conductor.runtime.events import QUESTION_TOPIC, Publish

USER_ANSWER_TIMEOUT_S = 300.0
QUESTION_CLOSED_MESSAGE = (
    "this question is no longer open: it was answered, it expired, or its call has ended"
)


@dataclass
class _PendingQuestion:
    """A question that the user sees, and the future that receives the answer."""

    view: QuestionView
    answer: "asyncio.Future[UserAnswer]"


class UserQuestions:
    """Asks the user the questions of MCP servers on all open pages. Use it on the event loop."""

    def __init__(
        self,
        publish: Publish,
        count_pages: Callable[[], int],
        answer_timeout_s: float = USER_ANSWER_TIMEOUT_S,
    ) -> None:
        self._publish = publish
        self._count_pages = count_pages
        self._timeout_s = answer_timeout_s
        self._pending: dict[str, _PendingQuestion] = {}

    def list_pending_questions(self) -> Sequence[QuestionView]:
        """Return the questions that have no answer yet, oldest first."""
        return [pending.view for pending in self._pending.values()]

    async def ask_user(self, question: UserQuestion) -> UserAnswer:
        """Ask the user a question and return the answer.

        The question is cancelled if no page is open, or if no answer arrives in time.
        """
        if not self._count_pages():
            return UserAnswer(action="cancel")
        pending = _PendingQuestion(
            self._build_view(question), asyncio.get_running_loop().create_future()
        )
        self._pending[pending.view.question_id] = pending
        self._publish_question(pending.view)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await pending.answer
        except TimeoutError:
            answer = UserAnswer(action="cancel")
        finally:  # also runs when the call has ended, which cancels this task
            del self._pending[pending.view.question_id]
            is_answered = pending.answer.done() and not pending.answer.cancelled()
            state = "answered" if is_answered else "withdrawn"
            self._publish_question(pending.view.model_copy(update={"state": state}))
        return answer

    def submit_answer(
        self, question_id: str, action: QuestionAction, content: JsonObject | None
    ) -> None:
        """Pass the user's answer to the question that waits for it.

        Raises:
            InvalidParams: The content does not match the form, or the question no longer waits.
        """
        pending = self._pending.get(question_id)
        if pending is None or pending.answer.done():
            raise InvalidParams(QUESTION_CLOSED_MESSAGE)
        filled = (content or {}) if action == "accept" else None
        if filled is not None:
            _check_answer_content(pending.view.form, filled)
        pending.answer.set_result(UserAnswer(action=action, content=filled))

    def on_page_closed(self) -> None:
        """Cancel all pending questions if the last page was closed, because nobody can answer them."""
        if not self._count_pages():
            for pending in self._pending.values():
                if not pending.answer.done():
                    pending.answer.set_result(UserAnswer(action="cancel"))

    def _build_view(self, question: UserQuestion) -> QuestionView:
        now = datetime.now(UTC)
        return QuestionView(
            question_id=secrets.token_urlsafe(12),
            server=question.server,
            message=question.message,
            schema=question.form,
            warnings=tuple(_find_secret_field_warnings(question)),
            requested_at=now,
            expires_at=now + timedelta(seconds=self._timeout_s),
            state="pending",
        )

    def _publish_question(self, view: QuestionView) -> None:
        self._publish(QUESTION_TOPIC, view)


def _find_secret_field_warnings(question: UserQuestion) -> list[str]:
    """Return a warning for each field of a form that seems to ask for a secret.

    The MCP specification forbids servers to ask for secrets in a form.
    """
    fields: dict[str, JsonObject] = question.form.get("properties", {})
    secret_fields = [
        name
        for name, field in fields.items()
        if any(is_secret_name(str(words)) for words in (name, field.get("title", "")))
        or (field.get("type") == "string" and is_secret_name(field.get("description", "")))
    ]
    return [
        f"`{name}` looks like a secret: {question.server} would receive it as you type it. Servers must not"
        " ask for passwords or keys this way; decline unless you know why it does"
        for name in secret_fields
    ]


def _check_answer_content(form: JsonObject, content: JsonObject) -> None:
    """Check the user's answer against the form of the question.

    Raises:
        InvalidParams: A field does not match the form. The message names the field.
    """
    from conductor.mcp.client import schemas

    fields: dict[str, JsonObject] = form.get("properties", {})
    unknown = [name for name in content if name not in fields]
    if unknown:
        raise InvalidParams(f"the question has no field `{unknown[0][:80]}`")
    defaults = {name: field["default"] for name, field in fields.items() if "default" in field}
    schemas.build_argument_check(schemas.sanitize_schema(form))({**defaults, **content})
