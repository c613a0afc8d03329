"""Defines the VelocityRange trigger, which fires when a pad is struck with a velocity in a range."""

from typing import Any, Literal

from pydantic import Field, model_validator

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.reasons import Reason
from conductor.domain.triggers.base import TriggerBase, require_ordered_pair


class VelocityRangeTrigger(TriggerBase):
    """Fires on a strike with a velocity in the range; use several for velocity layers."""

    gesture = "tap"
    type: Literal["VelocityRange"] = "VelocityRange"
    note: int = Field(ge=0, le=127, json_schema_extra={"format": "note"})
    """The number of the note."""
    min_velocity: int = Field(default=1, ge=1, le=127)
    """The lowest velocity in the range."""
    max_velocity: int = Field(default=127, ge=1, le=127)
    """The highest velocity in the range."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        """Accept `soft_max` and `medium_max`, which are older names of the upper limit."""
        if isinstance(raw, dict) and ("soft_max" in raw or "medium_max" in raw):
            rest = {key: item for key, item in raw.items() if key not in ("soft_max", "medium_max")}
            limit = raw.get("soft_max", raw.get("medium_max"))
            return {"max_velocity": limit, **rest}
        return raw

    @model_validator(mode="after")
    def _require_ordered_limits(self) -> "VelocityRangeTrigger":
        require_ordered_pair(min_velocity=self.min_velocity, max_velocity=self.max_velocity)
        return self

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("note", self.note),)

    def check_press(self, event: InputEvent) -> Reason | None:
        if self.min_velocity <= event.value <= self.max_velocity:
            return None
        return (reasons.VELOCITY_OUTSIDE, event.value, self.min_velocity, self.max_velocity)
