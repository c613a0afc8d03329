"""The MCP library's own client, over the socket or through the proxy, as an agent's host would use it."""

import sys
import tomllib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import stdio_client
from mcp.shared.message import SessionMessage
from tests.support.running import RunningConductor

from mcp import Client, StdioServerParameters

Way = Literal["socket", "proxy"]
Era = Literal["legacy", "2026-07-28"]
ERAS: tuple[Era, ...] = ("legacy", "2026-07-28")
WAYS: tuple[Way, ...] = ("socket", "proxy")
WITHIN_S = 50.0
CONFIG = "[[modes]]\nname = 'Default'\n\n[[modes]]\nname = 'Drums'\n"
NAMED = f"mcp at {Path(sys.executable).resolve()}"
FORMS = f"\n[llm.mcp]\napproval = 'elicit_or_gui'\nform_clients = ['{NAMED}']\n"
"""The settings of a user who has named this very client."""
WITHOUT_PARTS = {"JACK_DEFAULT_SERVER": "none", "DISPLAY": ""}


def with_client(
    conductor: RunningConductor,
    work: Callable[[Client], Awaitable[None]],
    *,
    era: Era,
    way: Way = "socket",
    on_elicit: Any = None,
    on_message: Any = None,
) -> None:
    """Connect, do the work, and hang up."""

    async def run() -> None:
        target = _unix(conductor) if way == "socket" else _proxy(conductor)
        client = Client(
            target,
            mode=era,
            elicitation_callback=on_elicit,
            message_handler=on_message,
            read_timeout_seconds=WITHIN_S,
        )
        with anyio.fail_after(WITHIN_S):
            async with client:
                await work(client)

    anyio.run(run)


def _proxy(conductor: RunningConductor) -> Any:
    return stdio_client(
        StdioServerParameters(
            command=sys.executable, args=["-m", "conductor", "mcp"], env=conductor.environment
        )
    )


@asynccontextmanager
async def _unix(conductor: RunningConductor) -> AsyncGenerator[tuple[Any, Any]]:
    async with await anyio.connect_unix(conductor.home / "mcp.sock") as stream:
        arrived, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, leaving = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_receive, stream, arrived)
            tasks.start_soon(_send, stream, leaving)
            yield read, write
            tasks.cancel_scope.cancel()


async def _receive(
    stream: anyio.abc.SocketStream, arrived: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    rest = b""
    async with arrived:
        async for piece in stream:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                try:
                    await arrived.send(SessionMessage(message))
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return  # the client has closed, and no longer reads what is still sent to it


async def _send(
    stream: anyio.abc.SocketStream, leaving: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    async with leaving:
        async for item in leaving:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            await stream.send(text.encode() + b"\n")


def text_of(result: types.CallToolResult) -> str:
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    return first.text


async def plan_for(client: Client, mode: str) -> dict[str, Any]:
    made = await client.call_tool("conductor_create_mode", {"name": mode})
    assert not made.is_error, text_of(made)
    assert made.structured_content is not None
    assert made.structured_content["status"] == "pending"
    return made.structured_content


def modes(conductor: RunningConductor) -> list[str]:
    return [mode["name"] for mode in tomllib.loads(conductor.config_path.read_text())["modes"]]
