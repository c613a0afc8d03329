"""Determines which conditions can never be true at the same time.

Mappings with such conditions never conflict.
"""

from collections.abc import Collection, Iterable

from conductor.domain.conditions import (
    Always,
    And,
    AppFrontmost,
    Condition,
    DayOfWeek,
    ModeIs,
    Never,
    Not,
    Or,
    Scalar,
    TimeRange,
    VariableIs,
)
from conductor.domain.scopes import format_mode_scope, parse_scope

_LOWER_LIMIT_OPERATORS, _UPPER_LIMIT_OPERATORS = (">", ">="), ("<", "<=")
_OPPOSITE_OPERATORS = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
MinuteRanges = tuple[tuple[int, int], ...]


_NO_CONDITIONS: frozenset[Condition] = frozenset()


def find_required_conditions(
    when: Collection[Condition], scope: str
) -> frozenset[Condition] | None:
    """Return the conditions of a mapping that its scope does not imply, or None if they can never all be true.

    The scope of a mapping is its mode or profile, or global.
    """
    if not when:  # a fast path, because most mappings have no conditions
        return _NO_CONDITIONS
    atoms: set[Condition] = set()
    for condition in _flatten_conditions(when):
        settled = _evaluate_in_scope(condition, scope)
        if settled is False:
            return None
        if settled is None:
            atoms.add(condition)
    found = frozenset(atoms)
    return None if are_mutually_exclusive(found, found) else found


def _flatten_conditions(when: Iterable[Condition]) -> Iterable[Condition]:
    for condition in when:
        if isinstance(condition, And):
            yield from _flatten_conditions(condition.conditions)
        else:
            yield condition


def _evaluate_in_scope(condition: Condition, scope: str) -> bool | None:
    """Return the value that a condition always has while a scope is active, or None if the value can change."""
    match condition:
        case Always():
            return True
        case Never():
            return False
        case ModeIs() if parse_scope(scope).kind == "mode":
            return format_mode_scope(condition.mode) == scope
        case Not():
            inner = _evaluate_in_scope(condition.condition, scope)
            return None if inner is None else not inner
        case _:
            return None


def are_mutually_exclusive(first: frozenset[Condition], second: frozenset[Condition]) -> bool:
    """Return whether two sets of conditions can never be met at the same time."""
    return any(_are_contradictory(a, b) for a in first for b in second)


def _are_contradictory(first: Condition, second: Condition) -> bool:  # noqa: C901 - one arm for each pair
    if type(first) is VariableIs and type(second) is VariableIs:
        return first.name == second.name and _are_variables_disjoint(first, second)
    match first, second:
        case (Or(), _):
            return all(_are_contradictory(each, second) for each in first.conditions)
        case (_, Or()):
            return all(_are_contradictory(first, each) for each in second.conditions)
        case (And(), _):
            return any(_are_contradictory(each, second) for each in first.conditions)
        case (_, And()):
            return any(_are_contradictory(first, each) for each in second.conditions)
        case (Not(), _) if first.condition == second:
            return True
        case (_, Not()) if first == second.condition:
            return True
        case (Not(condition=VariableIs() as inner), _):
            return _are_contradictory(_negate_condition(inner), second)
        case (_, Not(condition=VariableIs() as inner)):
            return _are_contradictory(first, _negate_condition(inner))
        case (ModeIs(), ModeIs()):
            return first.mode != second.mode
        case (AppFrontmost(), AppFrontmost()):
            a, b = first.app.casefold(), second.app.casefold()
            return a not in b and b not in a
        case (DayOfWeek(), DayOfWeek()):
            return not set(first.days) & set(second.days)
        case (TimeRange(), TimeRange()):
            return not any(
                a <= d and c <= b
                for a, b in _list_minute_ranges(first)
                for c, d in _list_minute_ranges(second)
            )
        case _:
            return False


def _negate_condition(condition: VariableIs) -> VariableIs:
    return condition.model_copy(update={"operator": _OPPOSITE_OPERATORS[condition.operator]})


def _are_variables_disjoint(first: VariableIs, second: VariableIs) -> bool:
    """Return whether no value of a variable meets both of two conditions on it."""
    if isinstance(first.value, str) != isinstance(second.value, str):
        return first.operator != "!=" and second.operator != "!="
    a, b = first.value, second.value
    if first.operator == "==":
        return not _is_satisfied(a, second)
    if second.operator == "==":
        return not _is_satisfied(b, first)
    if first.operator in _LOWER_LIMIT_OPERATORS and second.operator in _UPPER_LIMIT_OPERATORS:
        return _is_gap_between(a, b, strict=first.operator == ">" or second.operator == "<")
    if first.operator in _UPPER_LIMIT_OPERATORS and second.operator in _LOWER_LIMIT_OPERATORS:
        return _is_gap_between(b, a, strict=first.operator == "<" or second.operator == ">")
    return False


def _is_gap_between(lowest: Scalar, highest: Scalar, *, strict: bool) -> bool:
    """Return whether no number lies between two limits; with `strict`, the limits themselves do not count."""
    if lowest == highest:
        return strict
    if isinstance(lowest, str) or isinstance(highest, str):
        return str(lowest) > str(highest)
    return lowest > highest


def _is_satisfied(value: Scalar, condition: VariableIs) -> bool:
    wanted = condition.value
    if condition.operator in ("==", "!="):
        return (value == wanted) == (condition.operator == "==")
    if isinstance(value, str) or isinstance(wanted, str):
        order = (str(value) > str(wanted)) - (str(value) < str(wanted))
    else:
        order = (value > wanted) - (value < wanted)
    allowed = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (1, 0)}
    return order in allowed[condition.operator]


def _list_minute_ranges(condition: TimeRange) -> MinuteRanges:
    start, end = (int(t[:2]) * 60 + int(t[3:]) for t in (condition.start, condition.end))
    return ((start, end),) if start <= end else ((start, 1439), (0, end))
