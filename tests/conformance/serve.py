"""Serves the suite's server by our HTTP server: `python -m tests.conformance.serve` prints its port.

The suite cannot send a token, so none is required.
"""

import asyncio
import sys

from tests.conformance import suite_inputs, suite_rest, suite_tasks, suite_tools
from tests.conformance.suite_server import event_store, mcp

from conductor.mcp.server.http import build_http_server

PARTS = (suite_inputs, suite_rest, suite_tasks, suite_tools)
RETRY_MS = 100


async def serve() -> None:
    """Serve until standard input ends."""
    server = build_http_server(
        mcp._lowlevel_server,  # pyright: ignore[reportPrivateUsage]
        0,
        lambda _header: True,
        event_store=event_store,
        retry_interval=RETRY_MS,
    )
    await server.start()
    print(server.port, flush=True)  # noqa: T201
    await asyncio.to_thread(sys.stdin.read)
    await server.stop()


if __name__ == "__main__":
    asyncio.run(serve())
