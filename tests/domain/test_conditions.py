"""Conditions: when each kind holds, and how it is parsed."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from conductor.domain.conditions import (
    Condition,
    Scalar,
    VariableIs,
    describe_condition,
    walk_conditions,
)


@dataclass
class Now:
    """A situation with fixed values."""

    mode: str = "Default"
    app: tuple[str, str, str] = ("", "", "")
    clock: tuple[int, int] = (1, 12 * 60)
    variables: dict[str, Scalar] = field(default_factory=dict[str, Scalar])
    held: set[tuple[str, int | str, str | None]] = field(
        default_factory=set[tuple[str, int | str, str | None]]
    )

    def get_wall_clock(self) -> tuple[int, int]:
        return self.clock

    def get_variable(self, name: str) -> Scalar | None:
        return self.variables.get(name)

    def is_held(self, control_class: str, number: int | str, device: str | None) -> bool:
        return (control_class, number, device) in self.held


def read(raw: Any) -> Condition:
    return TypeAdapter(Condition).validate_python(raw)


def at(clock_time: str) -> Now:
    return Now(clock=(1, int(clock_time[:2]) * 60 + int(clock_time[3:])))


@pytest.mark.parametrize(
    ("start", "end", "time", "expected"),
    [
        ("09:00", "17:00", "09:00", True),
        ("09:00", "17:00", "17:00", True),
        ("09:00", "17:00", "17:01", False),
        ("09:00", "17:00", "08:59", False),
        ("22:00", "06:30", "23:59", True),
        ("22:00", "06:30", "00:00", True),
        ("22:00", "06:30", "06:30", True),
        ("22:00", "06:30", "06:31", False),
        ("12:00", "12:00", "12:00", True),
        ("12:00", "12:00", "12:01", False),
    ],
)
def test_a_time_range_includes_both_ends_and_may_pass_midnight(
    start: str, end: str, time: str, expected: bool
):
    condition = read({"type": "TimeRange", "start": start, "end": end})
    assert condition.is_met(at(time)) == expected


@pytest.mark.parametrize("clock_time", ["24:00", "9:00", "12:60", "noon", ""])
def test_a_time_that_no_clock_shows_is_refused(clock_time: str):
    with pytest.raises(ValidationError):
        read({"type": "TimeRange", "start": clock_time, "end": "12:00"})


def test_days_count_from_monday():
    condition = read({"type": "DayOfWeek", "days": [6, 7]})
    assert [condition.is_met(Now(clock=(day, 0))) for day in range(1, 8)] == [False] * 5 + [
        True
    ] * 2


def test_the_mode_is_compared_by_its_name():
    assert read({"type": "ModeIs", "mode": "DJ"}).is_met(Now(mode="DJ"))
    assert not read({"type": "ModeIs", "mode": "DJ"}).is_met(Now(mode="Default"))


@pytest.mark.parametrize("app", ["Code", "com.microsoft.vscode", "main.py"])
def test_an_app_is_known_by_executable_bundle_id_or_part_of_its_title(app: str):
    front = ("code", "com.microsoft.VSCode", "main.py - project")
    assert read({"type": "AppFrontmost", "app": app}).is_met(Now(app=front))


def test_part_of_an_executable_is_another_app():
    assert not read({"type": "AppFrontmost", "app": "cod"}).is_met(Now(app=("code", "", "")))


def test_no_app_in_front_is_no_app():
    assert not read({"type": "AppFrontmost", "app": "code"}).is_met(Now())


@pytest.mark.parametrize(
    ("fields", "control"),
    [
        ({"note": 36}, ("note", 36)),
        ({"cc": 64}, ("cc", 64)),
        ({"button": "A"}, ("button", "south")),
    ],
)
def test_another_control_is_held(fields: dict[str, Any], control: tuple[str, int | str]):
    condition = read({"type": "ControlHeld", **fields})
    assert condition.is_met(Now(held={(*control, None)}))
    assert not condition.is_met(Now())


def test_a_control_may_have_to_be_held_on_one_device():
    condition = read({"type": "ControlHeld", "note": 36, "device": "pads"})
    assert condition.is_met(Now(held={("note", 36, "pads")}))
    assert not condition.is_met(Now(held={("note", 36, "keys")}))


@pytest.mark.parametrize("fields", [{}, {"note": 1, "cc": 2}, {"note": 1, "button": "south"}])
def test_exactly_one_control_is_held(fields: dict[str, Any]):
    with pytest.raises(ValidationError, match="exactly one"):
        read({"type": "ControlHeld", **fields})


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("==", [False, True, False]),
        ("!=", [True, False, True]),
        ("<", [True, False, False]),
        ("<=", [True, True, False]),
        (">", [False, False, True]),
        (">=", [False, True, True]),
    ],
)
def test_a_variable_is_compared_by_its_operator(operator: str, expected: list[bool]):
    condition = read({"type": "VariableIs", "name": "n", "operator": operator, "value": 2})
    assert [condition.is_met(Now(variables={"n": value})) for value in (1, 2, 3)] == expected


@pytest.mark.parametrize(("value", "unset"), [(True, False), (3, 0), ("page", "")])
def test_a_variable_never_set_is_empty(value: Scalar, unset: Scalar):
    assert not read({"type": "VariableIs", "name": "n", "value": value}).is_met(Now())
    assert read({"type": "VariableIs", "name": "n", "value": unset}).is_met(Now())


def test_a_text_and_a_number_cannot_be_ordered():
    condition = VariableIs(name="n", operator="<", value=5)
    assert not condition.is_met(Now(variables={"n": "four"}))


def test_and_or_and_not_join_conditions():
    yes, no = {"type": "Always"}, {"type": "Never"}
    truth = [
        (kind, [first, second], read({"type": kind, "conditions": [first, second]}).is_met(Now()))
        for kind in ("And", "Or")
        for first in (yes, no)
        for second in (yes, no)
    ]
    assert [holds for kind, _, holds in truth if kind == "And"] == [True, False, False, False]
    assert [holds for kind, _, holds in truth if kind == "Or"] == [True, True, True, False]
    assert read({"type": "Not", "condition": no}).is_met(Now())


Tree = Any
"""The older form of a condition: a bare name, or `{ And = { conditions = [...] } }`."""


def joined(kind: str, parts: list[Tree]) -> Tree:
    return {kind: {"conditions": parts}}


def denied(part: Tree) -> Tree:
    return {"Not": {"condition": part}}


def larger(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    kinds = st.sampled_from(["And", "Or"])
    return st.builds(joined, kinds, st.lists(inner, min_size=1)) | st.builds(denied, inner)


leaves: st.SearchStrategy[Tree] = st.sampled_from(["Always", "Never"])
trees = st.recursive(leaves, larger, max_leaves=12)


def truth_of(tree: Any) -> bool:
    if isinstance(tree, str):
        return tree == "Always"
    [(kind, fields)] = tree.items()
    if kind == "Not":
        return not truth_of(fields["condition"])
    return (all if kind == "And" else any)(truth_of(part) for part in fields["conditions"])


@given(trees)
def test_any_tree_of_conditions_holds_as_logic_says(tree: Any):
    condition = read(tree)
    assert condition.is_met(Now()) == truth_of(tree)
    assert read(condition.to_plain()) == condition
    assert walk_conditions(condition)[0] == condition
    assert describe_condition(condition)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("Always", {"type": "Always"}),
        (
            {"TimeRange": {"start": "09:00", "end": "17:00", "inclusive": True}},
            {"type": "TimeRange", "start": "09:00", "end": "17:00"},
        ),
        ({"AppFrontmost": {"app_name": "Xcode"}}, {"type": "AppFrontmost", "app": "Xcode"}),
        ({"type": "App", "app_name": "Xcode"}, {"type": "AppFrontmost", "app": "Xcode"}),
        ({"type": "Mode", "mode": "DJ"}, {"type": "ModeIs", "mode": "DJ"}),
        ({"DayOfWeek": {"days": [1]}}, {"type": "DayOfWeek", "days": [1]}),
        ({"And": ["Always"]}, {"type": "And", "conditions": [{"type": "Always"}]}),
        ({"Not": "Always"}, {"type": "Not", "condition": {"type": "Always"}}),
        (
            {"Not": {"ModeIs": {"mode": "DJ"}}},
            {"type": "Not", "condition": {"type": "ModeIs", "mode": "DJ"}},
        ),
    ],
)
def test_older_forms_are_read_and_written_back_in_todays(raw: Any, plain: dict[str, Any]):
    assert read(raw).to_plain() == plain


@pytest.mark.parametrize("raw", [{}, {"type": "Sometimes"}, {"And": 1}, 5, None, {"type": "And"}])
def test_what_is_no_condition_is_refused(raw: Any):
    with pytest.raises(ValidationError):
        read(raw)
