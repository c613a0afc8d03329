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
NAMED_WITH_DOTS = "skills.tools."
"""What follows is the name of one tool, which may have dots itself."""


class UpdateSettingsParams(PlanningParams):
    settings: SettingsTree


class PreviewParams(Params):
    action: ShortAction


@REGISTRY.tool("config_change", "status", title="Update settings")
def update_settings(params: UpdateSettingsParams, config: Config) -> Proposal:
    """Plan a change of settings. llm.mcp and allow_shell: approved in the window or terminal only."""
    return (UpdateSettings(settings=_nest_settings(params.settings)),)


@REGISTRY.tool("privileged", "plans", title="Reset config")
def reset_config(params: PlanningParams, config: Config) -> Proposal:
    """Plan to empty the config but for its llm settings. Window or terminal approval only."""
    return (ReplaceConfig(config=Config(llm=config.llm)),)


@REGISTRY.tool("privileged", "hardware", title="Preview action")
def preview_action(params: PreviewParams, config: Config) -> Proposal:
    """Plan to perform an action once, to see what it does. Window or terminal approval only."""
    return ActionRequest(params.action)


def _nest_settings(settings: JsonObject) -> JsonObject:
    """Convert keys with dots, as guides and messages write them, to nested tables."""
    found = deepcopy({key: item for key, item in settings.items() if "." not in key})
    for key, item in settings.items():
        if "." not in key:
            continue
        *above, last = key.split(".", 2 if key.startswith(NAMED_WITH_DOTS) else -1)
        place = found
        for step in above:
            place = place.setdefault(step, {})
            if not isinstance(place, dict):
                raise InvalidParams(f"`{key[:120]}` and `{step[:60]}` cannot both be given")
        if last in place:
            raise InvalidParams(f"`{key[:120]}` is given twice, with dots and without")
        place[last] = item
    return found
