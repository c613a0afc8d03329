"""Defines curves and ranges, which convert the value of a control to a value for an action.

Curves work on values from 0.0 to 1.0. The ranges of a curve are written as 0 to 127, as usual in MIDI.
"""

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from typing_extensions import TypeAliasType

from conductor.domain.value import Value

MidiLevel = Annotated[int, Field(ge=0, le=127)]


class Fixed(Value):
    """Always the same value."""

    type: Literal["Fixed"] = "Fixed"
    value: MidiLevel = 100
    """The value from 0 to 127."""

    def apply_curve(self, x: float) -> float:
        return self.value / 127


class PassThrough(Value):
    """The control's value, unchanged."""

    type: Literal["PassThrough"] = "PassThrough"

    def apply_curve(self, x: float) -> float:
        return x


class _RangedCurve(Value):
    in_min: MidiLevel = 0
    """The value at or below which the output is `min`."""
    in_max: MidiLevel = 127
    """The value at or above which the output is `max`."""
    min: MidiLevel = 0
    """The lowest value that the curve gives."""
    max: MidiLevel = 127
    """The highest value that the curve gives. If it is less than `min`, the control is inverted."""

    @model_validator(mode="after")
    def _require_ordered_limits(self) -> "_RangedCurve":
        if self.in_min > self.in_max:
            raise ValueError("in_min is over in_max; to invert the control, swap min and max")
        return self

    def apply_curve(self, x: float) -> float:
        span = max(1, self.in_max - self.in_min)
        inside = min(1.0, max(0.0, (x * 127 - self.in_min) / span))
        return (self.min + self.compute_shape(inside) * (self.max - self.min)) / 127

    def compute_shape(self, x: float) -> float:
        raise NotImplementedError


class Linear(_RangedCurve):
    """A straight line from `min` to `max`."""

    type: Literal["Linear"] = "Linear"

    def compute_shape(self, x: float) -> float:
        return x


class Curve(_RangedCurve):
    """Exponential starts slowly, logarithmic fast, s_curve is slow at both ends."""

    type: Literal["Curve"] = "Curve"
    curve_type: Literal["exponential", "logarithmic", "s_curve"] = "exponential"
    """The shape of the curve."""
    intensity: float = Field(default=0.5, ge=0.0, le=1.0)
    """How strongly the line is curved; 0 is a straight line."""

    def compute_shape(self, x: float) -> float:
        if self.intensity < 0.01:
            return x
        k = 6.0 * self.intensity
        if self.curve_type == "exponential":
            return math.expm1(k * x) / math.expm1(k)
        if self.curve_type == "logarithmic":
            return math.log1p(math.expm1(k) * x) / k
        return (_compute_logistic(2 * k * (x - 0.5)) - _compute_logistic(-k)) / (
            _compute_logistic(k) - _compute_logistic(-k)
        )


def _compute_logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _canonicalize_curve(raw: Any) -> Any:
    """Return raw curve data in its current form; accepts bare names, `velocity` for
    `value`, and types in any case.
    """
    if isinstance(raw, str):
        raw = {"type": raw}
    if not isinstance(raw, dict):
        return raw
    raw = dict(raw)
    if raw.get("type") == "Fixed" and "velocity" in raw:
        raw["value"] = raw.pop("velocity")
    if isinstance(raw.get("curve_type"), str):
        name = raw["curve_type"].lower().replace("-", "_")
        raw["curve_type"] = {"scurve": "s_curve"}.get(name, name)
    return raw


AnyCurve = TypeAliasType(
    "AnyCurve",
    Annotated[
        Fixed | PassThrough | Linear | Curve,
        Field(discriminator="type"),
        BeforeValidator(_canonicalize_curve),
    ],
)


class FromControl(Value):
    """The value of the control that fires, at that moment; works the same in every action."""

    source: Literal["value", "steps"] = Field(alias="from")
    """`value`: its position or velocity. `steps`: the signed steps of an encoder."""
    min: float | None = Field(default=None, ge=-1e9, le=1e9)
    """The result for the lowest position, in the unit of the field. Left out: the field's lowest value."""
    max: float | None = Field(default=None, ge=-1e9, le=1e9)
    """The result for the highest position. Left out: 127 for MIDI, variables, the mouse and tools, 100 for
    percent, 1.0 for OSC."""
    invert: bool = False
    """True: the lowest position gives `max`, and `steps` count backwards."""
    curve: AnyCurve = Field(default=PassThrough(), json_schema_extra={"format": "curve"})
    """The curve between the two ends. `steps` ignore curve, `min` and `max`."""
    decimals: int | None = Field(default=None, ge=0, le=6)
    """Digits after the decimal point, for OSC, variables and tools. Left out: none, or 3 if `min` and `max` are
    less than 2 apart; 4 for OSC."""

    def compute_number(
        self, x: float, steps: int, low: float = 0, high: float = 127, decimals: int | None = None
    ) -> int | float:
        """Return the value of the control as a number.

        It is computed from the control's position `x` (0.0 to 1.0) or the encoder's `steps`. `low`, `high`
        and `decimals` are the defaults of the field. With 0 decimals, the result is a whole number.
        """
        if self.source == "steps":
            return -steps if self.invert else steps
        low = low if self.min is None else self.min
        high = high if self.max is None else self.max
        value = low + self.curve.apply_curve(1 - x if self.invert else x) * (high - low)
        if decimals == 0:
            return round(value)
        decimals = decimals if self.decimals is None else self.decimals
        if decimals is None:
            decimals = 3 if abs(high - low) < 2 else 0
        return round(value, decimals) if decimals else round(value)
