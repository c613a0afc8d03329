"""Two conditions on a variable exclude each other exactly if no value meets both."""

import itertools
import operator
from collections.abc import Callable

import pytest

from conductor.domain.conditions import VariableIs
from conductor.domain.conflicts.conditions import are_mutually_exclusive

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS = (-1.0, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4.0)
"""The limits of the conditions, and a number in each gap between them."""


def condition(name: str, comparison: str, value: int) -> frozenset[VariableIs]:
    fields = {"type": "VariableIs", "name": name, "operator": comparison, "value": value}
    return frozenset([VariableIs.model_validate(fields)])


@pytest.mark.parametrize("first", COMPARISONS)
@pytest.mark.parametrize("second", COMPARISONS)
def test_limits_on_a_number_exclude_each_other_if_no_number_meets_both(first: str, second: str):
    for low, high in itertools.product((1, 2, 3), repeat=2):
        has_common = any(
            COMPARISONS[first](number, low) and COMPARISONS[second](number, high)
            for number in NUMBERS
        )
        some, other = condition("x", first, low), condition("x", second, high)
        assert are_mutually_exclusive(some, other) == (not has_common), (low, high)
        assert not are_mutually_exclusive(some, condition("y", second, high))
