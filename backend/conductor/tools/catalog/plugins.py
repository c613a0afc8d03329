"""Tools for plugins: MCP servers of third parties, whose tools mappings and the chat can call."""

from conductor.base.suggestions import format_suggestion
from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.config import Config
from conductor.domain.plan import Proposal
from conductor.domain.servers import ServerState, ServerView
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import ReadContext
from conductor.tools.params import NoParams, PlanningParams
from conductor.tools.registry import REGISTRY


class PluginRow(Value):
    name: str
    enabled: bool
    state: ServerState
    tools: int
    """Number of tools that the plugin offers."""
    problem: str | None


class Plugins(Value):
    plugins: tuple[PluginRow, ...]


class PluginParams(PlanningParams):
    plugin: str


@REGISTRY.tool("read_only", "status", title="List plugins")
async def list_plugins(params: NoParams, context: ReadContext) -> Plugins:
    """List the plugins (MCP servers in mcp.json): whether each is enabled and running, its tools, its
    problem.
    """
    return Plugins(
        plugins=tuple(_build_plugin_row(server) for server in await context.list_plugins())
    )


@REGISTRY.tool("privileged", "status", title="Enable plugin")
def enable_plugin(params: PluginParams, config: Config) -> Proposal:
    """Plan to switch a plugin on. Window or terminal approval only; the user also agrees to its command."""
    return _build_proposal(*config.skills.servers, params.plugin)


@REGISTRY.tool("privileged", "status", title="Disable plugin")
def disable_plugin(params: PluginParams, config: Config) -> Proposal:
    """Plan to switch a plugin off. Window or terminal approval only."""
    on = config.skills.servers
    if params.plugin not in on:
        hint = format_suggestion(params.plugin, on) or "; no plugin is"
        raise InvalidParams(f"Invalid plugin: '{params.plugin[:60]}' is not switched on{hint}")
    return _build_proposal(*(name for name in on if name != params.plugin))


def _build_proposal(*names: str) -> Proposal:
    return (UpdateSettings(settings={"skills": {"servers": list(dict.fromkeys(names))}}),)


def _build_plugin_row(server: ServerView) -> PluginRow:
    return PluginRow(
        name=server.name,
        enabled=server.enabled,
        state=server.state,
        tools=len(server.tools),
        problem=server.problem,
    )
