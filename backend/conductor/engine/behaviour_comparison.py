"""Checks whether a config change affects the behaviour of the engine."""

from conductor.domain.config import Config


def has_same_behaviour(old: Config, new: Config) -> bool:
    """Return whether the engine would behave the same under two configs.

    Configs that differ only in settings the engine does not use, such as those of the chat, need no reload,
    which would release held keys.
    """
    if any(getattr(old, name) != getattr(new, name) for name in _ENGINE_CONFIG_SECTIONS):
        return False
    if old.settings.engine != new.settings.engine:
        return False
    return _serialize_mappings(old) == _serialize_mappings(new)


_ENGINE_CONFIG_SECTIONS = ("devices", "modes", "global_mappings", "profiles")


def _serialize_mappings(config: Config) -> str:
    """Return the mappings as JSON text.

    In Python 1, 1.0 and true are equal, but a plugin receives different values.
    """
    return config.model_dump_json(include=set(_ENGINE_CONFIG_SECTIONS))
