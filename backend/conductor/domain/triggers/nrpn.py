"""Defines the Nrpn trigger, which fires on the 14-bit parameters of MIDI 1.0 (NRPN and RPN)."""

from typing import Literal

from pydantic import Field

from conductor.domain.events import ControlClass
from conductor.domain.triggers.value_range import CrossingEdge, RangeTrigger


class NrpnTrigger(RangeTrigger):
    """Fires on every value of an NRPN or RPN, or when it enters a range."""

    full = 16_383
    type: Literal["Nrpn"] = "Nrpn"
    parameter: int = Field(ge=0, le=16_383)
    """The number of the parameter: 128 times the MSB plus the LSB."""
    registered: bool = False
    """Whether the parameter is an RPN instead of an NRPN."""
    value_min: int | None = Field(default=None, ge=0, le=16_383)
    """The lowest value in the range."""
    value_max: int | None = Field(default=None, ge=0, le=16_383)
    """The highest value in the range."""
    edge: CrossingEdge = "any"
    """The direction of a crossing that fires."""

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("rpn" if self.registered else "nrpn", self.parameter),)
