"""Defines the ProgramChange trigger, which fires when the device selects a program."""

from typing import Literal

from pydantic import Field

from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import TriggerBase, TriggerMemory, TriggerVerdict


class ProgramChangeTrigger(TriggerBase):
    """Fires when this program (0-127) is selected."""

    gesture = "change"
    type: Literal["ProgramChange"] = "ProgramChange"
    program: int = Field(ge=0, le=127)
    """The program. Many devices count from 1: their 1 is 0 here."""

    def can_be_held(self) -> bool:
        return False

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("program_change", self.program),)

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        return TriggerVerdict(True, ("program {} was selected", event.value))
