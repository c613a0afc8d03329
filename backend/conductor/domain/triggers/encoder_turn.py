"""Defines the EncoderTurn trigger, which fires when an endless encoder is turned."""

from typing import Any, Literal

from pydantic import Field, field_validator

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.triggers.base import TriggerBase, TriggerMemory, TriggerVerdict
from conductor.domain.triggers.encoder_coding import (
    CodingDetector,
    EncoderCoding,
    decode_relative_steps,
    measure_absolute_steps,
)


class EncoderTurnTrigger(TriggerBase):
    """Fires on each step in a direction; `auto` learns the coding from two turns."""

    gesture = "change"
    type: Literal["EncoderTurn"] = "EncoderTurn"
    cc: int = Field(ge=0, le=127, json_schema_extra={"format": "cc"})
    """The number of the controller."""
    direction: Literal["clockwise", "counter_clockwise", "any"] = "any"
    """The direction of turning that fires."""
    encoding: Literal["auto", "absolute", "twos_complement", "offset_64", "sign_magnitude"] = "auto"
    """How the encoder sends a turn. `auto` detects it."""

    @field_validator("direction", mode="before")
    @classmethod
    def _convert_direction(cls, name: Any) -> Any:
        if not isinstance(name, str):
            return name
        word = name.lower().replace("-", "_")
        older = {"counterclockwise": "counter_clockwise", "either": "any", "both": "any"}
        return older.get(word, word)

    def can_be_held(self) -> bool:
        return False

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("cc", self.cc),)

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        value, previous = int(event.value), memory.previous
        memory.previous = value
        coding = self._detect_coding(value, memory)
        if coding is None:
            return TriggerVerdict(False, (reasons.FIRST_ENCODER_VALUE, value))
        if coding == "absolute":
            steps = measure_absolute_steps(value, None if previous is None else int(previous))
        else:
            steps = decode_relative_steps(coding, value)
        if steps == 0:
            return TriggerVerdict(False, (reasons.NOT_A_TURN, value, coding))
        turned = "clockwise" if steps > 0 else "counter_clockwise"
        if self.direction not in ("any", turned):
            return TriggerVerdict(
                False, (reasons.WRONG_TURN_DIRECTION, turned, self.direction, coding)
            )
        return TriggerVerdict(
            True, ("turned {} by {} ({})", turned, abs(steps), coding), steps=steps
        )

    def _detect_coding(self, value: int, memory: TriggerMemory) -> EncoderCoding | None:
        if self.encoding != "auto":
            return self.encoding
        if memory.coding is None:
            memory.coding = CodingDetector()
        detector: CodingDetector = memory.coding
        return detector.add_value(value)
