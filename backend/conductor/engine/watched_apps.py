"""What a config looks at of the app in front: the app, or the title of its window too."""

from collections.abc import Iterator

from conductor.domain.actions import parts_of
from conductor.domain.conditions import AppFrontmost, Condition
from conductor.domain.conditions import parts_of as condition_parts
from conductor.domain.config import Config


def looks_at_app(config: Config) -> bool:
    """Check whether anything depends on the app in front."""
    return any(profile.enabled for profile in config.profiles) or _has_app_condition(config)


def looks_at_titles(config: Config) -> bool:
    """Check whether anything depends on the title of its window; app conditions are looked up there too."""
    by_title = any(
        profile.enabled and profile.match.title_regex is not None for profile in config.profiles
    )
    return by_title or _has_app_condition(config)


def _has_app_condition(config: Config) -> bool:
    return any(
        isinstance(part, AppFrontmost)
        for condition in _conditions(config)
        for part in condition_parts(condition)
    )


def _conditions(config: Config) -> Iterator[Condition]:
    for _, _, mapping in config.all_mappings():
        yield from mapping.trigger.when
        for part in parts_of(mapping.action):
            if part.type == "Conditional":
                yield part.condition
