"""An MCP server for the window's tests: greets, asks the user in a form, and changes its mind about a tool.

`panel_server.py FILE`: the description of `greet` is what FILE holds, if it is there.
"""

import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field

panel = MCPServer("greeter", version="1.2.3")
about = Path(sys.argv[1])


class Booking(BaseModel):
    name: str = Field(title="Your name")
    guests: int = Field(default=2, ge=1, le=12, title="How many")
    by_the_window: bool = Field(default=False, title="By the window")


@panel.tool(description=about.read_text() if about.exists() else "Greet somebody by name.")
def greet(name: str, times: int = 1) -> str:
    print("greeting", name, file=sys.stderr)
    return f"Hello, {name}!" * times


@panel.tool()
async def book(day: str, context: Context) -> str:
    """Book a table; asks for the details."""
    answer = await context.elicit(f"A table for {day}: in which name?", Booking)
    if answer.action != "accept":
        return f"not booked: {answer.action}"
    return f"booked for {answer.data.name}, {answer.data.guests} guests"


if __name__ == "__main__":
    panel.run()
