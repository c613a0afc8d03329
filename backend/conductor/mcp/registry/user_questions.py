"""What MCP servers ask the user in the middle of a call: told to every page; the first answer counts."""

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

ANSWERED_WITHIN_S = 300.0
GONE = "this question is not open any more: it was answered, took too long, or its call has ended"
Tell = Callable[[str, JsonObject], None]


@dataclass
class _Asked:
    view: QuestionView
    answer: "asyncio.Future[QuestionAnswer]"


class Questions:
    """Implements `bridge.services.QuestionsDoor`. For the event loop."""

    def __init__(
        self, tell: Tell, pages: Callable[[], int], answered_within_s: float = ANSWERED_WITHIN_S
    ) -> None:
        self._tell = tell
        self._pages = pages
        self._within_s = answered_within_s
        self._open: dict[str, _Asked] = {}

    def pending(self) -> Sequence[QuestionView]:
        """Return what is asked now, the oldest first."""
        return [asked.view for asked in self._open.values()]

    async def ask(self, question: Question) -> QuestionAnswer:
        """Ask the user. Nobody there, no answer in time and a closed window all mean: not chosen."""
        if not self._pages():
            return QuestionAnswer(action="cancel")
        asked = _Asked(self._view(question), asyncio.get_running_loop().create_future())
        self._open[asked.view.question_id] = asked
        self._say(asked.view)
        try:
            async with asyncio.timeout(self._within_s):
                answer = await asked.answer
        except TimeoutError:
            answer = QuestionAnswer(action="cancel")
        finally:  # also when the call has ended, which cancels this
            del self._open[asked.view.question_id]
            is_answered = asked.answer.done() and not asked.answer.cancelled()
            state = "answered" if is_answered else "withdrawn"
            self._say(asked.view.model_copy(update={"state": state}))
        return answer

    def answer(self, question_id: str, action: QuestionAction, content: JsonObject | None) -> None:
        """Answer a question.

        Raises:
            InvalidParams: the content does not fit the form, or nobody waits for an answer any more.
        """
        asked = self._open.get(question_id)
        if asked is None or asked.answer.done():
            raise InvalidParams(GONE)
        filled = (content or {}) if action == "accept" else None
        if filled is not None:
            _check(asked.view.form, filled)
        asked.answer.set_result(QuestionAnswer(action=action, content=filled))

    def page_left(self) -> None:
        """Withdraw all questions when the last page is gone, because no page shows them."""
        if not self._pages():
            for asked in self._open.values():
                if not asked.answer.done():
                    asked.answer.set_result(QuestionAnswer(action="cancel"))

    def _view(self, question: Question) -> QuestionView:
        now = datetime.now(UTC)
        return QuestionView(
            question_id=secrets.token_urlsafe(12),
            server=question.server,
            message=question.message,
            schema=question.form,
            warnings=tuple(_warnings(question)),
            requested_at=now,
            expires_at=now + timedelta(seconds=self._within_s),
            state="pending",
        )

    def _say(self, view: QuestionView) -> None:
        self._tell("question", view.model_dump(mode="json"))


def _warnings(question: Question) -> list[str]:
    """Return which fields look as if they asked for a secret: a server must not ask for one this way."""
    fields: dict[str, JsonObject] = question.form.get("properties", {})
    asked = [
        name
        for name, field in fields.items()
        if any(is_secret_name(str(words)) for words in (name, field.get("title", "")))
        or (field.get("type") == "string" and is_secret_name(field.get("description", "")))
    ]
    return [
        f"`{name}` looks like a secret: {question.server} would get it as you type it. Servers must not"
        " ask for passwords or keys this way; say no unless you know why it does"
        for name in asked
    ]


def _check(form: JsonObject, content: JsonObject) -> None:
    """Compare what was filled in with the form.

    Raises:
        InvalidParams: says which field does not fit.
    """
    from conductor.mcp.client import schemas

    fields: dict[str, JsonObject] = form.get("properties", {})
    unknown = [name for name in content if name not in fields]
    if unknown:
        raise InvalidParams(f"the question has no field `{unknown[0][:80]}`")
    defaults = {name: field["default"] for name, field in fields.items() if "default" in field}
    schemas.build_checker(schemas.bound_schema(form))({**defaults, **content})
