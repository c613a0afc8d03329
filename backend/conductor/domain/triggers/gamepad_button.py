"""Defines the GamepadButton trigger, which fires when a button of a gamepad is pressed."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.events import ControlClass
from conductor.domain.keys import canonicalize_button
from conductor.domain.triggers.base import TriggerBase


class GamepadButtonTrigger(TriggerBase):
    """Fires when a gamepad button is pressed. Buttons are named by position: `south` is A or Cross."""

    gesture = "tap"
    type: Literal["GamepadButton"] = "GamepadButton"
    button: str = Field(json_schema_extra={"format": "gamepad_button"})
    """The position: south, east, west, north, l1, r1, dpad_up and so on."""

    @model_validator(mode="before")
    @classmethod
    def _drop_velocity(cls, raw: Any) -> Any:
        """Remove `velocity_min`, which older configs contain although gamepad buttons have no velocity."""
        if isinstance(raw, dict) and "velocity_min" in raw:
            return {key: item for key, item in raw.items() if key != "velocity_min"}
        return raw

    @field_validator("button", mode="before")
    @classmethod
    def _canonicalize_button(cls, name: Any) -> Any:
        return canonicalize_button(name) if isinstance(name, int | str) else name

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return (("button", self.button),)
