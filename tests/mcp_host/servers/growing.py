"""A server of the newer kind, with the library: a call adds a tool, and whoever listens is told."""

from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import ToolsListChanged

NAMES = ["look"]
BUS = InMemorySubscriptionBus()


async def listed(_ctx: Any, _params: Any) -> types.ListToolsResult:
    tools = [types.Tool(name=name, input_schema={"type": "object"}) for name in NAMES]
    return types.ListToolsResult(tools=tools, ttl_ms=0, cache_scope="private")


async def called(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    NAMES.append(f"grown{len(NAMES)}")
    await BUS.publish(ToolsListChanged())
    return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])


async def main() -> None:
    server: Server[Any] = Server(
        "growing",
        on_list_tools=listed,
        on_call_tool=called,
        on_subscriptions_listen=ListenHandler(BUS),
    )
    async with stdio_server() as (read, write):
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(read, write, options)


anyio.run(main)
