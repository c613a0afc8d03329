"""Commands for the pages of MCP servers (MCP Apps), which the conversation shows in a frame."""

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.value import Value

ServerName = Field(min_length=1, max_length=64)
ShortText = Field(min_length=1, max_length=2_000)


class OpenAppParams(Value):
    tool: str = Field(min_length=1, max_length=300)
    """The name or an alias of the tool whose result the page shows."""


class OpenedApp(Value):
    path: str | None
    """The path of the page to show in a frame, or None if the tool has no page."""
    server: str = ""
    title: str = ""
    wanted: tuple[str, ...] = ()
    """The network hosts to which the page wants to connect. These connections are blocked."""


class AppToolCallParams(Value):
    server: str = ServerName
    tool: str = ShortText
    arguments: JsonObject = Field(default_factory=dict)


class AppResourceParams(Value):
    server: str = ServerName
    uri: str = ShortText


class AppRequestResult(Value):
    result: JsonObject
    """The result of a request that was forwarded to the MCP server."""


@query("apps.open")
async def open_app(params: OpenAppParams, call: Call) -> OpenedApp:
    """Fetch the page of a tool from its MCP server, if the tool has one."""
    servers = call.services.servers
    page = await servers.apps.open_page(params.tool)
    if page is None:
        return OpenedApp(path=None)
    path = servers.app_pages.store_page(page.html)
    return OpenedApp(path=path, server=page.server, title=page.title, wanted=page.blocked_hosts)


@command("apps.call")
async def call_tool(params: AppToolCallParams, call: Call) -> AppRequestResult:
    """Call a tool for a page of the same MCP server, after the user has approved the call."""
    services = call.services
    result = await services.servers.apps.call_tool(
        params.server, params.tool, params.arguments, call.requester
    )
    return AppRequestResult(result=result)


@command("apps.read", tier="read_only")
async def read_resource(params: AppResourceParams, call: Call) -> AppRequestResult:
    """Read a resource for a page of the same MCP server."""
    return AppRequestResult(
        result=await call.services.servers.apps.read_resource(params.server, params.uri)
    )
