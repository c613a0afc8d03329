"""Plugin: calls a tool of a third-party MCP server."""

from typing import Any, Literal

from pydantic import Field

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports


class PluginAction(ActionBase):
    """Calls a tool of an MCP server that the user has set up and enabled."""

    blocking = True
    type: Literal["Plugin"] = "Plugin"
    server: str = Field(min_length=1, max_length=128)
    """The server's name in `mcp.json`."""
    tool: str = Field(min_length=1, max_length=128)
    """The tool's name."""
    args: dict[str, Any] = Field(default_factory=dict)
    """The tool's arguments."""
    timeout_s: float = Field(default=10.0, gt=0, le=600)
    """The longest the call may take."""

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.plugins.call(self.server, self.tool, self.args, self.timeout_s)
