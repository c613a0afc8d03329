"""Passes the questions that a server asks during a call (MCP elicitation) to the user."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import mcp_types as types
from mcp.client.context import ClientRequestContext

from conductor.base.invisible_chars import remove_hidden
from conductor.base.json_types import JsonObject
from conductor.errors import ConductorError, InvalidParams
from conductor.mcp.client import schemas
from conductor.mcp.client.texts import (
    MAX_CLEAN_TEXT_LENGTH,
    clean_json_data,
    clean_line,
    clean_text,
)
from conductor.mcp.client.values import OnQuestion, UserAnswer, UserQuestion

MAX_FORM_FIELDS = 30
MAX_PENDING_QUESTIONS = 3
_FORM_FIELD_TYPES = ("string", "number", "integer", "boolean", "array")
_FORM_FIELD_KEYWORDS = (
    "type", "enum", "enumNames", "oneOf", "anyOf", "format", "minLength", "maxLength", "minimum", "maximum",
    "minItems", "maxItems", "default",
)  # fmt: skip
ElicitationReply = types.ElicitResult | types.ErrorData


class PausableTimeout:
    """Limits the time of the calls on a connection, and stops the clocks while the user answers a question.

    The clocks of all running calls are stopped, because the server does not say which call a question
    belongs to.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Timeout] = set()
        self._pauses = 0

    @asynccontextmanager
    async def limit_call_time(self, seconds: float) -> AsyncGenerator[None]:
        """Limit the time of the block, which contains a call.

        Raises:
            TimeoutError: The call took longer than `seconds`.
        """
        # A call that starts during a pause has no limit yet, because the server may answer only
        # after the user has.
        async with asyncio.timeout(None if self._pauses else seconds) as timeout:
            self._running.add(timeout)
            try:
                yield
            finally:
                self._running.discard(timeout)

    @contextmanager
    def pause_limits(self) -> Generator[None]:
        """Stop the clocks of all running calls during the block.

        Afterwards each call has as much time left as before.
        """
        loop = asyncio.get_running_loop()
        # A clock that is already stopped has no deadline. The outer pause starts it again.
        remaining = {
            timeout: deadline - loop.time()
            for timeout in self._running
            if (deadline := timeout.when())
        }
        self._pauses += 1
        for timeout in remaining:
            timeout.reschedule(None)
        try:
            yield
        finally:
            self._pauses -= 1
            for timeout in remaining.keys() & self._running:
                timeout.reschedule(loop.time() + remaining[timeout])


class ServerQuestions:
    """Asks the user the questions of one server, one after the other.

    If `MAX_PENDING_QUESTIONS` are pending, further questions are refused.
    """

    def __init__(self, server: str, ask: OnQuestion, timeout: PausableTimeout) -> None:
        self._server = server
        self._ask = ask
        self._timeout = timeout
        self._asking_lock = asyncio.Lock()
        self._pending = 0

    async def __call__(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> ElicitationReply:
        if self._pending >= MAX_PENDING_QUESTIONS:
            return _build_refusal(
                "too many questions are pending; ask again when they are answered"
            )
        try:
            question = _parse_question(self._server, params)
        except ValueError as error:
            return _build_refusal(str(error))
        self._pending += 1
        try:
            async with self._asking_lock:
                return await self._ask_user(question, is_form=question.form["properties"] != {})
        finally:
            self._pending -= 1

    async def _ask_user(self, question: UserQuestion, *, is_form: bool) -> ElicitationReply:
        with self._timeout.pause_limits():
            try:
                answer = await self._ask(question)
            except ConductorError:
                return types.ElicitResult(action="cancel")
        if answer.action != "accept":
            return types.ElicitResult(action=answer.action)
        if not is_form:
            return types.ElicitResult(action="accept", content=None)
        return _build_reply(question, answer)


def _build_reply(question: UserQuestion, answer: UserAnswer) -> ElicitationReply:
    """Return the reply with the values of the form, and with defaults for missing values.

    If the values do not match the form, the reply is a cancellation.
    """
    fields: JsonObject = question.form["properties"]
    content = {name: field["default"] for name, field in fields.items() if "default" in field}
    content |= {name: value for name, value in (answer.content or {}).items() if name in fields}
    try:
        schemas.build_argument_check(schemas.sanitize_schema(question.form))(content)
    except (InvalidParams, schemas.InvalidToolSchema):
        return types.ElicitResult(action="cancel")
    return types.ElicitResult(action="accept", content=content)


def _parse_question(server: str, params: types.ElicitRequestParams) -> UserQuestion:
    message = clean_text(params.message, MAX_CLEAN_TEXT_LENGTH)
    if isinstance(params, types.ElicitRequestURLParams):
        return UserQuestion(
            server=server,
            message=f"{message}\n\n{_describe_url(params.url)}",
            form={"type": "object", "properties": {}},
        )
    return UserQuestion(server=server, message=message, form=_build_form(params.requested_schema))


def _describe_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or remove_hidden(url) != url:
        raise ValueError(
            "only http and https addresses without hidden characters can be shown to the user"
        )
    return (
        f"It asks you to open a page of {parts.hostname} in your browser; nothing is opened"
        f" automatically. If you trust it, open it, then accept: {url[:MAX_CLEAN_TEXT_LENGTH]}"
    )


def _build_form(schema: Any) -> JsonObject:
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict) or not 0 < len(fields) <= MAX_FORM_FIELDS:
        raise ValueError(f"a question needs 1 to {MAX_FORM_FIELDS} fields")
    required = schema.get("required")
    return {
        "type": "object",
        "properties": {
            _require_clean_name(name): _build_form_field(field) for name, field in fields.items()
        },
        "required": [name for name in required if name in fields]
        if isinstance(required, list)
        else [],
    }


def _require_clean_name(name: str) -> str:
    if clean_line(name, 100) != name:
        raise ValueError("the name of a field has hidden characters or is too long")
    return name


def _build_form_field(field: Any) -> JsonObject:
    if not isinstance(field, dict) or field.get("type") not in _FORM_FIELD_TYPES:
        raise ValueError("the fields of a question must be text, numbers, booleans or choices")
    cleaned = {
        key: clean_json_data(field[key], MAX_CLEAN_TEXT_LENGTH)[0]
        for key in _FORM_FIELD_KEYWORDS
        if key in field
    }
    cleaned |= {
        key: clean_text(field[key], MAX_CLEAN_TEXT_LENGTH)
        for key in ("title", "description")
        if key in field
    }
    if field["type"] == "array":
        items = field.get("items")
        if not isinstance(items, dict) or not {"enum", "anyOf", "oneOf"} & items.keys():
            raise ValueError("a list in a question must be a list of choices")
        cleaned["items"] = clean_json_data(items, MAX_CLEAN_TEXT_LENGTH)[0]
    return cleaned


def _build_refusal(reason: str) -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_PARAMS, message=reason)
