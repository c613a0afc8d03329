"""Determines whether a config depends on the foreground app, and on the title of its window."""

from collections.abc import Iterator

from conductor.domain.actions import walk_actions
from conductor.domain.conditions import AppFrontmost, Condition
from conductor.domain.conditions import walk_conditions as condition_parts
from conductor.domain.config import Config


def depends_on_app(config: Config) -> bool:
    """Return whether any profile or condition in a config depends on the foreground app."""
    return any(profile.enabled for profile in config.profiles) or _has_app_condition(config)


def depends_on_window_title(config: Config) -> bool:
    """Return whether any profile or condition in a config depends on the window title, which
    app conditions match too.
    """
    by_title = any(
        profile.enabled and profile.match.title_regex is not None for profile in config.profiles
    )
    return by_title or _has_app_condition(config)


def _has_app_condition(config: Config) -> bool:
    return any(
        isinstance(part, AppFrontmost)
        for condition in _iterate_conditions(config)
        for part in condition_parts(condition)
    )


def _iterate_conditions(config: Config) -> Iterator[Condition]:
    for _, _, mapping in config.list_all_mappings():
        yield from mapping.trigger.when
        for part in walk_actions(mapping.action):
            if part.type == "Conditional":
                yield part.condition
