"""An MCP server for the window's tests: greets, asks the user in a form, and changes its mind about a tool.

`panel_server.py FILE`: the description of `greet` is what FILE holds, if it is there.
"""

import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

panel = MCPServer("greeter", version="1.2.3")
about = Path(sys.argv[1])
BOOKING = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "guests": {
            "type": "integer",
            "title": "How many",
            "minimum": 1,
            "maximum": 12,
            "default": 2,
        },
        "table": {"type": "string", "title": "Where", "enum": ["inside", "outside"]},
        "child_seat": {"type": "boolean", "title": "With a child seat"},
    },
    "required": ["name"],
}


@panel.tool(description=about.read_text() if about.exists() else "Greet somebody by name.")
def greet(name: str, times: int = 1) -> str:
    sys.stderr.write(f"greeting {name}\n")
    return f"Hello, {name}!" * times


@panel.tool()
async def book(day: str, context: Context) -> str | InputRequiredResult:
    """Book a table; asks for the details."""
    answer = (context.input_responses or {}).get("booking")
    if not isinstance(answer, ElicitResult):
        asked = ElicitRequestFormParams(message=f"A table for {day}?", requested_schema=BOOKING)
        return InputRequiredResult(input_requests={"booking": ElicitRequest(params=asked)})
    if answer.action != "accept" or not answer.content:
        return f"not booked: {answer.action}"
    return f"booked for {answer.content['name']}, {answer.content['guests']} guests"


if __name__ == "__main__":
    panel.run()
