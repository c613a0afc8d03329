"""Warns about Plugin actions whose MCP server or tool is missing."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from conductor.base.suggestions import format_suggestion
from conductor.domain.config import Config
from conductor.domain.servers import ServerView
from conductor.domain.validate import Problem, find_plugin_actions

Known = Mapping[str, Collection[str]]
"""The tools that the user accepted, by server; unknown servers are left out."""


def find_missing_tools(
    config: Config, servers: Sequence[ServerView], known: Known
) -> Iterator[Problem]:
    """Yield warnings about servers that are not in `mcp.json`, and about tools that a server does not have.

    Disabled servers are left out: they are visible in the config, so `domain.validate` warns about them.
    """
    by_name = {server.name: server for server in servers}
    for path, action in find_plugin_actions(config):
        message = _explain_missing(by_name, known, action.server, action.tool)
        if message is not None:
            yield Problem(path=path, message=message)


def find_unaccepted_tools(config: Config, known: Known) -> Iterator[Problem]:
    """Yield warnings about tools that are not among the accepted tools of a server."""
    for path, action in find_plugin_actions(config):
        message = _explain_unaccepted(known, action.server, action.tool)
        if message is not None:
            yield Problem(path=path, message=message)


def _explain_missing(
    servers: dict[str, ServerView], known: Known, name: str, tool: str
) -> str | None:
    server = servers.get(name)
    if server is None:
        hint = format_suggestion(name, servers) or "; there are none yet"
        return f"no MCP server in mcp.json is called `{name}`{hint}"
    if server.state == "failed":
        return f"the MCP server `{name}` does not run: {server.problem}"
    if server.state != "ready":
        return _explain_unaccepted(known, name, tool)
    found = next((known for known in server.tools if known.name == tool), None)
    if found is None:
        hint = format_suggestion(tool, [known.name for known in server.tools])
        return f"the MCP server `{name}` has no tool `{tool}`{hint}"
    if found.state != "ok":
        return f"the tool `{tool}` of `{name}` has changed: review it in Settings > MCP servers"
    return None


def _explain_unaccepted(known: Known, name: str, tool: str) -> str | None:
    tools = known.get(name, ())
    if not tools or tool in tools:
        return None
    hint = format_suggestion(tool, tools)
    return f"the MCP server `{name}` had no tool `{tool}` when it last ran{hint}"
