"""Tools for plugins: programs of others whose tools mappings can call."""

from conductor.domain.config import Config
from conductor.domain.plan import Proposal
from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import ReadContext
from conductor.tools.params import NoParams, Params, Plain
from conductor.tools.registry import REGISTRY


class Plugins(Value):
    plugins: list[Plain]


class PluginParams(Params):
    plugin: str


@REGISTRY.tool("read_only", "status")
async def list_plugins(params: NoParams, context: ReadContext) -> Plugins:
    """The plugins that are installed."""
    return Plugins(plugins=[])


@REGISTRY.tool("privileged", "status")
def enable_plugin(params: PluginParams, config: Config) -> Proposal:
    """Plan to switch a plugin on. Window or terminal approval only."""
    raise _unknown(params.plugin)


@REGISTRY.tool("privileged", "status")
def disable_plugin(params: PluginParams, config: Config) -> Proposal:
    """Plan to switch a plugin off. Window or terminal approval only."""
    raise _unknown(params.plugin)


def _unknown(name: str) -> InvalidParams:
    return InvalidParams(f"Invalid plugin: '{name[:60]}' is not installed; no plugin is")
