"""Plugin actions that cannot do what they say, as far as the MCP servers tell."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from conductor.domain.config import Config
from conductor.domain.servers import ServerView
from conductor.domain.validate import Problem, did_you_mean, plugins

Known = Mapping[str, Collection[str]]
"""The tools that the user accepted, by server; one that nobody knows is left out."""


def missing_tools(config: Config, servers: Sequence[ServerView], known: Known) -> Iterator[Problem]:
    """Warn of servers that are not in `mcp.json`, and of tools that one does not have.

    That a server is not switched on is in the config itself: `domain.validate` warns of it.
    """
    by_name = {server.name: server for server in servers}
    for path, action in plugins(config):
        message = _why(by_name, known, action.server, action.tool)
        if message is not None:
            yield Problem(path=path, message=message)


def never_accepted(config: Config, known: Known) -> Iterator[Problem]:
    """Warn of tools that a server does not have, when nothing is known but what was accepted."""
    for path, action in plugins(config):
        message = _why_not_known(known, action.server, action.tool)
        if message is not None:
            yield Problem(path=path, message=message)


def _why(servers: dict[str, ServerView], known: Known, name: str, tool: str) -> str | None:
    server = servers.get(name)
    if server is None:
        hint = did_you_mean(name, servers) or "; there is none yet"
        return f"no MCP server in mcp.json is called `{name}`{hint}"
    if server.state == "failed":
        return f"the MCP server `{name}` does not run: {server.problem}"
    if server.state != "ready":
        return _why_not_known(known, name, tool)
    found = next((one for one in server.tools if one.name == tool), None)
    if found is None:
        hint = did_you_mean(tool, [one.name for one in server.tools])
        return f"the MCP server `{name}` has no tool `{tool}`{hint}"
    if found.state != "ok":
        return f"the tool `{tool}` of `{name}` is not what you agreed to: look at it in Settings > MCP servers"
    return None


def _why_not_known(known: Known, name: str, tool: str) -> str | None:
    tools = known.get(name, ())
    if not tools or tool in tools:
        return None
    hint = did_you_mean(tool, tools)
    return f"the MCP server `{name}` had no tool `{tool}` when it last ran{hint}"
