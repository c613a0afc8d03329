"""A modern server built with the library: each call adds a tool and notifies the subscribers.

Started as `refusing 3` it refuses the first three subscriptions; as `ending 3` it ends their streams at once.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ServerEvent, ToolsListChanged

NAMES = ["look"]
HOW, TIMES = (sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else ("", 0)


class Bus(InMemorySubscriptionBus):
    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        if HOW == "ending" and len(ASKED) <= TIMES:
            asyncio.get_running_loop().call_soon(LISTENING.close)
        return super().subscribe(listener)


ASKED = list[float]()
BUS = Bus()
LISTENING = ListenHandler(BUS)


async def on_list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
    tools = [types.Tool(name=name, input_schema={"type": "object"}) for name in NAMES]
    return types.ListToolsResult(tools=tools, ttl_ms=0, cache_scope="private")


async def on_call_tool(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    NAMES.append(f"grown{len(NAMES)}")
    await BUS.publish(ToolsListChanged())
    return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])


async def on_listen(
    ctx: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    ASKED.append(time.monotonic())
    sys.stderr.write(f"asked at {ASKED[-1]:.4f}\n")
    sys.stderr.flush()
    if HOW == "refusing" and len(ASKED) <= TIMES:
        raise MCPError(types.INTERNAL_ERROR, "not now")
    return await LISTENING(ctx, params)


async def main() -> None:
    server: Server[Any] = Server(
        "growing",
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_subscriptions_listen=on_listen,
    )
    async with stdio_server() as (read, write):
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(read, write, options)


anyio.run(main)
