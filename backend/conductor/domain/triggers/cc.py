"""Defines the CC trigger, which fires when a knob, fader, pedal or button sends a control change."""

from typing import Literal

from pydantic import Field

from conductor.domain.events import ControlClass
from conductor.domain.triggers.value_range import CrossingEdge, RangeTrigger


class CCTrigger(RangeTrigger):
    """Fires on every value, or when it enters a range."""

    full = 127
    type: Literal["CC"] = "CC"
    cc: int = Field(ge=0, le=127, json_schema_extra={"format": "cc"})
    """The number of the controller."""
    value_min: int | None = Field(default=None, ge=0, le=127)
    """The lowest value in the range."""
    value_max: int | None = Field(default=None, ge=0, le=127)
    """The highest value in the range."""
    edge: CrossingEdge = "any"
    """The direction of a crossing that fires."""

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("cc", self.cc),)
