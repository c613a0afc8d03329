"""Checks whether a config change affects what the engine plays."""

from conductor.domain.config import Config


def has_same_behaviour(one: Config, other: Config) -> bool:
    """Check that two configs differ at most in what the engine does not use: the chat, the window, learning.

    What is held must not be let go because a model was chosen.
    """
    if any(getattr(one, name) != getattr(other, name) for name in _PLAYED):
        return False
    if one.settings.engine != other.settings.engine:
        return False
    return _spelled(one) == _spelled(other)


_PLAYED = ("devices", "modes", "global_mappings", "profiles")


def _spelled(config: Config) -> str:
    """Return a text of what is played: Python takes 1, 1.0 and true for equal, and a plugin does not."""
    return config.model_dump_json(include=set(_PLAYED))
