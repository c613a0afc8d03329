"""Value triggers: the decision and the reason for each value of a control."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from conductor.domain.events import InputEvent
from conductor.domain.reasons import render_reason
from conductor.domain.triggers import TRIGGER_KINDS, Trigger, TriggerBase
from conductor.domain.triggers.base import TriggerMemory, TriggerVerdict

SOURCES = {
    "CC": ("cc", 7),
    "Nrpn": ("nrpn", 300),
    "Aftertouch": ("channel_pressure", 0),
    "PitchBend": ("pitch_bend", 0),
    "OscMessage": ("osc", "/a"),
    "GamepadAnalogStick": ("axis", "left_x"),
    "GamepadTrigger": ("gamepad_trigger", "left"),
    "ProgramChange": ("program_change", 5),
}
NEEDED: dict[str, dict[str, Any]] = {
    "CC": {"cc": 7},
    "Nrpn": {"parameter": 300},
    "OscMessage": {"address": "/a"},
    "GamepadAnalogStick": {"axis": "left_x"},
    "GamepadTrigger": {"trigger": "left"},
    "ProgramChange": {"program": 5},
}
RANGED = [
    ("CC", "value_min", "value_max", 127),
    ("Nrpn", "value_min", "value_max", 16_383),
    ("PitchBend", "value_min", "value_max", 16_383),
    ("OscMessage", "value_min", "value_max", None),
    ("Aftertouch", "pressure_min", "pressure_max", 127),
]


def make(kind: str, **fields: Any) -> TriggerBase:
    raw = {"type": kind, **NEEDED.get(kind, {}), **fields}
    return cast("TriggerBase", TypeAdapter(Trigger).validate_python(raw))


def play(trigger: TriggerBase, values: list[Any]) -> list[TriggerVerdict]:
    """Judge these values of one control, one after another."""
    kind, number = SOURCES[TRIGGER_KINDS_BY_CLASS[type(trigger)]]
    memory = TriggerMemory()
    return [
        trigger.judge_event(InputEvent(cast("Any", kind), "d", 1, number, value, at / 10), memory)
        for at, value in enumerate(values)
    ]


TRIGGER_KINDS_BY_CLASS = {kind: name for name, kind in TRIGGER_KINDS.items()}


def fired(trigger: TriggerBase, values: list[Any]) -> list[Any]:
    verdicts = play(trigger, values)
    return [value for value, verdict in zip(values, verdicts, strict=True) if verdict.fires]


def test_without_a_range_every_value_fires():
    assert fired(make("CC"), [1, 2, 2, 0]) == [1, 2, 2, 0]


def test_a_range_fires_on_crossing_into_it_only():
    assert fired(make("CC", value_min=64), [0, 63, 64, 65, 127, 10, 80, 81]) == [64, 80]


def test_a_range_with_two_ends_fires_from_both_sides():
    trigger = make("CC", value_min=40, value_max=60)
    assert fired(trigger, [0, 50, 55, 70, 59, 45, 10]) == [50, 59]


def test_a_first_value_inside_the_range_fires():
    assert fired(make("CC", value_min=64), [100]) == [100]


@pytest.mark.parametrize(
    ("fields", "values", "expected"),
    [
        ({"value_min": 64, "edge": "rising"}, [0, 100, 0, 100], [100, 100]),
        ({"value_min": 64, "edge": "falling"}, [0, 100, 20, 30, 90, 10], [20, 10]),
        ({"value_max": 64, "edge": "falling"}, [127, 60, 50, 90, 64], [60, 64]),
        ({"value_max": 64, "edge": "rising"}, [0, 70, 80, 10, 65], [70, 65]),
        ({"value_min": 40, "value_max": 60, "edge": "rising"}, [0, 50, 70, 50], [50]),
        ({"value_min": 40, "value_max": 60, "edge": "falling"}, [0, 50, 70, 50], [50]),
        ({"edge": "rising"}, [50, 60, 55, 70, 70], [60, 70]),
        ({"edge": "falling"}, [50, 60, 55, 70, 10], [55, 10]),
    ],
)
def test_an_edge_lets_only_its_direction_count(
    fields: dict[str, Any], values: list[int], expected: list[int]
):
    assert fired(make("CC", **fields), values) == expected


def test_the_falling_edge_of_a_range_comes_from_above():
    trigger = make("CC", value_min=40, value_max=60, edge="falling")
    verdicts = play(trigger, [0, 50, 70, 55])
    assert [verdict.fires for verdict in verdicts] == [False, False, False, True]


@given(st.integers(1, 127), st.lists(st.integers(0, 127), max_size=60))
def test_a_threshold_fires_exactly_once_for_each_time_it_is_crossed(
    threshold: int, values: list[int]
):
    inside = [value >= threshold for value in values]
    crossings = sum(
        now and not before for before, now in zip([False, *inside], inside, strict=False)
    )
    assert len(fired(make("CC", value_min=threshold), values)) == crossings


@given(
    st.integers(0, 127),
    st.integers(0, 127),
    st.sampled_from(["any", "rising", "falling"]),
    st.lists(st.integers(0, 127), max_size=60),
)
def test_a_range_never_fires_twice_without_leaving_it(
    one: int, other: int, edge: str, values: list[int]
):
    low, high = max(1, min(one, other)), min(126, max(one, other))
    if low <= high:
        verdicts = play(make("CC", value_min=low, value_max=high, edge=edge), values)
        was_in = False
        for value, verdict in zip(values, verdicts, strict=True):
            assert not (verdict.fires and was_in)
            was_in = low <= value <= high


@given(st.integers(1, 127), st.lists(st.integers(0, 127), max_size=60))
def test_what_fired_is_released_when_the_value_leaves(threshold: int, values: list[int]):
    held = False
    for value, verdict in zip(values, play(make("CC", value_min=threshold), values), strict=True):
        held = (held or verdict.fires) and not verdict.releases
        assert held == (value >= threshold)


def test_a_limit_at_the_end_of_the_scale_is_no_limit():
    assert fired(make("CC", value_min=0, value_max=127), [3, 4]) == [3, 4]


@pytest.mark.parametrize(("kind", "low", "high", "_full"), RANGED)
def test_a_range_that_holds_no_value_is_refused(kind: str, low: str, high: str, _full: int | None):
    with pytest.raises(ValidationError, match=f"{low} is over {high}"):
        make(kind, **{low: 80, high: 20})


@pytest.mark.parametrize(("kind", "low", "high", "full"), RANGED)
def test_only_a_control_with_a_range_can_be_held(kind: str, low: str, high: str, full: int | None):
    assert not make(kind).can_be_held()
    assert make(kind, **{low: 20}).can_be_held()
    assert make(kind, **{high: 80}).can_be_held()
    if full is not None:
        assert not make(kind, **{low: 0, high: full}).can_be_held()


@pytest.mark.parametrize(
    ("fields", "held"),
    [
        ({"value_min": 64, "edge": "rising"}, True),
        ({"value_min": 64, "edge": "falling"}, False),
        ({"value_max": 64, "edge": "falling"}, True),
        ({"value_max": 64, "edge": "rising"}, False),
        ({"edge": "rising"}, False),
    ],
)
def test_an_edge_that_means_leaving_cannot_be_held(fields: dict[str, Any], held: bool):
    assert make("CC", **fields).can_be_held() == held


def test_aftertouch_must_leave_by_its_hysteresis_before_it_fires_again():
    trigger = make("Aftertouch", pressure_min=80, hysteresis=10)
    assert fired(trigger, [0, 79, 80, 75, 85, 70, 85, 69, 80]) == [80, 80]


@given(st.integers(1, 127), st.integers(0, 64))
def test_aftertouch_can_always_fire_again_after_the_pressure_ended(low: int, hysteresis: int):
    trigger = make("Aftertouch", pressure_min=low, hysteresis=hysteresis)
    assert fired(trigger, [127, 0, 127]) == [127, 127]


@given(st.integers(0, 126), st.integers(0, 64))
def test_aftertouch_under_a_limit_can_fire_again_after_full_pressure(high: int, hysteresis: int):
    trigger = make("Aftertouch", pressure_max=high, hysteresis=hysteresis)
    assert fired(trigger, [0, 127, 0]) == [0, 0]


def test_aftertouch_listens_to_one_note_or_to_all():
    assert make("Aftertouch", note=36).list_controls() == (("poly_pressure", 36),)
    assert make("Aftertouch").list_controls() == (("channel_pressure", 0), ("poly_pressure", "*"))


def test_pitch_bend_near_the_centre_is_the_centre():
    trigger = make("PitchBend", dead_zone=100)
    assert fired(trigger, [8192, 8200, 8092, 8293, 8292]) == [8192, 8293, 8292]


def test_pitch_bend_fires_when_it_enters_its_range():
    assert fired(make("PitchBend", value_min=12_000), [8192, 13_000, 16_383, 8192, 12_000]) == [
        13_000,
        12_000,
    ]


def test_an_osc_number_crosses_a_range_of_fractions():
    assert fired(make("OscMessage", value_min=0.5), [0.0, 0.5, 1.0, 0.2, 0.7]) == [0.5, 0.7]


def test_a_program_fires_each_time_it_is_selected():
    assert fired(make("ProgramChange"), [5, 5]) == [5, 5]


@pytest.mark.parametrize(("direction", "expected"), [("positive", [0.6]), ("negative", [-0.7])])
def test_a_stick_fires_in_its_direction_only(direction: str, expected: list[float]):
    trigger = make("GamepadAnalogStick", direction=direction)
    assert fired(trigger, [0.0, 0.3, 0.6, 0.9, 0.0, -0.4, -0.7, -1.0, 0.0]) == expected


def test_a_stick_in_any_direction_fires_for_each_push():
    trigger = make("GamepadAnalogStick")
    assert fired(trigger, [0.0, 0.6, 1.0, -0.8, -1.0, 0.0, 0.5]) == [0.6, -0.8, 0.5]


@given(
    st.floats(0.2, 1.0),
    st.lists(st.floats(0.0, 1.0, allow_nan=False), max_size=40),
    st.sampled_from([0.0, 0.5]),
)
def test_a_stick_on_its_way_back_never_fires_the_opposite_direction(
    push: float, path: list[float], threshold: float
):
    back = [push * step for step in sorted(path, reverse=True)]
    trigger = make("GamepadAnalogStick", direction="negative", threshold=threshold)
    assert fired(trigger, [push, *back, 0.0, 0.05, -0.05, 0.0]) == []


@given(st.lists(st.floats(-1.0, 1.0, allow_nan=False), max_size=60))
def test_a_stick_must_come_back_before_the_same_push_fires_again(values: list[float]):
    armed = True
    trigger = make("GamepadAnalogStick", direction="positive", threshold=0.5)
    for value, verdict in zip(values, play(trigger, values), strict=True):
        assert not (verdict.fires and not armed)
        assert verdict.fires == (armed and value >= 0.5)
        armed = not verdict.fires if value >= 0.5 and armed else armed or value < 0.4


def test_a_stick_that_trembles_at_its_threshold_fires_once():
    trigger = make("GamepadAnalogStick", direction="positive", threshold=0.5)
    assert fired(trigger, [0.5, 0.49, 0.51, 0.48, 0.52]) == [0.5]


def test_a_stick_lets_go_what_it_held_when_it_comes_back():
    trigger = make("GamepadAnalogStick", direction="positive", threshold=0.5)
    assert [verdict.releases for verdict in play(trigger, [0.8, 0.6, 0.1])] == [False, False, True]


def test_a_stick_threshold_inside_the_dead_zone_is_refused():
    with pytest.raises(ValidationError, match="outside the dead_zone"):
        make("GamepadAnalogStick", threshold=0.05)


def test_a_gamepad_trigger_fires_once_for_each_pull():
    trigger = make("GamepadTrigger", threshold=0.6, hysteresis=0.2)
    assert fired(trigger, [0.0, 0.5, 0.6, 0.9, 0.5, 0.7, 0.3, 0.65]) == [0.6, 0.65]


@given(st.floats(0.01, 1.0), st.floats(0.0, 1.0))
def test_a_gamepad_trigger_can_always_fire_again_after_its_release(
    threshold: float, hysteresis: float
):
    trigger = make("GamepadTrigger", threshold=threshold, hysteresis=hysteresis)
    assert fired(trigger, [1.0, 0.0, 1.0]) == [1.0, 1.0]


def test_a_gamepad_trigger_threshold_over_one_is_read_as_seven_bits():
    assert make("GamepadTrigger", threshold=64).to_plain()["threshold"] == 0.504


@given(
    st.sampled_from(sorted(set(SOURCES) - {"ProgramChange"})),
    st.lists(st.floats(-1, 1), max_size=9),
)
def test_every_verdict_has_a_reason_that_can_be_read(kind: str, values: list[float]):
    scale = {"Nrpn": 16_383, "PitchBend": 16_383, "CC": 127, "Aftertouch": 127}.get(kind, 1)
    for verdict in play(make(kind), [value * scale for value in values]):
        assert render_reason(verdict.reason)
        assert "{" not in render_reason(verdict.reason)


def test_every_kind_names_the_controls_it_listens_to():
    examples = {"LongPress": {"note": 3}, "DoubleTap": {"button": "a"}, "Sysex": {"pattern": "01"}}
    notes = {"note": 3, "notes": [1, 2], "cc": 4, "button": "south", "buttons": ["l1", "r1"]}
    for name, kind in TRIGGER_KINDS.items():
        fields = examples.get(name) or {k: v for k, v in notes.items() if k in kind.model_fields}
        if name == "Aftertouch":
            fields = {}
        assert make(name, **fields).list_controls()
