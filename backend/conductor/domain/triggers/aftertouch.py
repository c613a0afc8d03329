"""Defines the Aftertouch trigger, which fires when a pad or key is pressed harder after the strike."""

from typing import Literal

from pydantic import Field, model_validator

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import (
    TriggerBase,
    TriggerMemory,
    TriggerVerdict,
    get_effective_limits,
    require_ordered_pair,
)


class AftertouchTrigger(TriggerBase):
    """Fires when the pressure enters the range; it must leave by `hysteresis`."""

    gesture = "change"
    type: Literal["Aftertouch"] = "Aftertouch"
    note: int | None = Field(default=None, ge=0, le=127, json_schema_extra={"format": "note"})
    """Polyphonic pressure of this note. Left out: channel pressure, and that of any note."""
    pressure_min: int | None = Field(default=None, ge=0, le=127)
    """The lowest pressure in the range."""
    pressure_max: int | None = Field(default=None, ge=0, le=127)
    """The highest pressure in the range."""
    hysteresis: int = Field(default=4, ge=0, le=64)
    """How far the pressure must leave the range before it can fire again."""

    @model_validator(mode="after")
    def _require_ordered_limits(self) -> "AftertouchTrigger":
        require_ordered_pair(pressure_min=self.pressure_min, pressure_max=self.pressure_max)
        return self

    def can_be_held(self) -> bool:
        return get_effective_limits(self.pressure_min, self.pressure_max, 127) != (None, None)

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        if self.note is not None:
            return (("poly_pressure", self.note),)
        return (("channel_pressure", 0), ("poly_pressure", "*"))

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        low, high = self.pressure_min or 0, 127 if self.pressure_max is None else self.pressure_max
        if not self.can_be_held():
            return TriggerVerdict(True, ("any pressure fires: {}", event.value))
        slack = self.hysteresis if memory.active else 0
        # Whatever the hysteresis is, 0 and 127 count as outside of the range if the range excludes them.
        inside = max(low - slack, min(low, 1)) <= event.value <= min(high + slack, max(high, 126))
        was_active, memory.active = memory.active, inside
        if inside and not was_active:
            return TriggerVerdict(True, ("pressure {} entered {}-{}", event.value, low, high))
        if inside:
            return TriggerVerdict(
                False, (reasons.PRESSURE_STAYS_INSIDE, event.value, low, high, slack)
            )
        return TriggerVerdict(False, (reasons.PRESSURE_OUTSIDE, event.value, low, high), was_active)
