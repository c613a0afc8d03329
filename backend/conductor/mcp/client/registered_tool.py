"""Builds the registry entries of a server's tools. Their texts name the server."""

import hashlib
from typing import Any, Protocol

from pydantic import model_validator

from conductor.base.json_types import JsonObject
from conductor.domain.value import Value
from conductor.errors import ActionFailed, InvalidParams
from conductor.mcp.client.values import ConsentedServer, ToolAnswer, ToolView
from conductor.tools.context import SkillContext
from conductor.tools.registry import ArgumentCheck, Tool


class ServerArguments(Value):
    """The arguments of a call. `Tool.check` has already validated them against the server's schema."""

    arguments: JsonObject

    @model_validator(mode="before")
    @classmethod
    def _wrap_arguments(cls, arguments: Any) -> Any:
        return {"arguments": arguments}


class CallTool(Protocol):
    """Calls a tool of a server with arguments that were already validated, and returns the cleaned result."""

    async def __call__(self, server: str, tool: str, arguments: JsonObject) -> ToolAnswer: ...


def build_registered_tool(
    server: ConsentedServer, view: ToolView, check: ArgumentCheck | None, call_tool: CallTool
) -> Tool:
    """Return the registry entry of a server's tool. Its calls are sent to the server by `call_tool`."""

    async def run(params: ServerArguments, _: SkillContext) -> ToolAnswer:
        from conductor.mcp.client.answers import drop_repeated_structured_part

        answer = await call_tool(server.name, view.name, params.arguments)
        if answer.is_error:
            raise ActionFailed(
                f"the MCP server {server.name} reported an error: {answer.text or 'it failed'}"
            )
        return drop_repeated_structured_part(answer)

    version = f"{server.identity} {view.digest}"
    return Tool(
        name=view.skill_id,
        tier="skill",
        toolset="skills",
        description=f"[MCP server {server.name}] {view.description or view.title}",
        run=run,
        params=ServerArguments,
        result=ToolAnswer,
        foreign_input_schema=view.parameters,
        skill_tier="integration",
        requires_approval=True,
        default_enabled=False,
        skill_id=view.skill_id,
        title=f"{server.name}: {view.title}",
        category="integrations",
        identity="sha256:" + hashlib.sha256(version.encode()).hexdigest(),
        check=None if check is None else _add_tool_name_to_errors(check, server.name, view.name),
        origin=f"MCP server {server.name}",
        for_model=view.for_model,
    )


def _add_tool_name_to_errors(check: ArgumentCheck, server: str, tool: str) -> ArgumentCheck:
    """Return a check whose errors name the tool and the server.

    A mapping shows only the message of an error, so the message must say which tool failed.
    """

    def check_arguments(arguments: JsonObject) -> None:
        try:
            check(arguments)
        except InvalidParams as error:
            problem = str(error).removeprefix("Invalid params: ")
            raise InvalidParams(f"Invalid params for {tool} of {server}: {problem}") from None

    return check_arguments
