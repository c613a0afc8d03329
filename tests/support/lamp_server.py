"""A lamp that is an MCP server, of the SDK's own making: writes down what it is asked.

`lamp_server.py FILE`: each call becomes a line of JSON in FILE: the tool, its arguments, and when it came.
"""

import asyncio
import json
import sys
import time
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

lamp = MCPServer("lamp")


def note(tool: str, **arguments: Any) -> None:
    with open(sys.argv[1], "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(json.dumps({"tool": tool, "at": time.monotonic(), **arguments}) + "\n")


@lamp.tool()
def set_level(level: int, lamp: str = "desk") -> str:
    """Set how bright a lamp is, 0 to 255."""
    note("set_level", level=level, lamp=lamp)
    return f"{lamp} is at {level}"


@lamp.tool()
def set_scene(scene: dict[str, Any]) -> str:
    """Set a whole scene."""
    note("set_scene", scene=scene)
    return "done"


@lamp.tool()
async def fade(seconds: float) -> str:
    """Fade to black, which takes a while."""
    note("fade", seconds=seconds)
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        note("fade cancelled")
        raise
    return "dark"


@lamp.tool()
def burn_out() -> str:
    """Fail."""
    raise ToolError("the bulb is broken")


if __name__ == "__main__":
    lamp.run()
