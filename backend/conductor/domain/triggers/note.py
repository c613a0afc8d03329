"""Defines the Note trigger, which fires when a pad or key is struck."""

from typing import Literal

from pydantic import Field

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.reasons import Reason
from conductor.domain.triggers.base import TriggerBase


class NoteTrigger(TriggerBase):
    """Fires when a note is struck."""

    gesture = "tap"
    type: Literal["Note"] = "Note"
    note: int = Field(ge=0, le=127, json_schema_extra={"format": "note"})
    """The number of the note; 60 is middle C."""
    velocity_min: int | None = Field(default=None, ge=1, le=127)
    """The lowest velocity that fires."""

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("note", self.note),)

    def check_press(self, event: InputEvent) -> Reason | None:
        if self.velocity_min is not None and event.value < self.velocity_min:
            return (reasons.VELOCITY_TOO_LOW, event.value, self.velocity_min)
        return None
