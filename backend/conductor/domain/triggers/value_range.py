"""Defines the base of the CC and Nrpn triggers, which have a range of values and a direction of crossing it."""

from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import model_validator

from conductor.domain.events import InputEvent
from conductor.domain.triggers.base import (
    TriggerBase,
    TriggerMemory,
    TriggerVerdict,
    can_leave_range,
    get_effective_limits,
    judge_range_crossing,
    require_ordered_pair,
)

CrossingEdge = Literal["any", "rising", "falling"]


class RangeTrigger(TriggerBase):
    """Fires on every value, or, with a range, when the value crosses into it."""

    gesture = "change"
    full: ClassVar[int]
    """The highest value that the control can send: 127 for a CC, 16383 for an NRPN or RPN."""
    if TYPE_CHECKING:  # each kind lists these fields after its own fields
        value_min: int | None
        value_max: int | None
        edge: CrossingEdge

    @model_validator(mode="after")
    def _require_ordered_limits(self) -> Self:
        require_ordered_pair(value_min=self.value_min, value_max=self.value_max)
        return self

    def can_be_held(self) -> bool:
        return can_leave_range(
            *get_effective_limits(self.value_min, self.value_max, self.full), self.edge
        )

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        low, high = self.value_min, self.value_max
        if low is not None or high is not None:
            low, high = get_effective_limits(low, high, self.full)
        return judge_range_crossing(event, memory, low, high, self.edge)
