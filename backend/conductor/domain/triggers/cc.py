"""CC: a knob, fader, pedal or button sends a control change."""

from typing import Literal

from pydantic import Field, model_validator

from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import (
    Memory,
    TriggerBase,
    Verdict,
    can_leave,
    crossing,
    in_order,
    limits,
)


class CCTrigger(TriggerBase):
    """Fires on every value, or, with a range, when the value crosses into it."""

    gesture = "change"
    type: Literal["CC"] = "CC"
    cc: int = Field(ge=0, le=127, json_schema_extra={"format": "cc"})
    """The controller's number."""
    value_min: int | None = Field(default=None, ge=0, le=127)
    """The lowest value that counts."""
    value_max: int | None = Field(default=None, ge=0, le=127)
    """The highest value that counts."""
    edge: Literal["any", "rising", "falling"] = "any"
    """The direction that counts."""

    @model_validator(mode="after")
    def _ordered(self) -> "CCTrigger":
        in_order(value_min=self.value_min, value_max=self.value_max)
        return self

    def can_be_held(self) -> bool:
        return can_leave(*limits(self.value_min, self.value_max, 127), self.edge)

    def controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("cc", self.cc),)

    def judge(self, event: InputEvent, memory: Memory) -> Verdict:
        return crossing(event, memory, *limits(self.value_min, self.value_max, 127), self.edge)
