"""Explains why a condition was not met, from the state at the time of the event.

The state is captured when the mapping is judged, because it changes later. The text is rendered only when an
explanation is displayed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from conductor.domain.conditions import (
    And,
    AppFrontmost,
    Condition,
    ControlHeld,
    DayOfWeek,
    ModeIs,
    Not,
    Or,
    Situation,
    TimeRange,
    VariableIs,
    describe_condition,
)

_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class ConditionFact(NamedTuple):
    """What the state was when a simple condition was evaluated, and whether the condition was met."""

    held: bool
    actual: Any


class UnmetCondition(NamedTuple):
    """A condition that was not met, with what the state was for each of its simple parts in order."""

    condition: Condition
    facts: tuple[ConditionFact, ...]

    def __str__(self) -> str:
        return describe_condition(self.condition)

    def describe_state(self) -> str:
        """Return a phrase that describes the state at the time of the event, such as `the mode was Default`."""
        return _join_parts(
            _find_failing_parts(self.condition, iter(self.facts), wanted=True)[1], " and "
        )

    def describe_remedy(self) -> str:
        """Return an instruction that makes the condition true, such as `switch to mode DJ`."""
        return _find_failing_parts(self.condition, iter(self.facts), wanted=True)[2]


def capture_unmet_condition(condition: Condition, now: Situation) -> UnmetCondition:
    """Return an unmet condition with the state that it was evaluated against."""
    return UnmetCondition(condition, tuple(_list_facts(condition, now)))


def _list_facts(condition: Condition, now: Situation) -> Iterator[ConditionFact]:
    match condition:
        case And() | Or():
            for part in condition.conditions:
                yield from _list_facts(part, now)
        case Not():
            yield from _list_facts(condition.condition, now)
        case _:
            yield ConditionFact(condition.is_met(now), _read_actual_state(condition, now))


def _read_actual_state(condition: Condition, now: Situation) -> Any:
    match condition:
        case ModeIs():
            return now.mode
        case AppFrontmost():
            return now.app
        case TimeRange() | DayOfWeek():
            return now.get_wall_clock()
        case VariableIs():
            return now.get_variable(condition.name)
        case _:
            return None


def _find_failing_parts(
    condition: Condition, facts: Iterator[ConditionFact], *, wanted: bool
) -> tuple[bool, list[str], str]:
    """Return whether a condition has the wanted value; if not, also what prevents it and how to change that.

    `facts` are the states of its simple parts, in order.
    """
    match condition:
        case Not():
            return _find_failing_parts(condition.condition, facts, wanted=not wanted)
        case And() | Or():
            parts = [
                _find_failing_parts(part, facts, wanted=wanted) for part in condition.conditions
            ]
            # for "not all of these", as for "any of these", one part is enough
            needs_all = isinstance(condition, And) == wanted
            fine = all(part[0] for part in parts) if needs_all else any(part[0] for part in parts)
            if fine:
                return True, [], ""
            bad = [part for part in parts if not part[0]]
            remedies = [part[2] for part in bad]
            return (
                False,
                [fact for part in bad for fact in part[1]],
                _join_parts(remedies, " and " if needs_all else " or "),
            )
        case _:
            fact = next(facts)
            if fact.held == wanted:
                return True, [], ""
            return (
                False,
                [_describe_fact(condition, fact)],
                _describe_remedy(condition, wanted=wanted),
            )


def _describe_fact(condition: Condition, fact: ConditionFact) -> str:
    match condition:
        case ModeIs():
            return f"the mode was {fact.actual}"
        case AppFrontmost():
            executable, bundle_id, title = fact.actual
            name = executable or bundle_id or title
            return f"the app in front was {name}" if name else "the app in front was not known"
        case TimeRange():
            minute = fact.actual[1]
            return f"it was {minute // 60:02}:{minute % 60:02}"
        case DayOfWeek():
            return f"it was {_DAY_NAMES[fact.actual[0] - 1]}"
        case ControlHeld():
            return f"{_describe_control(condition)} was {'held' if fact.held else 'not held'}"
        case VariableIs():
            value = "never set" if fact.actual is None else _format_scalar(fact.actual)
            return f"{condition.name} was {value}"
        case _:
            return f"`{condition.type}` {'always' if fact.held else 'never'} holds"


def _describe_remedy(condition: Condition, *, wanted: bool) -> str:
    match condition:
        case ModeIs():
            return f"switch to mode {condition.mode}" if wanted else f"leave mode {condition.mode}"
        case AppFrontmost():
            app = condition.app
            return (
                f"bring {app} to the front"
                if wanted
                else f"bring an app other than {app} to the front"
            )
        case TimeRange():
            span = f"{condition.start} and {condition.end}"
            return (
                f"play it between {span}"
                if wanted
                else f"play it outside of {condition.start}-{condition.end}"
            )
        case DayOfWeek():
            days = _join_parts([_DAY_NAMES[day - 1] for day in condition.days], " or ")
            return f"play it on {days}" if wanted else f"play it on a day other than {days}"
        case ControlHeld():
            control = _describe_control(condition)
            return f"hold {control} while you play it" if wanted else f"release {control} first"
        case VariableIs():
            test = f"{condition.name} {condition.operator} {_format_scalar(condition.value)}"
            return (
                f"set {condition.name} so that {test}"
                if wanted
                else f"set {condition.name} so that {test} is false"
            )
        case _:
            return f"take the condition `{condition.type}` out of the mapping"


def _describe_control(condition: ControlHeld) -> str:
    control_class, number = condition.get_control()
    where = f" of {condition.device}" if condition.device else ""
    return f"{control_class} {number}{where}"


def _format_scalar(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _join_parts(parts: list[str], separator: str) -> str:
    return separator.join(dict.fromkeys(parts))
