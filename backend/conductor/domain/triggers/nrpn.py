"""Nrpn: a 14-bit parameter changes (MIDI 1.0, registered and non-registered parameter numbers)."""

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


class NrpnTrigger(TriggerBase):
    """Fires on every value of an NRPN or RPN, or, with a range, when the value crosses into it."""

    gesture = "change"
    type: Literal["Nrpn"] = "Nrpn"
    parameter: int = Field(ge=0, le=16_383)
    """The parameter's number: 128 times the MSB plus the LSB."""
    registered: bool = False
    """True for an RPN."""
    value_min: int | None = Field(default=None, ge=0, le=16_383)
    """The lowest value that counts."""
    value_max: int | None = Field(default=None, ge=0, le=16_383)
    """The highest value that counts."""
    edge: Literal["any", "rising", "falling"] = "any"
    """The direction that counts."""

    @model_validator(mode="after")
    def _ordered(self) -> "NrpnTrigger":
        in_order(value_min=self.value_min, value_max=self.value_max)
        return self

    def can_be_held(self) -> bool:
        return can_leave(*limits(self.value_min, self.value_max, 16383), self.edge)

    def controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("rpn" if self.registered else "nrpn", self.parameter),)

    def judge(self, event: InputEvent, memory: Memory) -> Verdict:
        return crossing(event, memory, *limits(self.value_min, self.value_max, 16383), self.edge)
