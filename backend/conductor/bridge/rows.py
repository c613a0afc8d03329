"""Describes mappings for the page: their text, their badges and their physical controls."""

from collections.abc import Iterator

from conductor.bridge.models import Badge, ControlRef, RowDescription
from conductor.domain.actions import Action, walk_actions
from conductor.domain.config import Config, Mapping
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.domain.row_phrases import (
    find_printed_control_name,
    format_action_phrase,
    format_control_numbers,
    format_trigger_phrase,
    get_trigger_control_name,
)
from conductor.domain.scopes import format_mode_scope, format_profile_scope
from conductor.domain.triggers import Trigger
from conductor.domain.triggers.base import Gesture

_GESTURE_BADGES: dict[Gesture, Badge] = {
    "long_press": "hold",
    "double_tap": "double",
    "chord": "chord",
    "release": "release",
}
_ACTION_BADGES: dict[str, Badge] = {"Shell": "shell", "Repeat": "repeat", "Sequence": "sequence"}


def describe_all_rows(
    config: Config, names: ControlNames = NO_CONTROL_NAMES
) -> dict[str, list[RowDescription]]:
    """Return the descriptions of all mappings by scope. A scope without mappings has an empty list."""
    rows: dict[str, list[RowDescription]] = {scope: [] for scope in map_scopes(config)}
    for scope, _, mapping in config.list_all_mappings():
        rows[scope].append(describe_mapping(mapping, names))
    return rows


def map_scopes(config: Config) -> dict[str, tuple[Mapping, ...]]:
    """Return the mappings by scope, in the order of the config."""
    return {
        **{format_mode_scope(mode.name): mode.mappings for mode in config.modes},
        "global": config.global_mappings,
        **{format_profile_scope(profile.name): profile.mappings for profile in config.profiles},
    }


def describe_mapping(mapping: Mapping, names: ControlNames = NO_CONTROL_NAMES) -> RowDescription:
    """Return the description of a mapping with its badges and controls."""
    words = describe_trigger_and_action(mapping.trigger, mapping.action, names)
    if mapping.enabled:
        return words
    return words.model_copy(update={"badges": (*words.badges, "off")})


def describe_trigger_and_action(
    trigger: Trigger | None, action: Action | None, names: ControlNames = NO_CONTROL_NAMES
) -> RowDescription:
    """Return the description of a trigger and an action. In a draft, either may be None."""
    badges: list[Badge] = [*_list_trigger_badges(trigger), *_list_action_badges(action)]
    return RowDescription(
        trigger="" if trigger is None else format_trigger_phrase(trigger, names),
        numbers=(
            ""
            if trigger is None or get_trigger_control_name(trigger, names) is None
            else format_control_numbers(trigger)
        ),
        printed="" if trigger is None else find_printed_control_name(trigger, names),
        action=(
            ""
            if action is None
            else format_action_phrase(action, channel=None if trigger is None else trigger.channel)
        ),
        badges=tuple(dict.fromkeys(badges)),
        device=None if trigger is None else trigger.device,
        controls=() if trigger is None else list_controls(trigger),
    )


def list_controls(trigger: Trigger) -> tuple[ControlRef, ...]:
    """Return the physical controls that a trigger listens to."""
    return tuple(
        ControlRef(
            device=trigger.device,
            channel=trigger.channel,
            control_class=control_class,
            number=number,
        )
        for control_class, number in trigger.list_controls()
    )


def _list_trigger_badges(trigger: Trigger | None) -> Iterator[Badge]:
    if trigger is None:
        return
    if trigger.gesture in _GESTURE_BADGES:
        yield _GESTURE_BADGES[trigger.gesture]
    if trigger.when:
        yield "condition"


def _list_action_badges(action: Action | None) -> Iterator[Badge]:
    for part in () if action is None else walk_actions(action):
        if part.type in _ACTION_BADGES:
            yield _ACTION_BADGES[part.type]
        if part.type == "Conditional":
            yield "condition"
        if getattr(part, "hold", "tap") == "while_held":
            yield "while_held"
