"""How a control's value becomes an action's value: velocity curves, with ranges.

Curves work on 0.0 to 1.0; their ranges are written 0-127, as players think of them.
"""

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from typing_extensions import TypeAliasType

from conductor.domain.value import Value

Level = Annotated[int, Field(ge=0, le=127)]


class Fixed(Value):
    """Always the same value, however hard the pad is hit."""

    type: Literal["Fixed"] = "Fixed"
    value: Level = 100
    """The value, 0-127."""

    def apply(self, x: float) -> float:
        return self.value / 127


class PassThrough(Value):
    """The control's value, unchanged."""

    type: Literal["PassThrough"] = "PassThrough"

    def apply(self, x: float) -> float:
        return x


class _Ranged(Value):
    in_min: Level = 0
    """At or below this the output is `min`."""
    in_max: Level = 127
    """At or above this the output is `max`."""
    min: Level = 0
    """The lowest output."""
    max: Level = 127
    """`max` under `min` turns the control around."""

    @model_validator(mode="after")
    def _ordered(self) -> "_Ranged":
        if self.in_min > self.in_max:
            raise ValueError("in_min is over in_max; to turn the control around, swap min and max")
        return self

    def apply(self, x: float) -> float:
        span = max(1, self.in_max - self.in_min)
        inside = min(1.0, max(0.0, (x * 127 - self.in_min) / span))
        return (self.min + self.shape(inside) * (self.max - self.min)) / 127

    def shape(self, x: float) -> float:
        raise NotImplementedError


class Linear(_Ranged):
    """A straight line from `min` to `max`."""

    type: Literal["Linear"] = "Linear"

    def shape(self, x: float) -> float:
        return x


class Curve(_Ranged):
    """A bent line: exponential starts slowly, logarithmic starts fast, s_curve does both."""

    type: Literal["Curve"] = "Curve"
    curve_type: Literal["exponential", "logarithmic", "s_curve"] = "exponential"
    """The shape of the bend."""
    intensity: float = Field(default=0.5, ge=0.0, le=1.0)
    """0 is a straight line."""

    def shape(self, x: float) -> float:
        if self.intensity < 0.01:
            return x
        k = 6.0 * self.intensity
        if self.curve_type == "exponential":
            return math.expm1(k * x) / math.expm1(k)
        if self.curve_type == "logarithmic":
            return math.log1p(math.expm1(k) * x) / k
        return (_logistic(2 * k * (x - 0.5)) - _logistic(-k)) / (_logistic(k) - _logistic(-k))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _canonical(raw: Any) -> Any:
    """Read a bare name, `velocity` for `value`, and any case of `curve_type`."""
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
        BeforeValidator(_canonical),
    ],
)


class FromControl(Value):
    """A value taken from the control that fired, at the moment it fires."""

    source: Literal["value", "steps"] = Field(alias="from")
    """`value`: its position or strength. `steps`: how far an encoder turned, signed."""
    curve: AnyCurve = Field(default=PassThrough(), json_schema_extra={"format": "curve"})
    """Applied to `value` only."""


class ScaledFromControl(FromControl):
    """A value taken from the control for a program that is not MIDI, on a range of its own."""

    min: float = Field(default=0, allow_inf_nan=False)
    """What the lowest position gives; `min` over `max` turns the control around."""
    max: float = Field(default=127, allow_inf_nan=False)
    """What the highest position gives."""
    decimals: int | None = Field(default=None, ge=0, le=6)
    """Digits behind the point. Left out: none, or 3 where `min` and `max` are less than 2 apart."""

    def scaled(self, x: float) -> int | float:
        """Give the value for a position on 0.0 to 1.0."""
        value = self.min + self.curve.apply(x) * (self.max - self.min)
        decimals = self.decimals
        if decimals is None:
            decimals = 3 if abs(self.max - self.min) < 2 else 0
        return round(value, decimals) if decimals else round(value)
