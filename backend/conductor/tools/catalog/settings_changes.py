"""Tools that propose changes to settings or to the whole config."""

from copy import deepcopy
from typing import Annotated

from pydantic import WithJsonSchema

from conductor.base.json_types import JsonObject
from conductor.domain.change_kinds import ReplaceConfig, UpdateSettings
from conductor.domain.config import Config
from conductor.domain.plan import ActionRequest, Proposal
from conductor.errors import InvalidParams
from conductor.tools.params import Params, PlanningParams
from conductor.tools.registry import REGISTRY
from conductor.tools.schema import ShortAction

SettingsTree = Annotated[
    JsonObject,
    WithJsonSchema(
        {
            "type": "object",
            "description": "Such as {engine:{start_mode:..}}; sections engine, ui, learn, llm, "
            "knowledge, skills as conductor_get_settings shows; null resets",
        }
    ),
]
TOOL_SETTING_PREFIX = "skills.tools."
"""What follows in a key is the name of a tool, which may contain dots."""


class UpdateSettingsParams(PlanningParams):
    settings: SettingsTree


class PreviewParams(Params):
    action: ShortAction


@REGISTRY.tool("config_change", "status", title="Update settings")
def update_settings(params: UpdateSettingsParams, config: Config) -> Proposal:
    """Plan a change of settings. llm.mcp and allow_shell: window or terminal approval only."""
    return (UpdateSettings(settings=_nest_dotted_settings(params.settings)),)


@REGISTRY.tool("privileged", "plans", title="Reset config")
def reset_config(params: PlanningParams, config: Config) -> Proposal:
    """Plan to reset the config except its llm settings. Window or terminal approval only."""
    return (ReplaceConfig(config=Config(llm=config.llm)),)


@REGISTRY.tool("privileged", "hardware", title="Preview action")
def preview_action(params: PreviewParams, config: Config) -> Proposal:
    """Plan to perform an action once, to see its effect. Window or terminal approval only."""
    return ActionRequest(params.action)


def _nest_dotted_settings(settings: JsonObject) -> JsonObject:
    """Return the settings with nested tables in place of keys with dots, such as `engine.start_mode`.

    Raises:
        InvalidParams: Two keys contradict each other.
    """
    nested = deepcopy({key: item for key, item in settings.items() if "." not in key})
    for key, item in settings.items():
        if "." not in key:
            continue
        *parents, last = key.split(".", 2 if key.startswith(TOOL_SETTING_PREFIX) else -1)
        table = nested
        for parent in parents:
            table = table.setdefault(parent, {})
            if not isinstance(table, dict):
                raise InvalidParams(f"`{key[:120]}` and `{parent[:60]}` cannot both be given")
        if last in table:
            raise InvalidParams(f"`{key[:120]}` is given twice, with dots and without")
        table[last] = item
    return nested
