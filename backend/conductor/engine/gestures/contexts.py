"""Builds the contexts that can make a difference to mappings: mode, app, time, variables and held controls.

A condition is either true or false, so one context for each combination of truth values is enough.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice, product
from math import prod
from typing import NamedTuple, TypeVar

from conductor.domain.actions import walk_actions as action_parts
from conductor.domain.conditions import (
    AppFrontmost,
    Condition,
    ControlHeld,
    DayOfWeek,
    ModeIs,
    Scalar,
    TimeRange,
    VariableIs,
)
from conductor.domain.conditions import walk_conditions as condition_parts
from conductor.domain.config import Config, Mapping, Profile
from conductor.domain.events import CONTROL_CLASS, EventKind, InputEvent
from conductor.domain.scopes import format_mode_scope, format_profile_scope
from conductor.engine.state import EngineState
from conductor.engine.step import feed_event, switch_mode
from conductor.engine.table import MappingTable

MAX_CONTEXTS = 128
"""The maximum number of contexts. Each variable or held control doubles their number, and playing 2^14
contexts would take minutes."""
NOON_MINUTE = 720
GESTURE_START_S = 70.0
"""The engine time in seconds at which gestures start. Controls that are held since time 0 are decided by
then, because a long press takes at most 60 s."""
NO_APP = ("", "", "")

_REGEX_SIMPLIFICATIONS = (
    (r"\\[bBAZ]|\(\?[a-zA-Z]+\)|^\^|\$$", ""),
    (r"\(\?[:=]", "("),
    (r"\(([^()|]*)(\|[^()]*)?\)", r"\1"),
    (r"\\d", "0"),
    (r"\\[sS]", " "),
    (r"\\w", "a"),
    (r"\[([^]^\\-])[^]]*\]", r"\1"),
    (r"\.[*?]\??", ""),
    (r"(?<!\\)[*?+]\??", ""),
    (r"\\(.)", r"\1"),
)
"""Replacements, in this order, that turn a common pattern for titles into a title that matches it."""

_PRESS_EVENTS: dict[str, tuple[EventKind, int, int]] = {
    "note": ("note_on", 1, 100),
    "cc": ("cc", 1, 127),
    "button": ("button_down", 0, 1),
}
"""The event kind, channel and value of the event that presses a control of each class."""

AppNames = tuple[str, str, str]
ItemT = TypeVar("ItemT")


class GestureContext(NamedTuple):
    """The state of the engine in which a gesture is played: mode, app, time, variables and held controls."""

    mode: str
    app: AppNames = NO_APP
    clock: tuple[int, int] = (1, NOON_MINUTE)
    """The day of the week, 1 for Monday, and the minute of the day."""
    variables: tuple[tuple[str, Scalar], ...] = ()
    held: tuple[InputEvent, ...] = ()
    """The press events of controls that have been held since long before the gesture."""


class ContextSituation:
    """Presents a context as the `Situation` in which conditions are evaluated."""

    def __init__(self, context: GestureContext) -> None:
        self.mode = context.mode
        self.app = context.app
        self._context = context

    def get_wall_clock(self) -> tuple[int, int]:
        return self._context.clock

    def get_variable(self, name: str) -> Scalar | None:
        return dict(self._context.variables).get(name)

    def is_held(self, control_class: str, number: int | str, device: str | None) -> bool:
        return any(
            (CONTROL_CLASS[event.kind], event.number) == (control_class, number)
            and device in (None, event.device)
            for event in self._context.held
        )


def build_engine_state(table: MappingTable, context: GestureContext) -> EngineState:
    """Return a new engine state for a context. Gestures must start at `GESTURE_START_S` or later."""
    state = EngineState(table, lambda _now: context.clock)
    if context.app != NO_APP:
        feed_event(state, InputEvent("app", "", 0, 0, 0, 0.0, context.app))
    if context.mode in table.modes and state.mode != context.mode:
        switch_mode(state, context.mode, 0.0)
    state.variables.update(context.variables)
    for event in context.held:
        feed_event(state, event)
    return state


def list_conditions(mappings: Iterable[Mapping]) -> list[Condition]:
    """Return the simple conditions in the triggers and actions of mappings; And, Or and Not are taken apart."""
    found: dict[Condition, None] = {}
    for mapping in mappings:
        wholes = list(mapping.trigger.when)
        wholes += [
            action.condition
            for action in action_parts(mapping.action)
            if action.type == "Conditional"
        ]
        for whole in wholes:
            for part in condition_parts(whole):
                if part.type not in ("And", "Or", "Not", "Always", "Never"):
                    found[part] = None
    return list(found)


def build_contexts(
    configs: Sequence[Config],
    scopes: Iterable[str],
    conditions: Sequence[Condition],
    touched: Iterable[tuple[str, int | str]] = (),
) -> tuple[tuple[GestureContext, ...], tuple[str, ...]]:
    """Return one context for each combination of condition values, and descriptions of omitted combinations.

    Controls in `touched` (class and number) are not held, because the gestures themselves press them.
    """
    concerned = set(scopes)
    own = set(touched)
    held_conditions = [
        condition
        for condition in conditions
        if isinstance(condition, ControlHeld) and condition.get_control() not in own
    ]
    apps, missing = _list_distinct_apps(configs, concerned, conditions)
    variables, all_variables = _build_variable_combinations(conditions)
    held, all_held = _build_held_combinations(held_conditions)
    dimensions = (
        _list_distinct_modes(configs, concerned, conditions),
        apps,
        _list_distinct_clocks(conditions),
        variables,
        held,
    )
    combinations = (GestureContext(*choice) for choice in product(*dimensions))
    contexts = tuple(islice(combinations, MAX_CONTEXTS))
    total = all_variables * all_held
    for dimension in dimensions[:3]:
        total *= len(dimension)
    if total > len(contexts):
        missing = (*missing, f"{total - len(contexts)} of {total} combinations of conditions")
    return contexts, missing


def _deduplicate_by_key(items: Iterable[ItemT], key: Callable[[ItemT], Hashable]) -> list[ItemT]:
    """Return the first item for each key, in the original order."""
    found: dict[Hashable, ItemT] = {}
    for item in items:
        found.setdefault(key(item), item)
    return list(found.values())


def _list_distinct_modes(
    configs: Sequence[Config], scopes: set[str], conditions: Sequence[Condition]
) -> list[str]:
    modes_in_conditions = {
        condition.mode for condition in conditions if isinstance(condition, ModeIs)
    }
    names = dict.fromkeys(
        [
            *(config.get_start_mode() for config in configs),
            *(mode.name for config in configs for mode in config.modes),
        ]
    )

    def get_distinct_mode(name: str) -> Hashable:
        return name if name in modes_in_conditions or format_mode_scope(name) in scopes else None

    return _deduplicate_by_key(names, get_distinct_mode)


def _list_distinct_apps(
    configs: Sequence[Config], scopes: set[str], conditions: Sequence[Condition]
) -> tuple[list[AppNames], tuple[str, ...]]:
    """Return one app for each distinction that profiles and conditions make, and the
    profiles without such an app.
    """
    app_conditions = [condition for condition in conditions if isinstance(condition, AppFrontmost)]
    profiles = [
        profile
        for config in configs
        for profile in config.profiles
        if profile.enabled and format_profile_scope(profile.name) in scopes
    ]
    bases: list[AppNames] = [NO_APP]
    missing: list[str] = []
    for profile in profiles:
        sample = _build_sample_app(profile)
        if sample is None:
            missing.append(f"the app of profile {profile.name}")
        else:
            bases.append(sample)
    titles = [
        "",
        *(condition.app for condition in app_conditions),
        " ".join(condition.app for condition in app_conditions),
    ]
    candidates = [
        (executable, bundle_id, f"{title} {extra}".strip())
        for extra in titles
        for executable, bundle_id, title in bases
    ]

    def evaluate_app_conditions(app: AppNames) -> Hashable:
        facts = ContextSituation(GestureContext("", app))
        active = tuple(
            next((p.name for p in config.profiles if p.enabled and p.match.matches_app(app)), None)
            for config in configs
        )
        return tuple(
            condition.is_met(facts) for condition in app_conditions
        ), active if profiles else None

    return _deduplicate_by_key(candidates, evaluate_app_conditions), tuple(missing)


def _build_sample_app(profile: Profile) -> AppNames | None:
    """Return an app that a profile matches, or None if its title pattern is too
    complex to build a title from.
    """
    match = profile.match
    base = (match.executable or "", match.bundle_id or "")
    if match.title_regex is None:
        return (*base, "")
    plain = match.title_regex
    for pattern, replacement in _REGEX_SIMPLIFICATIONS:
        plain = re.sub(pattern, replacement, plain)
    for title in (match.title_regex, plain, plain.split("|")[0]):
        app = (*base, title)
        if match.matches_app(app):
            return app
    return None


def _list_distinct_clocks(conditions: Sequence[Condition]) -> list[tuple[int, int]]:
    time_conditions = [
        condition for condition in conditions if isinstance(condition, TimeRange | DayOfWeek)
    ]
    minutes = {NOON_MINUTE: None}
    for condition in time_conditions:
        if isinstance(condition, TimeRange):
            start, end = (int(t[:2]) * 60 + int(t[3:]) for t in (condition.start, condition.end))
            for minute in (start, start - 1, end, end + 1):
                minutes[minute % 1440] = None
    clocks = [(day, minute) for minute in minutes for day in range(1, 8)]

    def evaluate_time_conditions(clock: tuple[int, int]) -> Hashable:
        facts = ContextSituation(GestureContext("", clock=clock))
        return tuple(condition.is_met(facts) for condition in time_conditions)

    return _deduplicate_by_key(clocks, evaluate_time_conditions)


def _build_variable_combinations(
    conditions: Sequence[Condition],
) -> tuple[list[tuple[tuple[str, Scalar], ...]], int]:
    """Return the first combinations of values that variables can have, and the number of all combinations."""
    tests_by_name: dict[str, list[VariableIs]] = {}
    for condition in conditions:
        if isinstance(condition, VariableIs):
            tests_by_name.setdefault(condition.name, []).append(condition)
    choices = [_list_variable_values(name, tests) for name, tests in tests_by_name.items()]
    first = [
        tuple((n, v) for n, v in zip(tests_by_name, choice, strict=True) if v is not None)
        for choice in islice(product(*choices), MAX_CONTEXTS)
    ]
    return first, prod(map(len, choices))


def _list_variable_values(name: str, tests: Sequence[VariableIs]) -> list[Scalar | None]:
    values: list[Scalar | None] = [None]
    for test in tests:
        value = test.value
        if isinstance(value, bool):
            values += [True, False, 2, -1]  # booleans are equal to the numbers 1 and 0
        elif isinstance(value, str):
            values += [value, value + "~", value[:-1]]
        else:
            values += [value, value - 1, value + 1, value + 0.5]

    def evaluate_comparisons(value: Scalar | None) -> Hashable:
        facts = ContextSituation(
            GestureContext("", variables=() if value is None else ((name, value),))
        )
        return tuple(test.is_met(facts) for test in tests)

    return _deduplicate_by_key(values, evaluate_comparisons)


def _build_held_combinations(
    conditions: Sequence[ControlHeld],
) -> tuple[list[tuple[InputEvent, ...]], int]:
    """Return the first combinations of held controls that conditions distinguish, and the
    number of all combinations.
    """
    presses: dict[tuple[str, int | str, str], InputEvent] = {}
    for condition in conditions:
        control_class, number = condition.get_control()
        device = condition.device or "virtual"
        kind, channel, value = _PRESS_EVENTS[control_class]
        press = InputEvent(kind, device, channel, number, value, 0.0)
        presses[control_class, number, device] = press
    choices = [((), (press,)) for press in presses.values()]
    combinations = [
        tuple(e for part in choice for e in part)
        for choice in islice(product(*choices), MAX_CONTEXTS)
    ]

    def evaluate_held_conditions(held: tuple[InputEvent, ...]) -> Hashable:
        facts = ContextSituation(GestureContext("", held=held))
        return tuple(condition.is_met(facts) for condition in conditions)

    distinct = _deduplicate_by_key(combinations, evaluate_held_conditions)
    is_whole = 2 ** len(choices) <= MAX_CONTEXTS
    return distinct, len(distinct) if is_whole else 2 ** len(choices)
