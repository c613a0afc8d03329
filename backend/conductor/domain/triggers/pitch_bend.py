"""Defines the PitchBend trigger, which fires when the pitch wheel or strip moves."""

from typing import Literal

from pydantic import Field, model_validator

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import (
    TriggerBase,
    TriggerMemory,
    TriggerVerdict,
    can_leave_range,
    get_effective_limits,
    judge_range_crossing,
    require_ordered_pair,
)

PITCH_BEND_CENTRE = 8192


class PitchBendTrigger(TriggerBase):
    """Fires on every move, or when the bend enters a range."""

    gesture = "change"
    type: Literal["PitchBend"] = "PitchBend"
    value_min: int | None = Field(default=None, ge=0, le=16_383)
    """The lowest bend in the range: 0 is full down, 8192 the centre, 16383 full up."""
    value_max: int | None = Field(default=None, ge=0, le=16_383)
    """The highest bend in the range."""
    dead_zone: int = Field(default=0, ge=0, le=8_191)
    """Values this close to the centre count as the centre."""

    @model_validator(mode="after")
    def _require_ordered_limits(self) -> "PitchBendTrigger":
        require_ordered_pair(value_min=self.value_min, value_max=self.value_max)
        return self

    def can_be_held(self) -> bool:
        return can_leave_range(*get_effective_limits(self.value_min, self.value_max, 16383), "any")

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("pitch_bend", 0),)

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        previous = memory.previous
        if abs(event.value - PITCH_BEND_CENTRE) <= self.dead_zone:
            event = event._replace(value=PITCH_BEND_CENTRE)
        if self.value_min is None and self.value_max is None and event.value == previous:
            return TriggerVerdict(False, (reasons.VALUE_UNCHANGED, event.value))
        return judge_range_crossing(
            event, memory, *get_effective_limits(self.value_min, self.value_max, 16383), "any"
        )
