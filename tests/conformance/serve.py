"""Serves the suite's server by our HTTP door: `python -m tests.conformance.serve` prints its port.

The suite cannot send a token, so one is put into each request before our door sees it.
"""

import asyncio
import sys
from typing import Any

from tests.conformance import suite_inputs, suite_rest, suite_tasks, suite_tools
from tests.conformance.suite_server import event_store, mcp

from conductor.mcp.server.http import AsgiApp, build_http_server

TOKEN = "a token for the suite only"
PARTS = (suite_inputs, suite_rest, suite_tasks, suite_tools)
RETRY_MS = 100


def injecting(app: AsgiApp) -> AsgiApp:
    """Put the token into each request."""

    async def wrapped(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            token = (b"authorization", f"Bearer {TOKEN}".encode())
            scope = {**scope, "headers": [*scope["headers"], token]}
        await app(scope, receive, send)

    return wrapped


async def serve() -> None:
    """Serve until standard input ends."""
    door = build_http_server(
        mcp._lowlevel_server,  # pyright: ignore[reportPrivateUsage]
        0,
        TOKEN,
        event_store=event_store,
        retry_interval=RETRY_MS,
    )
    door.config.app = injecting(door.config.app)  # pyright: ignore[reportArgumentType]
    await door.start()
    print(door.port, flush=True)  # noqa: T201
    await asyncio.to_thread(sys.stdin.read)
    await door.stop()


if __name__ == "__main__":
    asyncio.run(serve())
