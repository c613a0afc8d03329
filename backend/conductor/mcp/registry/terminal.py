"""Handles the requests that `conductor servers` sends to the running Conductor."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from conductor.base.json_types import JsonObject
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams
from conductor.mcp.params import require_text_param

if TYPE_CHECKING:
    from conductor.mcp.registry.servers import Servers

SERVERS_PREFIX = "terminal.servers."
READ_ONLY_REQUESTS = ("list", "log", "importable")
"""Requests that change nothing and therefore need no terminal."""
CONSENT_COMMANDS = ("start", "restart", "test", "enable", "add", "import")
"""The commands that show what would run and ask the user for consent."""
SIGN_IN_REQUESTS = ("sign_in", "signed_in", "cancel_sign_in")
ServersRequestHandler = Callable[
    ["Servers", JsonObject, Requester], Awaitable[BaseModel | JsonObject]
]


async def answer_servers_request(
    servers: "Servers", name: str, params: JsonObject, by: Requester
) -> JsonObject:
    """Handle one request of `conductor servers` and return its result.

    Raises:
        ConductorError: The request failed.
    """
    verb = HANDLER_BY_REQUEST.get(name.removeprefix(SERVERS_PREFIX))
    if verb is None:
        raise InvalidParams(f"there is no request `{name[:60]}`")
    result = await verb(servers, params, by)
    return (
        result.model_dump(mode="json", by_alias=True) if isinstance(result, BaseModel) else result
    )


def matches_servers_command_line(
    name: str, params: JsonObject, command_line: tuple[str, ...]
) -> bool:
    """Return whether the command line of the calling process fits this request and names this server."""
    verb = name.removeprefix(SERVERS_PREFIX)
    if command_line[:1] != ("servers",) or len(command_line) < 2:
        return False
    if verb in READ_ONLY_REQUESTS:
        return True
    if verb in ("consent", "start"):
        return command_line[1] in CONSENT_COMMANDS and (
            command_line[1] == "import" or params.get("name") in command_line
        )
    if verb in SIGN_IN_REQUESTS:
        return command_line[1] == "sign-in" and params.get("name") in command_line
    if verb in ("tool", "accept"):
        return command_line[1] == "tools" and {params.get("server"), params.get("tool")} <= {
            *command_line
        }
    return command_line[1] == verb.replace("_", "-") and (
        verb in ("import", "add") or params.get("name") in command_line
    )


async def _list_servers(servers: "Servers", _params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.list_servers()


async def _read_log(servers: "Servers", params: JsonObject, _by: Requester) -> JsonObject:
    return {"lines": list(await servers.read_server_log(require_text_param(params, "name")))}


async def _list_importable(servers: "Servers", _params: JsonObject, _by: Requester) -> JsonObject:
    found = await servers.list_importable_servers()
    return {"sources": [one.model_dump(mode="json") for one in found]}


async def _add_server(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    entry = params.get("entry")
    if not isinstance(entry, dict):
        raise InvalidParams("`entry` must be an object")
    return await servers.add_server(require_text_param(params, "name"), entry, by)


async def _import_servers(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    names, replace = params.get("names"), params.get("replace") is True
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise InvalidParams("`names` must be a list of texts")
    path = params.get("path")
    file = Path(path) if isinstance(path, str) else None
    return await servers.import_servers(
        require_text_param(params, "client"), names, by, replace=replace, file=file
    )


async def _remove_server(servers: "Servers", params: JsonObject, by: Requester) -> JsonObject:
    await servers.remove_server(require_text_param(params, "name"), by)
    return {}


async def _switch_server(
    servers: "Servers", params: JsonObject, by: Requester, *, on: bool
) -> BaseModel:
    return await servers.set_server_enabled(require_text_param(params, "name"), by, on=on)


async def _record_consent(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    return await servers.record_consent(
        require_text_param(params, "name"), require_text_param(params, "digest"), by
    )


async def _start_server(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    await servers.start_server(require_text_param(params, "name"), by)
    return await servers.runs.wait_until_settled(require_text_param(params, "name"))


async def _stop_server(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.stop_server(require_text_param(params, "name"))


async def _restart_server(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    await servers.restart_server(require_text_param(params, "name"))
    return await servers.runs.wait_until_settled(require_text_param(params, "name"))


async def _test_server(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.test_server(require_text_param(params, "name"))


async def _switch_tool(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    on = params.get("enabled") is True
    return await servers.set_tool_enabled(
        require_text_param(params, "server"), require_text_param(params, "tool"), by, on=on
    )


async def _accept_tool(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.accept_tool_change(
        require_text_param(params, "server"),
        require_text_param(params, "tool"),
        require_text_param(params, "digest"),
    )


async def _sign_in(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.sign_ins.sign_in(require_text_param(params, "name"))


async def _wait_until_signed_in(
    servers: "Servers", params: JsonObject, _by: Requester
) -> BaseModel:
    return await servers.sign_ins.wait_until_signed_in(require_text_param(params, "name"))


async def _cancel_sign_in(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.sign_ins.cancel_sign_in(require_text_param(params, "name"))


async def _sign_out(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    await servers.sign_ins.sign_out(require_text_param(params, "name"))
    return await servers.runs.wait_until_settled(require_text_param(params, "name"))


HANDLER_BY_REQUEST: dict[str, ServersRequestHandler] = {
    "list": _list_servers,
    "log": _read_log,
    "importable": _list_importable,
    "add": _add_server,
    "import": _import_servers,
    "remove": _remove_server,
    "enable": lambda servers, params, by: _switch_server(servers, params, by, on=True),
    "disable": lambda servers, params, by: _switch_server(servers, params, by, on=False),
    "consent": _record_consent,
    "start": _start_server,
    "stop": _stop_server,
    "restart": _restart_server,
    "test": _test_server,
    "tool": _switch_tool,
    "accept": _accept_tool,
    "sign_in": _sign_in,
    "signed_in": _wait_until_signed_in,
    "cancel_sign_in": _cancel_sign_in,
    "sign_out": _sign_out,
}
