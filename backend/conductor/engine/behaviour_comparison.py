"""Checks whether a config change affects the behaviour of the engine."""

from conductor.domain.config import Config


def has_same_behaviour(old: Config, new: Config) -> bool:
    """Check that two configs differ only in settings that the engine does not use, such as those of the chat.

    A reload releases held keys, which must not happen because a model was chosen.
    """
    if any(getattr(old, name) != getattr(new, name) for name in _PLAYED):
        return False
    if old.settings.engine != new.settings.engine:
        return False
    return _serialize_mappings(old) == _serialize_mappings(new)


_PLAYED = ("devices", "modes", "global_mappings", "profiles")


def _serialize_mappings(config: Config) -> str:
    """Return the mappings as JSON: Python compares 1, 1.0 and True as equal, but a plugin does not."""
    return config.model_dump_json(include=set(_PLAYED))
