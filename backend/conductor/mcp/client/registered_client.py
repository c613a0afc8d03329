"""A server's tool as one of the registry: behind the gate, and its words marked as whose they are."""

import hashlib
from typing import Any, Protocol

from pydantic import model_validator

from conductor.domain.value import Value
from conductor.errors import ActionFailed, InvalidParams
from conductor.mcp.client.values import Server, ToolAnswer, ToolView
from conductor.tools.context import SkillContext
from conductor.tools.registry import Check, Tool


class ServerArguments(Value):
    """Whatever the server's own schema allows; `Tool.check` has looked at it."""

    arguments: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _all_of_them(cls, given: Any) -> Any:
        return {"arguments": given}


class Call(Protocol):
    async def __call__(self, server: str, tool: str, arguments: dict[str, Any]) -> ToolAnswer: ...


def registered_client(server: Server, view: ToolView, check: Check | None, call: Call) -> Tool:
    """Make the tool."""

    async def run(params: ServerArguments, _: SkillContext) -> ToolAnswer:
        from conductor.mcp.client.answers import without_repetition

        answer = await call(server.name, view.name, params.arguments)
        if answer.is_error:
            raise ActionFailed(f"the MCP server {server.name} says: {answer.text or 'it failed'}")
        return without_repetition(answer)

    both = f"{server.identity} {view.digest}"
    return Tool(
        name=view.skill_id,
        tier="skill",
        toolset="skills",
        description=f"[MCP server {server.name}] {view.description or view.title}",
        run=run,
        params=ServerArguments,
        result=ToolAnswer,
        input_schema=view.parameters,
        output_schema={"type": "object"},
        skill_tier="integration",
        requires_approval=True,
        default_enabled=False,
        skill_id=view.skill_id,
        title=f"{server.name}: {view.title}",
        category="integrations",
        identity="sha256:" + hashlib.sha256(both.encode()).hexdigest(),
        check=None if check is None else _named(check, server.name, view.name),
        origin=f"MCP server {server.name}",
        for_model=view.for_model,
    )


def _named(check: Check, server: str, tool: str) -> Check:
    """Have what is wrong with arguments told with whose they are: a mapping's owner sees no more than that."""

    def named(arguments: dict[str, Any]) -> None:
        try:
            check(arguments)
        except InvalidParams as error:
            what = str(error).removeprefix("Invalid params: ")
            raise InvalidParams(f"Invalid params for {tool} of {server}: {what}") from None

    return named
