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


class MappingScope(Params):
    mode: str | None = None
    """Without mode and profile: the mappings of all modes"""
    profile: str | None = None


class ModeParams(Params):
    mode: str | None = None
    """Default: the mappings of all modes"""
    profile: str | None = None


class Mappings(Value):
    mode: str | None
    mappings: tuple[MappingRow, ...]


class GetMappingParams(MappingScope):
    index: int = Field(ge=0)


class MappingResult(Value):
    mode: str | None
    mapping: MappingRow


@REGISTRY.tool("read_only", "mappings", title="List mappings", aliases=("list_mappings",))
async def get_mappings(params: ModeParams, context: ReadContext) -> Mappings:
    """Return the mappings of a mode, of a profile, or of all modes."""
    rows = list_mappings_in_scope(context.config, params.mode, params.profile)
    mappings = tuple(_build_mapping_row(index, mapping) for index, mapping in enumerate(rows))
    return Mappings(mode=params.mode, mappings=mappings)


@REGISTRY.tool("read_only", "mappings", title="Read mapping")
async def get_mapping(params: GetMappingParams, context: ReadContext) -> MappingResult:
    """Return one mapping, by the index (from 0) that conductor_get_mappings shows."""
    rows = list_mappings_in_scope(context.config, params.mode, params.profile)
    if params.index >= len(rows):
        raise InvalidParams(
            f"Invalid index: {params.index}; there are {len(rows)} mappings, counted from 0"
        )
    return MappingResult(
        mode=params.mode, mapping=_build_mapping_row(params.index, rows[params.index])
    )


def list_mappings_in_scope(
    config: Config, mode: str | None, profile: str | None
) -> tuple[Mapping, ...]:
    """Return the mappings of a mode or a profile, or those of all modes if neither is named.

    Raises:
        UnknownMode: The mode does not exist.
        InvalidParams: The profile does not exist, or both a mode and a profile are named.
    """
    if mode is not None and profile is not None:
        raise InvalidParams("Invalid params: give `mode` or `profile`, not both")
    if mode is not None:
        found = config.find_mode(mode)
        if found is None:
            hint = format_suggestion(mode, [known.name for known in config.modes])
            raise UnknownMode(f"Invalid mode: '{mode}' does not exist{hint}")
        return found.mappings
    if profile is not None:
        for known in config.profiles:
            if known.name == profile:
                return known.mappings
        hint = format_suggestion(profile, [known.name for known in config.profiles])
        raise InvalidParams(f"Invalid profile: '{profile}' does not exist{hint}")
    return config.global_mappings


def _build_mapping_row(index: int, mapping: Mapping) -> MappingRow:
    return MappingRow(
        index=index,
        trigger=mapping.trigger.to_plain(),
        action=mapping.action.to_plain(),
        description=mapping.description,
        enabled=mapping.enabled,
    )
