"""Defines the Plugin action, which calls a tool of a third-party MCP server.

A control may move faster than a server responds, so calls of one action are sent one at a time, at most
`rate_per_s` times a second. Pending calls are handled as follows:

- If an argument comes from the control, only the newest value is kept: a knob at 500 values a second calls
  the tool 20 times, and its final value is always sent. `steps` of an encoder add up.
- Otherwise each press counts: presses wait in order, up to a limit, beyond which a press fails with an error.
"""

from typing import Literal

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.actions.plugin_args import (
    ToolArguments,
    fill_tool_arguments,
    iterate_control_values,
)
from conductor.domain.ports import PluginAnswer, Ports, WithdrawCall

_SERVER_PATTERN = r"^[^:\x00-\x1f\x7f]+$"
_TOOL_PATTERN = r"^[^\x00-\x1f\x7f]+$"


class PluginAction(ActionBase):
    """Calls a tool of an MCP server; a value in `args` may be `{ from = "value", max = 255 }`."""

    blocking = True
    type: Literal["Plugin"] = "Plugin"
    server: str = Field(
        min_length=1,
        max_length=128,
        pattern=_SERVER_PATTERN,
        json_schema_extra={"format": "plugin_server"},
    )
    """The name of the server in `mcp.json`."""
    tool: str = Field(
        min_length=1,
        max_length=128,
        pattern=_TOOL_PATTERN,
        json_schema_extra={"format": "plugin_tool"},
    )
    """The name of the tool."""
    args: ToolArguments = Field(default_factory=dict, json_schema_extra={"format": "plugin_args"})
    """The tool's arguments. A value at any depth may be taken from the control: `{ from = "value" }` is
    0 to 127; `min`, `max`, `invert`, `curve` and `decimals` make another of it."""
    timeout_s: float = Field(default=10.0, gt=0, le=600)
    """The time limit for a call, in seconds."""
    rate_per_s: float = Field(default=20.0, ge=0.1, le=100)
    """The maximum number of calls per second. Beyond it, only the newest value of a control is
    sent, but each press counts."""

    def follows_control(self) -> bool:
        """Return whether any argument comes from the control, in which case only the newest value matters."""
        return next(iterate_control_values(self.args), None) is not None

    def resolve_to_plain(self, fire: Fire) -> JsonObject:
        """Return the tool call as JSON data, in which values that come from the control are numbers."""
        return {**self.to_plain(), "args": fill_tool_arguments(self.args, fire)}

    def run(self, fire: Fire, ports: Ports) -> None:
        """Call the tool, without waiting for its answer."""
        self.call_tool(fire, ports, "", lambda _reason: None)

    def call_tool(self, fire: Fire, ports: Ports, by: str, answer: PluginAnswer) -> WithdrawCall:
        """Call the tool for the mapping `by`; return a function that cancels the call.

        `answer` is called with the result.
        """
        args = fill_tool_arguments(self.args, fire)
        return ports.plugins.call_tool(self.server, self.tool, args, self.timeout_s, by, answer)
