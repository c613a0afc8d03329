"""Tools that read mappings."""

from pydantic import Field

from conductor.base.json_types import JsonObject
from conductor.base.suggestions import format_suggestion
from conductor.domain.config import Config, Mapping
from conductor.domain.value import Value
from conductor.errors import InvalidParams, UnknownMode
from conductor.tools.context import ReadContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY


class MappingRow(Value):
    index: int
    trigger: JsonObject
    action: JsonObject
    description: str | None = None
    enabled: bool = True


class Place(Params):
    mode: str | None = None
    """Without mode and profile: the global mappings"""
    profile: str | None = None


class ModeParams(Params):
    mode: str | None = None
    """Left out: the global mappings"""
    profile: str | None = None


class Mappings(Value):
    mode: str | None
    mappings: tuple[MappingRow, ...]


class GetMappingParams(Place):
    index: int = Field(ge=0)


class MappingResult(Value):
    mode: str | None
    mapping: MappingRow


@REGISTRY.tool("read_only", "mappings", title="List mappings", aliases=("list_mappings",))
async def get_mappings(params: ModeParams, context: ReadContext) -> Mappings:
    """Return the mappings of a mode, of a profile, or those of every mode."""
    rows = list_mappings_at(context.config, params.mode, params.profile)
    return Mappings(mode=params.mode, mappings=tuple(_to_row(i, one) for i, one in enumerate(rows)))


@REGISTRY.tool("read_only", "mappings", title="Read mapping")
async def get_mapping(params: GetMappingParams, context: ReadContext) -> MappingResult:
    """Return one mapping, by the index (from 0) that conductor_get_mappings shows."""
    rows = list_mappings_at(context.config, params.mode, params.profile)
    if params.index >= len(rows):
        raise InvalidParams(f"Invalid index: {params.index}; there are {len(rows)}, from 0")
    return MappingResult(mode=params.mode, mapping=_to_row(params.index, rows[params.index]))


def list_mappings_at(config: Config, mode: str | None, profile: str | None) -> tuple[Mapping, ...]:
    """Return the mappings of a mode or profile, or the global mappings.

    Raises:
        UnknownMode, InvalidParams: there is no such place.
    """
    if mode is not None and profile is not None:
        raise InvalidParams("Invalid params: give `mode` or `profile`, not both")
    if mode is not None:
        found = config.mode(mode)
        if found is None:
            hint = format_suggestion(mode, [one.name for one in config.modes])
            raise UnknownMode(f"Invalid mode: '{mode}' does not exist{hint}")
        return found.mappings
    if profile is not None:
        for one in config.profiles:
            if one.name == profile:
                return one.mappings
        hint = format_suggestion(profile, [one.name for one in config.profiles])
        raise InvalidParams(f"Invalid profile: '{profile}' does not exist{hint}")
    return config.global_mappings


def _to_row(index: int, mapping: Mapping) -> MappingRow:
    return MappingRow(
        index=index,
        trigger=mapping.trigger.to_plain(),
        action=mapping.action.to_plain(),
        description=mapping.description,
        enabled=mapping.enabled,
    )
