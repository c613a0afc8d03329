"""Curves: from 0 to 1, monotonic, and shaped as their names say."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from conductor.domain.curves import AnyCurve, Curve, Fixed, Linear, PassThrough

part = st.floats(0.0, 1.0)
level = st.integers(0, 127)
bent = st.builds(
    Curve,
    curve_type=st.sampled_from(["exponential", "logarithmic", "s_curve"]),
    intensity=st.floats(0.0, 1.0),
)
rising = st.one_of(bent, st.just(Linear()), st.just(PassThrough()))


def read(raw: Any) -> Any:
    return TypeAdapter(AnyCurve).validate_python(raw)


@given(rising, part, part)
def test_a_curve_never_goes_back_while_the_control_goes_on(curve: Curve, one: float, other: float):
    low, high = sorted((one, other))
    assert curve.apply_curve(low) <= curve.apply_curve(high) + 1e-12


@given(rising)
def test_a_curve_begins_at_0_and_ends_at_1(curve: Curve):
    assert curve.apply_curve(0.0) == pytest.approx(0.0, abs=1e-12)
    assert curve.apply_curve(1.0) == pytest.approx(1.0)


@given(rising, part)
def test_a_curve_stays_between_0_and_1(curve: Curve, x: float):
    assert -1e-12 <= curve.apply_curve(x) <= 1 + 1e-12


@given(st.floats(0.05, 1.0), st.floats(0.05, 0.95))
def test_logarithmic_lies_above_the_line_and_exponential_under_it(intensity: float, x: float):
    logarithmic = Curve(curve_type="logarithmic", intensity=intensity).apply_curve(x)
    exponential = Curve(curve_type="exponential", intensity=intensity).apply_curve(x)
    assert logarithmic > x > exponential


@given(st.floats(0.1, 1.0), st.floats(0.05, 0.45))
def test_an_s_curve_starts_slowly_and_ends_slowly(intensity: float, x: float):
    curve = Curve(curve_type="s_curve", intensity=intensity)
    assert curve.apply_curve(x) < x
    assert curve.apply_curve(1 - x) > 1 - x
    assert curve.apply_curve(0.5) == pytest.approx(0.5)


@given(part, st.sampled_from(["exponential", "logarithmic", "s_curve"]))
def test_no_intensity_is_a_straight_line(x: float, curve_type: Any):
    assert Curve(curve_type=curve_type, intensity=0).apply_curve(x) == pytest.approx(x)


@given(level, part)
def test_fixed_is_the_same_however_hard_the_strike(value: int, x: float):
    assert Fixed(value=value).apply_curve(x) == value / 127


@given(part)
def test_pass_through_changes_nothing(x: float):
    assert PassThrough().apply_curve(x) == x


@given(level, level, part)
def test_a_line_stays_between_its_ends(low: int, high: int, x: float):
    out = Linear(min=low, max=high).apply_curve(x) * 127
    assert min(low, high) - 1e-9 <= out <= max(low, high) + 1e-9


def test_a_line_from_high_to_low_turns_the_control_around():
    curve = Linear(min=127, max=0)
    assert (curve.apply_curve(0.0), curve.apply_curve(1.0)) == (1.0, 0.0)


def test_what_lies_outside_the_input_range_is_held_at_its_ends():
    curve = Linear(in_min=32, in_max=96)
    ends = [curve.apply_curve(value / 127) for value in (0, 32, 96, 127)]
    assert ends == pytest.approx([0.0, 0.0, 1.0, 1.0])


def test_an_input_range_written_backwards_is_refused_with_the_way_out():
    with pytest.raises(ValidationError, match="swap min and max"):
        Linear(in_min=96, in_max=32)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("PassThrough", {"type": "PassThrough"}),
        ({"type": "Fixed", "velocity": 90}, {"type": "Fixed", "value": 90}),
        (
            {"type": "Curve", "curve_type": "S-Curve"},
            {"type": "Curve", "curve_type": "s_curve"},
        ),
        (
            {"type": "Curve", "curve_type": "SCurve", "intensity": 0.5},
            {"type": "Curve", "curve_type": "s_curve"},
        ),
        ({"type": "Curve", "curve_type": "Exponential"}, {"type": "Curve"}),
    ],
)
def test_older_spellings_of_curves_are_read(raw: Any, plain: dict[str, Any]):
    assert read(raw).to_plain() == plain
