"""A server over HTTP without any sign-in, of the era that the first argument names; it prints its port."""

import asyncio
import socket
import sys
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("plain")


@server.tool()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello, {name}"


def only_older(app: Any) -> Any:
    """Wrap an app to refuse requests of the modern era, as an older server does."""

    async def asgi(scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers") or ())
        if scope["type"] == "http" and headers.get(b"mcp-protocol-version", b"").startswith(
            b"2026"
        ):
            await send({"type": "http.response.start", "status": 400, "headers": []})
            await send({"type": "http.response.body", "body": b"unsupported protocol version"})
        else:
            await app(scope, receive, send)

    return asgi


async def main() -> None:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    app: Any = server.streamable_http_app(host="127.0.0.1")
    app = only_older(app) if sys.argv[1].startswith("2025") else app
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    await uvicorn.Server(uvicorn.Config(app, log_level="critical")).serve(sockets=[listening])


asyncio.run(main())
