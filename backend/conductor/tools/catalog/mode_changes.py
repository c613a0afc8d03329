"""Tools that propose changes to modes."""

from pydantic import Field

from conductor.domain.change_kinds import CreateMode, DeleteMode, UpdateMode
from conductor.domain.config import Config
from conductor.domain.plan import Proposal
from conductor.tools.names import ConfigName
from conductor.tools.params import PlanningParams
from conductor.tools.registry import REGISTRY


class CreateModeParams(PlanningParams):
    name: ConfigName
    color: str | None = Field(default=None, max_length=32)
    index: int | None = Field(default=None, ge=0)


class UpdateModeParams(PlanningParams):
    mode: str
    new_name: ConfigName | None = None
    color: str | None = Field(default=None, max_length=32)


class DeleteModeParams(PlanningParams):
    mode: str


@REGISTRY.tool("config_change", "mappings", title="Create mode")
def create_mode(params: CreateModeParams, config: Config) -> Proposal:
    """Plan a new mode."""
    return (CreateMode(name=params.name, color=params.color, index=params.index),)


@REGISTRY.tool("config_change", "mappings", title="Update mode")
def update_mode(params: UpdateModeParams, config: Config) -> Proposal:
    """Plan to rename or recolour a mode. References to its name are updated."""
    return (UpdateMode(name=params.mode, new_name=params.new_name, color=params.color),)


@REGISTRY.tool("config_change", "mappings", title="Delete mode")
def delete_mode(params: DeleteModeParams, config: Config) -> Proposal:
    """Plan to delete a mode with its mappings."""
    return (DeleteMode(name=params.mode),)
