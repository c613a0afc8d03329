"""Forms in an agent's client: a question is really asked, its answer counts once, and only for what was shown.

An answer that comes unasked counts for nothing. Both eras: clients of the handshake are asked while their call
waits, those of 2026-07-28 get the question as the result, and call again with the answer.
"""

import secrets
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp

FORM = "approve"
ASK_FOR_S = 240.0
SHOWN_AT_MOST = 60_000
"""A longer message is no longer read by anybody: such a question is for the window."""
QUESTIONS_KEPT = 256
MODERN = "2026-07-28"


class Question(NamedTuple):
    """What was asked, of whom, and the words that were shown."""

    about: str
    principal: tuple[Any, ...]
    shown: str


class Answer(NamedTuple):
    """What came back; None: nothing was decided."""

    result: types.ElicitResult | None
    shown: str

    @property
    def is_open(self) -> bool:
        return self.result is None or self.result.action == "cancel"

    @property
    def is_yes(self) -> bool:
        accepted = self.result is not None and self.result.action == "accept"
        return accepted and (self.result.content or {}).get(FORM) is True  # pyright: ignore[reportOptionalMemberAccess]


class Forms:
    """Asks one kind of question."""

    def __init__(self, title: str, description: str) -> None:
        self._questions: dict[str, Question] = {}
        self._schema: types.ElicitRequestedSchema = {
            "type": "object",
            "properties": {FORM: {"type": "boolean", "title": title, "description": description}},
            "required": [FORM],
        }

    async def ask(
        self,
        ctx: ServerRequestContext[Any],
        params: types.CallToolRequestParams,
        about: str,
        by: Requester,
        shown: str,
    ) -> Answer | types.InputRequiredResult:
        """Ask, or take the answer that came with the call."""
        if len(shown) > SHOWN_AT_MOST:
            return Answer(None, shown)
        if ctx.protocol_version < MODERN:
            return Answer(await self._elicit(ctx, shown), shown)
        question = self._asked(params, about, by)
        if question is None:
            return self._question(about, by, shown)
        answer = (params.input_responses or {}).get(FORM)
        return Answer(answer if isinstance(answer, types.ElicitResult) else None, question.shown)

    def _question(self, about: str, by: Requester, shown: str) -> types.InputRequiredResult:
        token = secrets.token_urlsafe(24)
        self._questions[token] = Question(about, by.principal(), shown)
        while len(self._questions) > QUESTIONS_KEPT:
            del self._questions[next(iter(self._questions))]
        return types.InputRequiredResult(
            input_requests={FORM: self.form(shown)}, request_state=token
        )

    def form(self, shown: str) -> types.ElicitRequest:
        """Build the form that shows a text and asks for a yes."""
        return types.ElicitRequest(
            params=types.ElicitRequestFormParams(message=shown, requested_schema=self._schema)
        )

    def _asked(
        self, params: types.CallToolRequestParams, about: str, by: Requester
    ) -> Question | None:
        """Return the question that a call answers: of this very thing and client, and only once."""
        question = self._questions.pop(params.request_state or "", None)
        if question is None or question.about != about:
            return None
        return question if question.principal == by.principal() else None

    async def _elicit(
        self, ctx: ServerRequestContext[Any], shown: str
    ) -> types.ElicitResult | None:
        if not ctx.session.can_send_request:
            return None
        with anyio.move_on_after(ASK_FOR_S):
            try:
                return await ctx.session.elicit_form(
                    shown, self._schema, related_request_id=ctx.request_id
                )
            except MCPError:
                return None
        return None


def may_ask(ctx: ServerRequestContext[Any], by: Requester, settings: LlmMcp) -> bool:
    """Check whether a caller may be asked by a form: over the socket, if the user has named this client."""
    able = ctx.session.client_capabilities
    return (
        by.caller == "mcp"
        and settings.allows_form(by.client, by.executable)
        and able is not None
        and _shows_forms(able.elicitation)
    )


def _shows_forms(able: types.ElicitationCapability | None) -> bool:
    """Return whether the client shows forms; one that names neither kind means forms."""
    return able is not None and (able.form is not None or able.url is None)
