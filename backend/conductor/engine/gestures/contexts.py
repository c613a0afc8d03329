"""The circumstances that can make a difference to mappings: mode, app, clock, variables, what is held.

Each condition is either true or false, so one context for each combination of truths stands for all.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice, product
from math import prod
from typing import NamedTuple, TypeVar

from conductor.domain.actions import parts_of as action_parts
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
from conductor.domain.conditions import parts_of as condition_parts
from conductor.domain.config import Config, Mapping, Profile
from conductor.domain.events import CONTROL_CLASS, EventKind, InputEvent
from conductor.engine.state import EngineState
from conductor.engine.step import feed, switch_mode
from conductor.engine.table import Table

CONTEXTS_AT_MOST = 128
"""Each variable or held control that matters doubles them: fourteen would take minutes."""
NOON = 720
SETTLED_S = 70.0
"""A long press takes 60 s at most: what is held from the start is decided when a gesture begins."""
NO_APP = ("", "", "")

_REGEX_PARTS = (
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
"""What to replace, in this order, to make a plain title of the patterns that people write."""

_PRESS: dict[str, tuple[EventKind, int, int]] = {
    "note": ("note_on", 1, 100),
    "cc": ("cc", 1, 127),
    "button": ("button_down", 0, 1),
}
"""Kind, channel and value of the event that holds a control of each class down."""

App = tuple[str, str, str]
Item = TypeVar("Item")


class Context(NamedTuple):
    """Circumstances that stay the same during a gesture."""

    mode: str
    app: App = NO_APP
    clock: tuple[int, int] = (1, NOON)
    """ISO weekday and minute of the day."""
    variables: tuple[tuple[str, Scalar], ...] = ()
    held: tuple[InputEvent, ...] = ()
    """Controls that are pressed long before the gesture."""


class Facts:
    """What a context is judged by."""

    def __init__(self, context: Context) -> None:
        self.mode = context.mode
        self.app = context.app
        self._context = context

    def wall_clock(self) -> tuple[int, int]:
        return self._context.clock

    def variable(self, name: str) -> Scalar | None:
        return dict(self._context.variables).get(name)

    def is_held(self, control_class: str, number: int | str, device: str | None) -> bool:
        return any(
            (CONTROL_CLASS[event.kind], event.number) == (control_class, number)
            and device in (None, event.device)
            for event in self._context.held
        )


def begin(table: Table, context: Context) -> EngineState:
    """Build an engine in these circumstances; gestures that follow begin at `SETTLED_S` or later."""
    state = EngineState(table, lambda _now: context.clock)
    if context.app != NO_APP:
        feed(state, InputEvent("app", "", 0, 0, 0, 0.0, context.app))
    if context.mode in table.modes and state.mode != context.mode:
        switch_mode(state, context.mode, 0.0)
    state.variables.update(context.variables)
    for event in context.held:
        feed(state, event)
    return state


def conditions_of(mappings: Iterable[Mapping]) -> list[Condition]:
    """Return each single condition that these mappings look at, in their triggers or their actions."""
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
) -> tuple[tuple[Context, ...], tuple[str, ...]]:
    """Build one context for each combination of truths, and name what none could be built for.

    A `ControlHeld` of a control that the gestures touch (`touched`: class and number) is left to them.
    """
    concerned = set(scopes)
    own = set(touched)
    held_conditions = [
        one for one in conditions if isinstance(one, ControlHeld) and one.control() not in own
    ]
    apps, missing = _apps(configs, concerned, conditions)
    variables, all_variables = _variables(conditions)
    held, all_held = _held(held_conditions)
    dimensions = (
        _modes(configs, concerned, conditions),
        apps,
        _clocks(conditions),
        variables,
        held,
    )
    every = (Context(*choice) for choice in product(*dimensions))
    kept = tuple(islice(every, CONTEXTS_AT_MOST))
    total = all_variables * all_held
    for dimension in dimensions[:3]:
        total *= len(dimension)
    if total > len(kept):
        missing = (*missing, f"{total - len(kept)} of {total} combinations of conditions")
    return kept, missing


def _distinct(items: Iterable[Item], key: Callable[[Item], Hashable]) -> list[Item]:
    """Return the first item of each key."""
    found: dict[Hashable, Item] = {}
    for item in items:
        found.setdefault(key(item), item)
    return list(found.values())


def _modes(
    configs: Sequence[Config], scopes: set[str], conditions: Sequence[Condition]
) -> list[str]:
    asked = {one.mode for one in conditions if isinstance(one, ModeIs)}
    names = dict.fromkeys(
        [
            *(config.start_mode() for config in configs),
            *(mode.name for config in configs for mode in config.modes),
        ]
    )

    def matters(name: str) -> Hashable:
        return name if name in asked or f"mode:{name}" in scopes else None

    return _distinct(names, matters)


def _apps(
    configs: Sequence[Config], scopes: set[str], conditions: Sequence[Condition]
) -> tuple[list[App], tuple[str, ...]]:
    """Return apps that tell the profiles and conditions apart, and the profiles without one."""
    asked = [one for one in conditions if isinstance(one, AppFrontmost)]
    profiles = [
        profile
        for config in configs
        for profile in config.profiles
        if profile.enabled and f"profile:{profile.name}" in scopes
    ]
    bases: list[App] = [NO_APP]
    missing: list[str] = []
    for profile in profiles:
        sample = _sample_app(profile)
        if sample is None:
            missing.append(f"the app of profile {profile.name}")
        else:
            bases.append(sample)
    titles = ["", *(one.app for one in asked), " ".join(one.app for one in asked)]
    candidates = [
        (executable, bundle_id, f"{title} {extra}".strip())
        for extra in titles
        for executable, bundle_id, title in bases
    ]

    def truth(app: App) -> Hashable:
        facts = Facts(Context("", app))
        active = tuple(
            next((p.name for p in config.profiles if p.enabled and p.match.fits(app)), None)
            for config in configs
        )
        return tuple(one.holds(facts) for one in asked), active if profiles else None

    return _distinct(candidates, truth), tuple(missing)


def _sample_app(profile: Profile) -> App | None:
    """Return an app that fits a profile, or None when its pattern is too intricate to guess one."""
    match = profile.match
    base = (match.executable or "", match.bundle_id or "")
    if match.title_regex is None:
        return (*base, "")
    plain = match.title_regex
    for pattern, replacement in _REGEX_PARTS:
        plain = re.sub(pattern, replacement, plain)
    for title in (match.title_regex, plain, plain.split("|")[0]):
        app = (*base, title)
        if match.fits(app):
            return app
    return None


def _clocks(conditions: Sequence[Condition]) -> list[tuple[int, int]]:
    asked = [one for one in conditions if isinstance(one, TimeRange | DayOfWeek)]
    minutes = {NOON: None}
    for one in asked:
        if isinstance(one, TimeRange):
            start, end = (int(t[:2]) * 60 + int(t[3:]) for t in (one.start, one.end))
            for minute in (start, start - 1, end, end + 1):
                minutes[minute % 1440] = None
    clocks = [(day, minute) for minute in minutes for day in range(1, 8)]

    def truth(clock: tuple[int, int]) -> Hashable:
        facts = Facts(Context("", clock=clock))
        return tuple(one.holds(facts) for one in asked)

    return _distinct(clocks, truth)


def _variables(
    conditions: Sequence[Condition],
) -> tuple[list[tuple[tuple[str, Scalar], ...]], int]:
    """Return the first combinations of values, and how many there are in all."""
    asked: dict[str, list[VariableIs]] = {}
    for one in conditions:
        if isinstance(one, VariableIs):
            asked.setdefault(one.name, []).append(one)
    choices = [_variable_values(name, tests) for name, tests in asked.items()]
    first = [
        tuple((n, v) for n, v in zip(asked, choice, strict=True) if v is not None)
        for choice in islice(product(*choices), CONTEXTS_AT_MOST)
    ]
    return first, prod(map(len, choices))


def _variable_values(name: str, tests: Sequence[VariableIs]) -> list[Scalar | None]:
    values: list[Scalar | None] = [None]
    for test in tests:
        value = test.value
        if isinstance(value, bool):
            values += [True, False, 2, -1]  # they compare with numbers as 1 and 0
        elif isinstance(value, str):
            values += [value, value + "~", value[:-1]]
        else:
            values += [value, value - 1, value + 1, value + 0.5]

    def truth(value: Scalar | None) -> Hashable:
        facts = Facts(Context("", variables=() if value is None else ((name, value),)))
        return tuple(test.holds(facts) for test in tests)

    return _distinct(values, truth)


def _held(conditions: Sequence[ControlHeld]) -> tuple[list[tuple[InputEvent, ...]], int]:
    """Return the first combinations of held controls that differ, and how many there may be in all."""
    presses: dict[tuple[str, int | str, str], InputEvent] = {}
    for one in conditions:
        control_class, number = one.control()
        device = one.device or "virtual"
        kind, channel, value = _PRESS[control_class]
        press = InputEvent(kind, device, channel, number, value, 0.0)
        presses[control_class, number, device] = press
    choices = [((), (press,)) for press in presses.values()]
    every = [
        tuple(e for part in choice for e in part)
        for choice in islice(product(*choices), CONTEXTS_AT_MOST)
    ]

    def truth(held: tuple[InputEvent, ...]) -> Hashable:
        facts = Facts(Context("", held=held))
        return tuple(one.holds(facts) for one in conditions)

    distinct = _distinct(every, truth)
    is_whole = 2 ** len(choices) <= CONTEXTS_AT_MOST
    return distinct, len(distinct) if is_whole else 2 ** len(choices)
