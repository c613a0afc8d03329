"""A small app with a host, for a test that kills it: prints what the server knows of its processes."""

import asyncio
import sys
from pathlib import Path

from tests.mcp_client.stand import script, standing


async def main() -> None:
    async with standing(Path(sys.argv[1])) as stand:
        await stand.host.start(script("hostile", "pids", sys.argv[2]))
        sys.stdout.write(await stand.text("look") + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


asyncio.run(main())
