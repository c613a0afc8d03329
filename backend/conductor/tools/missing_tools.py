"""Finds `Plugin` actions whose MCP server or tool is missing."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from conductor.base.suggestions import format_suggestion
from conductor.domain.config import Config
from conductor.domain.servers import ServerView
from conductor.domain.validate import Problem, find_plugin_actions

AcceptedTools = Mapping[str, Collection[str]]
"""The names of the tools that the user accepted, by server. Servers that have never run are not included."""


def find_missing_tools(
    config: Config, servers: Sequence[ServerView], accepted: AcceptedTools
) -> Iterator[Problem]:
    """Yield a warning for each server that is not in `mcp.json`, and for each tool that its server does
    not have.

    Servers that are switched off are skipped. The config shows that they are off, so `domain.validate`
    warns about them.
    """
    by_name = {server.name: server for server in servers}
    for path, action in find_plugin_actions(config):
        message = _explain_missing_tool(by_name, accepted, action.server, action.tool)
        if message is not None:
            yield Problem(path=path, message=message)


def find_unaccepted_tools(config: Config, accepted: AcceptedTools) -> Iterator[Problem]:
    """Yield a warning for each tool that is not among the accepted tools of its server."""
    for path, action in find_plugin_actions(config):
        message = _explain_unaccepted_tool(accepted, action.server, action.tool)
        if message is not None:
            yield Problem(path=path, message=message)


def _explain_missing_tool(
    servers: dict[str, ServerView], accepted: AcceptedTools, name: str, tool: str
) -> str | None:
    server = servers.get(name)
    if server is None:
        hint = format_suggestion(name, servers) or "; there are no servers yet"
        return f"no MCP server in mcp.json is called `{name}`{hint}"
    if server.state == "failed":
        return f"the MCP server `{name}` is not running: {server.problem}"
    if server.state != "ready":
        return _explain_unaccepted_tool(accepted, name, tool)
    found = next((offered for offered in server.tools if offered.name == tool), None)
    if found is None:
        hint = format_suggestion(tool, [offered.name for offered in server.tools])
        return f"the MCP server `{name}` has no tool `{tool}`{hint}"
    if found.state != "ok":
        return f"the tool `{tool}` of `{name}` has changed: review it in Settings > MCP servers"
    return None


def _explain_unaccepted_tool(accepted: AcceptedTools, name: str, tool: str) -> str | None:
    tools = accepted.get(name, ())
    if not tools or tool in tools:
        return None
    hint = format_suggestion(tool, tools)
    return f"the MCP server `{name}` had no tool `{tool}` when it last ran{hint}"
