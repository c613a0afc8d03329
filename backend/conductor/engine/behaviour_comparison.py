"""Checks whether a config change affects the behaviour of the engine."""

from conductor.domain.config import Config


def has_same_behaviour(old: Config, new: Config) -> bool:
    """Check that two configs differ only in settings that the engine does not use, such as those of the chat.

    A reload releases held keys, and a change of the chat's model must not do that.
    """
    if any(getattr(old, name) != getattr(new, name) for name in _ENGINE_CONFIG_SECTIONS):
        return False
    if old.settings.engine != new.settings.engine:
        return False
    return _serialize_mappings(old) == _serialize_mappings(new)


_ENGINE_CONFIG_SECTIONS = ("devices", "modes", "global_mappings", "profiles")


def _serialize_mappings(config: Config) -> str:
    """Return the mappings as JSON text, because 1, 1.0 and true are equal in Python, but not for a plugin."""
    return config.model_dump_json(include=set(_ENGINE_CONFIG_SECTIONS))
