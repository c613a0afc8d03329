"""Commands of the UI pages of MCP servers (MCP Apps)."""

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.value import Value

Name = Field(min_length=1, max_length=64)
Words = Field(min_length=1, max_length=2_000)


class OpenApp(Value):
    tool: str = Field(min_length=1, max_length=300)
    """The tool whose result the page shows, by either of its names."""


class AppOpened(Value):
    path: str | None
    """The path of the page, for a frame; None: the tool has no page."""
    server: str = ""
    title: str = ""
    wanted: tuple[str, ...] = ()
    """Network hosts that the page requests access to, which is not granted."""


class CallFromApp(Value):
    server: str = Name
    tool: str = Words
    arguments: JsonObject = Field(default_factory=dict)


class ReadFromApp(Value):
    server: str = Name
    uri: str = Words


class AppAnswer(Value):
    result: JsonObject
    """An MCP result."""


@query("apps.open")
async def open_app(params: OpenApp, call: Call) -> AppOpened:
    """Fetch the UI page of a tool from its server.

    The page is missing if the tool has none.
    """
    view = await call.services.servers.apps.open_page(params.tool)
    if view is None:
        return AppOpened(path=None)
    return AppOpened(path=view.path, server=view.server, title=view.title, wanted=view.wanted)


@command("apps.call")
async def call_tool(params: CallFromApp, call: Call) -> AppAnswer:
    """Call a tool for a UI page of the same server, after the user has approved the call."""
    services = call.services
    result = await services.servers.apps.call_tool(
        params.server, params.tool, params.arguments, call.by
    )
    return AppAnswer(result=result)


@command("apps.read", tier="read_only")
async def read_resource(params: ReadFromApp, call: Call) -> AppAnswer:
    """Read a resource for a UI page of the same server."""
    return AppAnswer(
        result=await call.services.servers.apps.read_resource(params.server, params.uri)
    )
