"""The changes that bring one mapping of an older config back."""

from conductor.bridge.rows import scopes
from conductor.config.difference import align, spelled
from conductor.domain.change_kinds import (
    Change,
    CreateMapping,
    CreateMode,
    CreateProfile,
    DeleteMapping,
)
from conductor.domain.config import Config
from conductor.errors import ConfigError


def restore_row(now: Config, old: Config, scope: str, index: int) -> tuple[Change, ...]:
    """Return the changes: the row that took its place is replaced; a mode that is gone comes back.

    Raises:
        ConfigError: the older config has no such mapping, or it is there unchanged.
    """
    rows = scopes(old).get(scope, ())
    if index >= len(rows):
        raise ConfigError(f"that version has no mapping {index} in {scope}")
    wanted = rows[index]
    noun, _, name = scope.partition(":")
    here = scopes(now).get(scope)
    if here is None:
        return (_owner(old, noun, name, index),)
    mode, profile = (name if noun == each else None for each in ("mode", "profile"))
    pairs = align(
        [spelled(one.to_plain()) for one in rows], [spelled(one.to_plain()) for one in here]
    )
    at = next((pair.new for pair in pairs if pair.old == index), None)
    create = CreateMapping(
        mode=mode, profile=profile, index=index if at is None else at, mapping=wanted
    )
    if at is None:
        return (create,)
    if here[at] == wanted:
        raise ConfigError("that mapping is in the running config as it was; nothing to restore")
    return (DeleteMapping(mode=mode, profile=profile, index=at), create)


def _owner(old: Config, noun: str, name: str, index: int) -> Change:
    """Return the mode or profile that is gone, with this one mapping."""
    if noun == "mode":
        mode = old.mode(name)
        assert mode is not None
        return CreateMode(name=name, color=mode.color, mappings=(mode.mappings[index],))
    profile = next(one for one in old.profiles if one.name == name)
    kept = profile.model_copy(update={"mappings": (profile.mappings[index],)})
    return CreateProfile(profile=kept)
