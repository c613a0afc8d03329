"""Defines the NoteChord trigger, which fires when several notes are struck together."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from conductor.domain.events import ControlClass
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.options import KeepOrder, RequirePriorIdleMs, list_enabled_limits


class NoteChordTrigger(TriggerBase):
    """Fires when all its notes start within `timeout_ms`; it then consumes them."""

    gesture = "chord"
    type: Literal["NoteChord"] = "NoteChord"
    notes: tuple[Annotated[int, Field(ge=0, le=127)], ...] = Field(
        min_length=2, max_length=10, json_schema_extra={"format": "notes"}
    )
    """The numbers of two to ten notes."""
    timeout_ms: int = Field(default=50, ge=5, le=2_000, json_schema_extra={"format": "duration_ms"})
    """The greatest time between the first and the last start."""
    fire_when_complete: bool = False
    """Fires with its last note instead of at the end of the time, unless a longer chord could still come."""
    require_prior_idle_ms: RequirePriorIdleMs = 0
    keep_order: KeepOrder = False

    @field_validator("notes", mode="after")
    @classmethod
    def _require_distinct(cls, notes: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(notes)) != len(notes):
            raise ValueError("a chord names each note once")
        return notes

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return tuple(("note", note) for note in self.notes)

    def list_time_limits_ms(self) -> tuple[int, ...]:
        return list_enabled_limits(self.timeout_ms, self.require_prior_idle_ms)
