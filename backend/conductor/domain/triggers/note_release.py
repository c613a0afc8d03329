"""Defines the NoteRelease trigger, which fires when a pad or key is released."""

from typing import Literal

from pydantic import Field

from conductor.domain.events import ControlClass
from conductor.domain.triggers.base import TriggerBase


class NoteReleaseTrigger(TriggerBase):
    """Fires when a note is released."""

    gesture = "release"
    type: Literal["NoteRelease"] = "NoteRelease"
    note: int = Field(ge=0, le=127, json_schema_extra={"format": "note"})
    """The number of the note."""

    def can_be_held(self) -> bool:
        return False

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("note", self.note),)
