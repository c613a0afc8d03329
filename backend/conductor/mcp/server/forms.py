"""Asks the user yes-or-no questions in a form of the agent's client.

Each answer is used once, and only for the message that was shown. An answer without a question is ignored.
Clients that use the `initialize` handshake are asked while their call waits. Clients of the 2026-07-28
protocol receive the question as the result, and call again with the answer.
"""

import secrets
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp

APPROVE_FIELD = "approve"
FORM_ANSWER_TIMEOUT_S = 240.0
MAX_FORM_MESSAGE_LENGTH = 60_000
"""The maximum length of a message in a form. A longer plan must be approved in the window."""
MAX_PENDING_QUESTIONS = 256
MODERN_PROTOCOL_VERSION = "2026-07-28"


class PendingQuestion(NamedTuple):
    """A question that was sent to a client: its subject, the client, and the message that was shown."""

    subject: str
    principal: tuple[Any, ...]
    message: str


class FormAnswer(NamedTuple):
    """The user's answer to a form, with the message that was shown.

    `result` is None if the user has not answered.
    """

    result: types.ElicitResult | None
    message: str

    @property
    def is_undecided(self) -> bool:
        return self.result is None or self.result.action == "cancel"

    @property
    def is_accepted(self) -> bool:
        accepted = self.result is not None and self.result.action == "accept"
        return accepted and (self.result.content or {}).get(APPROVE_FIELD) is True  # pyright: ignore[reportOptionalMemberAccess]


class ApprovalForms:
    """Sends forms with one yes-or-no field, and remembers the questions until they are answered."""

    def __init__(self, title: str, description: str) -> None:
        self._questions: dict[str, PendingQuestion] = {}
        self._schema: types.ElicitRequestedSchema = {
            "type": "object",
            "properties": {
                APPROVE_FIELD: {"type": "boolean", "title": title, "description": description}
            },
            "required": [APPROVE_FIELD],
        }

    async def ask_user(
        self,
        ctx: ServerRequestContext[Any],
        params: types.CallToolRequestParams,
        subject: str,
        by: Requester,
        message: str,
    ) -> FormAnswer | types.InputRequiredResult:
        """Ask the user in a form, or return the answer that came with the call."""
        if len(message) > MAX_FORM_MESSAGE_LENGTH:
            return FormAnswer(None, message)
        if ctx.protocol_version < MODERN_PROTOCOL_VERSION:
            return FormAnswer(await self._send_form(ctx, message), message)
        question = self._pop_question(params, subject, by)
        if question is None:
            return self._build_input_request(subject, by, message)
        answer = (params.input_responses or {}).get(APPROVE_FIELD)
        result = answer if isinstance(answer, types.ElicitResult) else None
        return FormAnswer(result, question.message)

    def _build_input_request(
        self, subject: str, by: Requester, message: str
    ) -> types.InputRequiredResult:
        token = secrets.token_urlsafe(24)
        self._questions[token] = PendingQuestion(subject, by.get_principal(), message)
        while len(self._questions) > MAX_PENDING_QUESTIONS:
            del self._questions[next(iter(self._questions))]
        return types.InputRequiredResult(
            input_requests={APPROVE_FIELD: self.build_form(message)}, request_state=token
        )

    def build_form(self, message: str) -> types.ElicitRequest:
        """Return a form with a message and one yes-or-no field."""
        return types.ElicitRequest(
            params=types.ElicitRequestFormParams(message=message, requested_schema=self._schema)
        )

    def _pop_question(
        self, params: types.CallToolRequestParams, subject: str, by: Requester
    ) -> PendingQuestion | None:
        """Remove the pending question that a call answers, and return it.

        Return None if the question has another subject or belongs to another client.
        """
        question = self._questions.pop(params.request_state or "", None)
        if question is None or question.subject != subject:
            return None
        return question if question.principal == by.get_principal() else None

    async def _send_form(
        self, ctx: ServerRequestContext[Any], message: str
    ) -> types.ElicitResult | None:
        if not ctx.session.can_send_request:
            return None
        with anyio.move_on_after(FORM_ANSWER_TIMEOUT_S):
            try:
                return await ctx.session.elicit_form(
                    message, self._schema, related_request_id=ctx.request_id
                )
            except MCPError:
                return None
        return None


def can_ask_user(ctx: ServerRequestContext[Any], by: Requester, settings: LlmMcp) -> bool:
    """Return whether a client may show a form to ask the user.

    The client must use the socket, support forms, and be listed in the settings.
    """
    capabilities = ctx.session.client_capabilities
    return (
        by.caller == "mcp"
        and settings.allows_approval_form(by.client, by.executable)
        and capabilities is not None
        and _supports_forms(capabilities.elicitation)
    )


def _supports_forms(capability: types.ElicitationCapability | None) -> bool:
    """Return whether the client supports forms.

    A client that names neither forms nor URLs supports forms.
    """
    return capability is not None and (capability.form is not None or capability.url is None)
