"""A small app with a client manager, for a test that kills it; prints the process ids of its server."""

import asyncio
import sys
from pathlib import Path

from tests.mcp_client.rig import open_rig, script


async def main() -> None:
    async with open_rig(Path(sys.argv[1])) as rig:
        await rig.manager.start(script("hostile", "pids", sys.argv[2]))
        sys.stdout.write(await rig.text("look") + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


asyncio.run(main())
