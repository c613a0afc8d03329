"""Defines the GamepadTrigger trigger, which fires when an analog trigger of a gamepad is pulled."""

from typing import Any, Literal

from pydantic import Field, field_validator

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.keys import canonicalize_analog_trigger
from conductor.domain.triggers.base import TriggerBase, TriggerMemory, TriggerVerdict


class GamepadTriggerTrigger(TriggerBase):
    """Fires when a trigger is pulled past `threshold`; it must come back by `hysteresis`."""

    gesture = "change"
    type: Literal["GamepadTrigger"] = "GamepadTrigger"
    trigger: Literal["left", "right"]
    """Which analog trigger: the left or the right one."""
    threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    """How far, 0.0 to 1.0; 0 fires on every move. Numbers over 1 are read as 0-127."""
    hysteresis: float = Field(default=0.1, ge=0.0, le=1.0)
    """How far the trigger must return below the threshold before it can fire again."""

    @field_validator("trigger", mode="before")
    @classmethod
    def _canonicalize_side(cls, name: Any) -> Any:
        return canonicalize_analog_trigger(name) if isinstance(name, int | str) else name

    @field_validator("threshold", mode="before")
    @classmethod
    def _convert_threshold(cls, threshold: Any) -> Any:
        if isinstance(threshold, int | float) and 1 < threshold <= 127:
            return round(threshold / 127, 3)
        return threshold

    def can_be_held(self) -> bool:
        return self.threshold > 0

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("gamepad_trigger", self.trigger),)

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        pull = float(event.value)
        if self.threshold == 0:
            text = "any pull fires: {:.2f}" if pull > 0 else reasons.NOT_A_PULL
            return TriggerVerdict(pull > 0, (text, pull))
        was_active = memory.active
        again = max(0.0, self.threshold - self.hysteresis)
        memory.active = pull > again if was_active else pull >= self.threshold
        if memory.active:
            word = "has not come back from" if was_active else "crossed"
            return TriggerVerdict(
                not was_active, (reasons.ANALOG_TRIGGER_PULLED, pull, word, self.threshold)
            )
        return TriggerVerdict(
            False, (reasons.BELOW_THRESHOLD, pull, self.threshold), releases=was_active
        )
