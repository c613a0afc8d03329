"""What a server asks the user in the middle of a call: a form of plain fields, or an address to open."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from urllib.parse import urlsplit

import mcp_types as types
from mcp.client.context import ClientRequestContext

from conductor.base.invisible_chars import clean
from conductor.errors import ConductorError, InvalidParams
from conductor.mcp.client import schemas
from conductor.mcp.client.texts import TEXT, clean_text, one_line, plain_data
from conductor.mcp.client.values import OnQuestion, Question, QuestionAnswer

MOST_FIELDS = 30
MOST_WAITING = 3
_KINDS = ("string", "number", "integer", "boolean", "array")
_KEPT = (
    "type", "enum", "enumNames", "oneOf", "anyOf", "format", "minLength", "maxLength", "minimum", "maximum",
    "minItems", "maxItems", "default",
)  # fmt: skip
Reply = types.ElicitResult | types.ErrorData


class PausableTimeout:
    """The time that calls have left; it stands still while the user is asked."""

    def __init__(self) -> None:
        self._running: set[asyncio.Timeout] = set()
        self._still = 0

    @asynccontextmanager
    async def of(self, seconds: float) -> AsyncGenerator[None]:
        """Bound a call.

        Raises:
            TimeoutError: the time is over.
        """
        async with asyncio.timeout(None if self._still else seconds) as limit:
            self._running.add(limit)
            try:
                yield
            finally:
                self._running.discard(limit)

    @contextmanager
    def standing_still(self) -> Generator[None]:
        """Let no call run out of time meanwhile."""
        loop = asyncio.get_running_loop()
        left = {limit: (limit.when() or 0) - loop.time() for limit in self._running if limit.when()}
        self._still += 1
        for limit in left:
            limit.reschedule(None)
        try:
            yield
        finally:
            self._still -= 1
            for limit in left.keys() & self._running:
                limit.reschedule(loop.time() + left[limit])


class Questions:
    """Asks the user one question of a server at a time; a server that asks too many is refused."""

    def __init__(self, server: str, ask: OnQuestion, patience: "PausableTimeout") -> None:
        self._server = server
        self._ask = ask
        self._patience = patience
        self._one = asyncio.Lock()
        self._waiting = 0

    async def __call__(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> Reply:
        if self._waiting >= MOST_WAITING:
            return _refused("too many questions are open; ask again when they are answered")
        try:
            question = _question(self._server, params)
        except ValueError as error:
            return _refused(str(error))
        self._waiting += 1
        try:
            async with self._one:
                return await self._answer(question, is_form=question.form["properties"] != {})
        finally:
            self._waiting -= 1

    async def _answer(self, question: Question, *, is_form: bool) -> Reply:
        with self._patience.standing_still():
            try:
                answer = await self._ask(question)
            except ConductorError:
                return types.ElicitResult(action="cancel")
        if answer.action != "accept":
            return types.ElicitResult(action=answer.action)
        if not is_form:
            return types.ElicitResult(action="accept", content=None)
        return _accepted(question, answer)


def _accepted(question: Question, answer: QuestionAnswer) -> Reply:
    fields: dict[str, Any] = question.form["properties"]
    content = {name: field["default"] for name, field in fields.items() if "default" in field}
    content |= {name: value for name, value in (answer.content or {}).items() if name in fields}
    try:
        schemas.checker(schemas.bounded(question.form))(content)
    except (InvalidParams, schemas.BadSchema):
        return types.ElicitResult(action="cancel")
    return types.ElicitResult(action="accept", content=content)


def _question(server: str, params: types.ElicitRequestParams) -> Question:
    message = clean_text(params.message, TEXT)
    if isinstance(params, types.ElicitRequestURLParams):
        return Question(
            server=server,
            message=f"{message}\n\n{_address(params.url)}",
            form={"type": "object", "properties": {}},
        )
    return Question(server=server, message=message, form=_form(params.requested_schema))


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or clean(url) != url:
        raise ValueError("only plain http and https addresses can be shown to the user")
    return (
        f"It asks you to open an address of {parts.hostname} in your browser; nothing is opened by"
        f" itself. If you trust it, open it and then accept: {url[:TEXT]}"
    )


def _form(schema: Any) -> dict[str, Any]:
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(fields, dict) or not 0 < len(fields) <= MOST_FIELDS:
        raise ValueError(f"a question needs 1 to {MOST_FIELDS} fields")
    required = schema.get("required")
    return {
        "type": "object",
        "properties": {_name(name): _field(field) for name, field in fields.items()},
        "required": [name for name in required if name in fields]
        if isinstance(required, list)
        else [],
    }


def _name(name: str) -> str:
    if one_line(name, 100) != name:
        raise ValueError("a field has a name that cannot be shown")
    return name


def _field(field: Any) -> dict[str, Any]:
    if not isinstance(field, dict) or field.get("type") not in _KINDS:
        raise ValueError(
            "the fields of a question must be plain: text, numbers, yes or no, choices"
        )
    kept = {key: plain_data(field[key], TEXT)[0] for key in _KEPT if key in field}
    kept |= {key: clean_text(field[key], TEXT) for key in ("title", "description") if key in field}
    if field["type"] == "array":
        items = field.get("items")
        if not isinstance(items, dict) or not {"enum", "anyOf", "oneOf"} & items.keys():
            raise ValueError("a list in a question must be one of choices")
        kept["items"] = plain_data(items, TEXT)[0]
    return kept


def _refused(why: str) -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_PARAMS, message=why)
