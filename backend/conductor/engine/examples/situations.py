"""Selects the situations (times of the week and foreground apps) in which an example is played.

An example without a time may pass at many times of the week. The times at which it passed are stored as
spans, and later the example is played once in each part of the week that conditions distinguish.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from conductor.domain.conditions import AppFrontmost, Condition, DayOfWeek, TimeRange
from conductor.domain.config import Config, Mapping
from conductor.domain.examples import AppInFront, Example, TimeSpan
from conductor.domain.scopes import parse_scope
from conductor.engine.gestures.contexts import (
    NO_APP,
    NOON_MINUTE,
    AppNames,
    build_contexts,
    list_conditions,
)

ALL_WEEKDAYS = (1, 2, 3, 4, 5, 6, 7)
MINUTES_PER_DAY = 1440
WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PlayedControls = set[tuple[str, int | str]]


class ExampleSituation(NamedTuple):
    """The foreground app and the local time while an example is played."""

    app: AppNames = NO_APP
    clock: tuple[int, int] = (1, NOON_MINUTE)
    label: str = ""
    """A phrase for reports, such as `on Monday at 08:00`; empty for the default situation."""


class ListenerIndex:
    """Finds the mappings on a control; built once for a config and used for all of its examples."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._rows: dict[tuple[str, int | str], list[tuple[str, Mapping]]] = {}
        for scope, _, mapping in config.list_all_mappings():
            for control in mapping.trigger.list_controls():
                self._rows.setdefault(control, []).append((scope, mapping))

    def find_listeners(self, played: PlayedControls) -> list[tuple[str, Mapping]]:
        """Return the mappings that listen to any of these controls, each with its scope."""
        any_number: PlayedControls = {(control_class, "*") for control_class, _ in played}
        controls = sorted(played | any_number, key=str)
        return [row for control in controls for row in self._rows.get(control, ())]


class SituationFinder:
    """Finds the apps and times that make a difference to the mappings on the played controls."""

    def __init__(self, listeners: ListenerIndex, played: PlayedControls) -> None:
        rows = listeners.find_listeners(played)
        conditions = list_conditions(mapping for _, mapping in rows)
        self._config = listeners.config
        self._scopes = {scope for scope, _ in rows if parse_scope(scope).kind == "profile"}
        self._app_conditions = [
            condition for condition in conditions if isinstance(condition, AppFrontmost)
        ]
        self._parts = _split_week(conditions)

    def list_apps(self) -> list[AppNames]:
        """Return one app for each distinction that profiles and conditions make; no
        app at all is not included.
        """
        if not self._scopes and not self._app_conditions:
            return []
        contexts, _ = build_contexts((self._config,), self._scopes, self._app_conditions)
        return [app for app in dict.fromkeys(context.app for context in contexts) if app != NO_APP]

    def list_time_spans(self) -> list[TimeSpan]:
        """Return the parts of the week in which all time conditions stay the same."""
        return self._parts

    def list_sample_clocks(self, within: Iterable[TimeSpan]) -> list[tuple[int, int]]:
        """Return one time in each part of the week that overlaps the given spans."""
        found: dict[tuple[int, int], None] = {}
        for span in within:
            for part in self._parts:
                days = [day for day in part.days if day in span.days]
                first, last = max(span.first, part.first), min(span.last, part.last)
                if days and first <= last:
                    found[_choose_sample_clock(days, first, last)] = None
        return list(found)


def select_situations(example: Example, finder: SituationFinder) -> list[ExampleSituation]:
    """Return the situations in which an example must pass; the first is the default."""
    clock = (
        (1, NOON_MINUTE) if example.clock is None else (example.clock.weekday, example.clock.minute)
    )
    app = NO_APP if example.app is None else example.app.get_app_names()
    if not example.pinned:
        return [ExampleSituation(app, clock)]
    clocks = finder.list_sample_clocks(example.times) if example.clock is None else []
    usual = clock if clock in clocks or not clocks else clocks[0]
    found = [ExampleSituation(app, usual)]
    found += [ExampleSituation(app, item, describe_clock(item)) for item in clocks if item != usual]
    if example.app is None:
        excluded = {item.get_app_names() for item in example.not_in_apps}
        found += [
            ExampleSituation(
                item, usual, f"with {_build_app_in_front(item).get_display_name()} in front"
            )
            for item in finder.list_apps()
            if item not in excluded
        ]
    return found


def pin_situations(
    example: Example, finder: SituationFinder, holds: Callable[[ExampleSituation], bool]
) -> Example:
    """Return an example with the times of the week at which it passes and the apps with which it fails."""
    fields: dict[str, object] = {}
    usual = select_situations(example.model_copy(update={"pinned": False}), finder)[0]
    if example.clock is None:
        fields["times"] = _merge_time_spans(
            [
                span
                for span in finder.list_time_spans()
                if holds(
                    usual._replace(clock=_choose_sample_clock(span.days, span.first, span.last))
                )
            ]
        )
    if example.app is None:
        fields["not_in_apps"] = tuple(
            _build_app_in_front(app)
            for app in finder.list_apps()
            if not holds(usual._replace(app=app))
        )
    return example.model_copy(update=fields)


def describe_clock(clock: tuple[int, int]) -> str:
    """Return a time of the week as text, such as `on Monday at 08:00`."""
    day, minute = clock
    return f"on {WEEKDAY_NAMES[day - 1]} at {minute // 60:02}:{minute % 60:02}"


def _split_week(conditions: Sequence[Condition]) -> list[TimeSpan]:
    cuts = {0, MINUTES_PER_DAY}
    for condition in conditions:
        if isinstance(condition, TimeRange):
            start, end = (
                int(text[:2]) * 60 + int(text[3:]) for text in (condition.start, condition.end)
            )
            cuts |= {start, end + 1}
    by_day = any(isinstance(condition, DayOfWeek) for condition in conditions)
    days = [(day,) for day in ALL_WEEKDAYS] if by_day else [ALL_WEEKDAYS]
    ordered = sorted(cuts)
    return [
        TimeSpan(days=group, first=first, last=after - 1)
        for group in days
        for first, after in pairwise(ordered)
    ]


def _choose_sample_clock(days: Sequence[int], first: int, last: int) -> tuple[int, int]:
    """Return a time in a part of the week: Monday at noon if possible."""
    return (1 if 1 in days else days[0], NOON_MINUTE if first <= NOON_MINUTE <= last else first)


def _merge_time_spans(spans: Sequence[TimeSpan]) -> tuple[TimeSpan, ...]:
    """Merge adjacent time spans of the same days, then equal time spans of different days."""
    by_days: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for span in spans:
        rows = by_days.setdefault(span.days, [])
        if rows and rows[-1][1] + 1 == span.first:
            rows[-1] = (rows[-1][0], span.last)
        else:
            rows.append((span.first, span.last))
    days_of: dict[tuple[int, int], tuple[int, ...]] = {}
    for days, rows in by_days.items():
        for row in rows:
            days_of[row] = (*days_of.get(row, ()), *days)
    return tuple(TimeSpan(days=d, first=a, last=b) for (a, b), d in days_of.items())


def _build_app_in_front(app: AppNames) -> AppInFront:
    executable, bundle_id, title = app
    return AppInFront(executable=executable, bundle_id=bundle_id, title=title)
