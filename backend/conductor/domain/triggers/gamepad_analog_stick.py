"""Defines the GamepadAnalogStick trigger, which fires when a stick of a gamepad is pushed."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain import reasons
from conductor.domain.events import ControlClass, InputEvent
from conductor.domain.keys import canonicalize_axis
from conductor.domain.triggers.base import TriggerBase, TriggerMemory, TriggerVerdict

_CANONICAL_DIRECTIONS = {
    "clockwise": "positive",
    "right": "positive",
    "up": "positive",
    "counterclockwise": "negative",
    "counter_clockwise": "negative",
    "left": "negative",
    "down": "negative",
    "either": "any",
}
REARM_DISTANCE = 0.1
"""How far below the threshold a stick must return before it can fire again."""


class GamepadAnalogStickTrigger(TriggerBase):
    """Fires when a stick is pushed past `threshold`, not on its return."""

    gesture = "change"
    type: Literal["GamepadAnalogStick"] = "GamepadAnalogStick"
    axis: str = Field(json_schema_extra={"format": "gamepad_axis"})
    """The axis: left_x, left_y, right_x or right_y."""
    direction: Literal["positive", "negative", "any"] = "any"
    """Positive is right or up, negative is left or down; those words are accepted too."""
    threshold: float = Field(default=0.5, ge=0.0, le=1.0)
    """How far, 0.0 to 1.0; 0 fires on every move outside the dead zone."""
    dead_zone: float = Field(default=0.1, ge=0.0, lt=1.0)
    """Positions this close to the centre count as the centre."""

    @field_validator("axis", mode="before")
    @classmethod
    def _canonicalize_axis(cls, name: Any) -> Any:
        return canonicalize_axis(name) if isinstance(name, int | str) else name

    @field_validator("direction", mode="before")
    @classmethod
    def _convert_direction(cls, name: Any) -> Any:
        return (
            _CANONICAL_DIRECTIONS.get(name.lower(), name.lower()) if isinstance(name, str) else name
        )

    @model_validator(mode="after")
    def _require_reachable(self) -> "GamepadAnalogStickTrigger":
        if 0 < self.threshold <= self.dead_zone:
            raise ValueError("threshold must lie outside the dead_zone")
        return self

    def can_be_held(self) -> bool:
        return self.threshold > 0

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("axis", self.axis),)

    def judge_event(self, event: InputEvent, memory: TriggerMemory) -> TriggerVerdict:
        position = 0.0 if abs(event.value) <= self.dead_zone else float(event.value)
        push = {"positive": position, "negative": -position}.get(self.direction, abs(position))
        if push < 0 and (self.threshold == 0 or (not memory.active and -push >= self.threshold)):
            return TriggerVerdict(False, (reasons.WRONG_PUSH_DIRECTION, position, self.direction))
        if self.threshold == 0:
            return TriggerVerdict(
                push > 0, (reasons.STICK_DEAD_ZONE, position, "in" if push <= 0 else "out of")
            )
        side = 1 if position > 0 else -1
        if memory.active and (
            push < max(self.dead_zone, self.threshold - REARM_DISTANCE) or side != memory.previous
        ):
            memory.active = False
            if push < self.threshold:
                return TriggerVerdict(False, (reasons.STICK_RETURNED, position), releases=True)
        if memory.active:
            return TriggerVerdict(False, (reasons.STILL_PAST_THRESHOLD, position, self.threshold))
        if push < self.threshold:
            # A position in the dead zone counts as 0, but the reason shows the number that was sent.
            zone = position == 0 and event.value != 0
            short = (reasons.BELOW_THRESHOLD, position, self.threshold)
            return TriggerVerdict(
                False, (reasons.STICK_DEAD_ZONE, event.value, "in") if zone else short
            )
        memory.active, memory.previous = True, side
        return TriggerVerdict(True, ("{:.2f} crossed {}", position, self.threshold))
