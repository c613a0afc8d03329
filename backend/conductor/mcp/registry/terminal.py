"""`conductor servers` at a terminal: what it may ask of the running Conductor, and with which safeguards."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from conductor.base.json_types import JsonObject
from conductor.domain.plan import Requester
from conductor.errors import InvalidParams

if TYPE_CHECKING:
    from conductor.mcp.registry.servers import Servers

SERVERS = "terminal.servers."
READS = ("list", "log", "importable")
"""They change nothing, and need no terminal."""
AGREED_IN = ("start", "restart", "test", "enable", "add", "import")
"""The commands that show what would run and ask for a yes."""
SIGN_IN = ("sign_in", "signed_in", "cancel_sign_in")
Verb = Callable[["Servers", JsonObject, Requester], Awaitable[BaseModel | JsonObject]]


async def answer(servers: "Servers", name: str, params: JsonObject, by: Requester) -> JsonObject:
    """Do what the user asks for.

    Raises:
        ConductorError: it could not be done.
    """
    verb = VERBS.get(name.removeprefix(SERVERS))
    if verb is None:
        raise InvalidParams(f"there is no `{name[:60]}`")
    given = await verb(servers, params, by)
    return given.model_dump(mode="json", by_alias=True) if isinstance(given, BaseModel) else given


def is_asked(name: str, params: JsonObject, called: tuple[str, ...]) -> bool:
    """Return whether a command line asks for this, for this very server."""
    verb = name.removeprefix(SERVERS)
    if called[:1] != ("servers",) or len(called) < 2:
        return False
    if verb in READS:
        return True
    if verb in ("consent", "start"):
        return called[1] in AGREED_IN and (called[1] == "import" or params.get("name") in called)
    if verb in SIGN_IN:
        return called[1] == "sign-in" and params.get("name") in called
    if verb in ("tool", "accept"):
        return called[1] == "tools" and {params.get("server"), params.get("tool")} <= {*called}
    return called[1] == verb.replace("_", "-") and (
        verb in ("import", "add") or params.get("name") in called
    )


async def _list(servers: "Servers", _params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.listed()


async def _log(servers: "Servers", params: JsonObject, _by: Requester) -> JsonObject:
    return {"lines": list(await servers.log(_text(params, "name")))}


async def _importable(servers: "Servers", _params: JsonObject, _by: Requester) -> JsonObject:
    found = await servers.importable()
    return {"sources": [one.model_dump(mode="json") for one in found]}


async def _add(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    entry = params.get("entry")
    if not isinstance(entry, dict):
        raise InvalidParams("`entry` must be an object")
    return await servers.add(_text(params, "name"), entry, by)


async def _import(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    names, replace = params.get("names"), params.get("replace") is True
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise InvalidParams("`names` must be a list of texts")
    path = params.get("path")
    file = Path(path) if isinstance(path, str) else None
    return await servers.import_from(_text(params, "client"), names, by, replace=replace, file=file)


async def _remove(servers: "Servers", params: JsonObject, by: Requester) -> JsonObject:
    await servers.remove(_text(params, "name"), by)
    return {}


async def _switch(servers: "Servers", params: JsonObject, by: Requester, *, on: bool) -> BaseModel:
    return await servers.enable(_text(params, "name"), by, on=on)


async def _consent(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.consent(_text(params, "name"), _text(params, "digest"))


async def _start(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    await servers.start(_text(params, "name"), by)
    return await servers.runs.wait_until_settled(_text(params, "name"))


async def _stop(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.stop(_text(params, "name"))


async def _restart(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    await servers.restart(_text(params, "name"))
    return await servers.runs.wait_until_settled(_text(params, "name"))


async def _test(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.test(_text(params, "name"))


async def _tool(servers: "Servers", params: JsonObject, by: Requester) -> BaseModel:
    on = params.get("enabled") is True
    return await servers.set_tool(_text(params, "server"), _text(params, "tool"), by, on=on)


async def _accept(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.accept_change(
        _text(params, "server"), _text(params, "tool"), _text(params, "digest")
    )


async def _sign_in(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.sign_ins.sign_in(_text(params, "name"))


async def _signed_in(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.sign_ins.wait_signed_in(_text(params, "name"))


async def _cancel_sign_in(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    return await servers.sign_ins.cancel_sign_in(_text(params, "name"))


async def _sign_out(servers: "Servers", params: JsonObject, _by: Requester) -> BaseModel:
    await servers.sign_ins.sign_out(_text(params, "name"))
    return await servers.runs.wait_until_settled(_text(params, "name"))


VERBS: dict[str, Verb] = {
    "list": _list,
    "log": _log,
    "importable": _importable,
    "add": _add,
    "import": _import,
    "remove": _remove,
    "enable": lambda servers, params, by: _switch(servers, params, by, on=True),
    "disable": lambda servers, params, by: _switch(servers, params, by, on=False),
    "consent": _consent,
    "start": _start,
    "stop": _stop,
    "restart": _restart,
    "test": _test,
    "tool": _tool,
    "accept": _accept,
    "sign_in": _sign_in,
    "signed_in": _signed_in,
    "cancel_sign_in": _cancel_sign_in,
    "sign_out": _sign_out,
}


def _text(params: JsonObject, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise InvalidParams(f"Invalid params: `{name}` must be a text")
    return value
