"""Tools that propose changes to mappings."""

from pydantic import Field

from conductor.domain.change_kinds import (
    CreateMapping,
    DeleteMapping,
    MoveMapping,
    UpdateMapping,
)
from conductor.domain.config import Config, Mapping
from conductor.domain.plan import Proposal
from conductor.tools.params import PlanningParams
from conductor.tools.registry import REGISTRY
from conductor.tools.schema import FullAction, FullTrigger, ShortAction, ShortTrigger


class MappingScopeParams(PlanningParams):
    mode: str | None = None
    """Without mode and profile: the mappings of all modes"""
    profile: str | None = None


class CreateMappingParams(MappingScopeParams):
    trigger: FullTrigger
    action: FullAction
    description: str | None = None
    index: int | None = Field(default=None, ge=0)


class UpdateMappingParams(MappingScopeParams):
    index: int = Field(ge=0)
    trigger: ShortTrigger | None = None
    action: ShortAction | None = None
    description: str | None = None
    enabled: bool | None = None
    to_index: int | None = Field(default=None, ge=0)
    """Move the mapping to this index"""


class DeleteMappingParams(MappingScopeParams):
    index: int = Field(ge=0)


@REGISTRY.tool("config_change", "mappings", title="Create mapping")
def create_mapping(params: CreateMappingParams, config: Config) -> Proposal:
    """Plan a new mapping. Nothing changes until the user approves the plan."""
    mapping = Mapping(description=params.description, trigger=params.trigger, action=params.action)
    return (
        CreateMapping(
            mode=params.mode, profile=params.profile, index=params.index, mapping=mapping
        ),
    )


@REGISTRY.tool(
    "config_change",
    "mappings",
    title="Update mapping",
    keywords="edit existing modify rename move order enable disable replace correct mapping",
)
def update_mapping(params: UpdateMappingParams, config: Config) -> Proposal:
    """Plan a change of a mapping. The fields are those of conductor_create_mapping."""
    update = UpdateMapping(
        mode=params.mode,
        profile=params.profile,
        index=params.index,
        trigger=params.trigger,
        action=params.action,
        description=params.description,
        enabled=params.enabled,
    )
    if params.to_index is None:
        return (update,)
    move = MoveMapping(
        mode=params.mode, profile=params.profile, index=params.index, to_index=params.to_index
    )
    names = ("trigger", "action", "description", "enabled")
    changes_more = any(getattr(params, name) is not None for name in names)
    return (update, move) if changes_more else (move,)


@REGISTRY.tool("config_change", "mappings", title="Delete mapping")
def delete_mapping(params: DeleteMappingParams, config: Config) -> Proposal:
    """Plan to delete a mapping."""
    return (DeleteMapping(mode=params.mode, profile=params.profile, index=params.index),)
