"""Defines the base of the LongPress and DoubleTap triggers, which listen to a note or a gamepad button."""

from typing import Any

from pydantic import Field, field_validator, model_validator

from conductor.domain.events import ControlClass
from conductor.domain.keys import canonicalize_button
from conductor.domain.triggers.base import TriggerBase


class HoldableTrigger(TriggerBase):
    note: int | None = Field(default=None, ge=0, le=127, json_schema_extra={"format": "note"})
    """The number of the note."""
    button: str | None = Field(default=None, json_schema_extra={"format": "gamepad_button"})
    """The name of a gamepad button, instead of a note."""

    @model_validator(mode="before")
    @classmethod
    def _accept_button_number(cls, raw: Any) -> Any:
        """Convert a note number of 128 or more, which stands for a gamepad button in older configs."""
        if isinstance(raw, dict) and isinstance(raw.get("note"), int) and raw["note"] >= 128:
            rest = {key: item for key, item in raw.items() if key != "note"}
            return {**rest, "button": raw["note"]}
        return raw

    @field_validator("button", mode="before")
    @classmethod
    def _canonicalize_button(cls, name: Any) -> Any:
        return canonicalize_button(name) if isinstance(name, int | str) else name

    @model_validator(mode="after")
    def _require_one_control(self) -> "HoldableTrigger":
        if (self.note is None) == (self.button is None):
            raise ValueError("give exactly one of `note` and `button`")
        return self

    def list_controls(self) -> tuple[tuple[ControlClass, int | str], ...]:
        if self.note is not None:
            return (("note", self.note),)
        return (("button", self.button or ""),)
