"""Defines the OscMessage trigger, which fires on an OSC message."""

from typing import Literal

from pydantic import Field, model_validator

from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import (
    TriggerBase,
    TriggerMemory,
    TriggerVerdict,
    judge_range_crossing,
    require_ordered_pair,
)


class OscMessageTrigger(TriggerBase):
    """Fires on every message to an address, or when its first number enters a range."""

    gesture = "change"
    type: Literal["OscMessage"] = "OscMessage"
    address: str = Field(
        pattern=r"^/[!-~]*$",
        max_length=256,
        examples=["/1/fader1"],
        json_schema_extra={"format": "osc_address"},
    )
    """The complete OSC address."""
    value_min: float | None = None
    """The lowest number in the range."""
    value_max: float | None = None
    """The highest number in the range."""

    @model_validator(mode="after")
    def _require_ordered_limits(self) -> "OscMessageTrigger":
        require_ordered_pair(value_min=self.value_min, value_max=self.value_max)
        return self

    def can_be_held(self) -> bool:
        return self.value_min is not None or self.value_max is not None

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("osc", self.address),)

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        return judge_range_crossing(event, memory, self.value_min, self.value_max, "any")
