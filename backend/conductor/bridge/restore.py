"""Computes the changes that restore a mapping from an older config."""

from conductor.bridge.rows import map_scopes
from conductor.config.difference import align_mappings
from conductor.domain.change_kinds import (
    Change,
    CreateMapping,
    CreateMode,
    CreateProfile,
    DeleteMapping,
)
from conductor.domain.config import Config
from conductor.domain.scopes import parse_scope
from conductor.errors import ConfigError


def build_restore_changes(
    current_config: Config, old: Config, scope: str, index: int
) -> tuple[Change, ...]:
    """Return the changes that restore a mapping from an older config.

    If the mapping still exists, it is replaced. If its mode or profile was deleted, that is created again.

    Raises:
        ConfigError: The older config has no such mapping, or the mapping has not changed since.
    """
    rows = map_scopes(old).get(scope, ())
    if index >= len(rows):
        raise ConfigError(
            f"this version has no mapping {index} in {scope}; choose a mapping that it has"
        )
    mapping = rows[index]
    scope_kind, name = parse_scope(scope)
    current = map_scopes(current_config).get(scope)
    if current is None:
        return (_build_scope_recreation(old, scope_kind, name, index),)
    mode, profile = (name if scope_kind == kind else None for kind in ("mode", "profile"))
    pairs = align_mappings(rows, current)
    position = next((pair.new for pair in pairs if pair.old == index), None)
    creation = CreateMapping(
        mode=mode, profile=profile, index=index if position is None else position, mapping=mapping
    )
    if position is None:
        return (creation,)
    if current[position] == mapping:
        raise ConfigError("the mapping is the same in the running config; nothing to restore")
    return (DeleteMapping(mode=mode, profile=profile, index=position), creation)


def _build_scope_recreation(old: Config, scope_kind: str, name: str, index: int) -> Change:
    """Return the change that creates a deleted mode or profile again, with only the mapping at `index`."""
    if scope_kind == "mode":
        mode = old.find_mode(name)
        assert mode is not None
        return CreateMode(name=name, color=mode.color, mappings=(mode.mappings[index],))
    profile = next(profile for profile in old.profiles if profile.name == name)
    restored = profile.model_copy(update={"mappings": (profile.mappings[index],)})
    return CreateProfile(profile=restored)
