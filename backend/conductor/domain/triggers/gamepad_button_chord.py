"""Defines the GamepadButtonChord trigger, which fires when several gamepad buttons are pressed together."""

from typing import Any, Literal

from pydantic import Field, field_validator

from conductor.domain.events import ControlClass
from conductor.domain.keys import canonicalize_button
from conductor.domain.triggers.base import TriggerBase
from conductor.domain.triggers.options import KeepOrder, RequirePriorIdleMs, list_enabled_limits


class GamepadButtonChordTrigger(TriggerBase):
    """Fires when all its buttons are pressed within `timeout_ms`; it then consumes them."""

    gesture = "chord"
    type: Literal["GamepadButtonChord"] = "GamepadButtonChord"
    buttons: tuple[str, ...] = Field(
        min_length=2, max_length=10, json_schema_extra={"format": "gamepad_buttons"}
    )
    """The names of two to ten buttons."""
    timeout_ms: int = Field(default=50, ge=5, le=2_000, json_schema_extra={"format": "duration_ms"})
    """The greatest time between the first and the last press."""
    fire_when_complete: bool = False
    """Fires with its last button instead of at the end of the time, unless a longer chord could still come."""
    require_prior_idle_ms: RequirePriorIdleMs = 0
    keep_order: KeepOrder = False

    @field_validator("buttons", mode="before")
    @classmethod
    def _canonicalize_buttons(cls, names: Any) -> Any:
        if not isinstance(names, list | tuple):
            return names
        buttons = [canonicalize_button(n) if isinstance(n, int | str) else n for n in names]
        if len(set(buttons)) != len(buttons):
            raise ValueError("a chord names each button once")
        return tuple(buttons)

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        return tuple(("button", button) for button in self.buttons)

    def list_time_limits_ms(self) -> tuple[int, ...]:
        return list_enabled_limits(self.timeout_ms, self.require_prior_idle_ms)
