"""The Led action, which lights a pad or button of a controller."""

from typing import Any, Literal

from pydantic import Field, field_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports

PALETTE = {
    "off": 0,
    "green": 21,
    "red": 5,
    "yellow": 13,
    "blue": 45,
    "purple": 53,
    "orange": 9,
    "white": 3,
    "cyan": 37,
}
"""Velocities of the colour palette shared by Novation and Akai pads (Launchpad Programmer's Reference)."""


class LedAction(ActionBase):
    """Lights a control of a device by sending its note or CC with a colour as the value."""

    type: Literal["Led"] = "Led"
    device: str = Field(min_length=1, max_length=256, json_schema_extra={"format": "device"})
    """The alias of the device, or a part of its output's name."""
    control: str = Field(pattern=r"^(note|cc) \d{1,3}$", examples=["note 36", "cc 102"])
    """`note 36` or `cc 102`; a bare number is a note."""
    color: str | int = Field(default="green", json_schema_extra={"format": "color"})
    """A colour name, or the device's own number 0-127."""
    channel: int = Field(default=1, ge=1, le=16, json_schema_extra={"format": "channel"})
    """The MIDI channel it is sent on."""

    @field_validator("control", mode="before")
    @classmethod
    def _convert_control(cls, control: Any) -> Any:
        if isinstance(control, int) and not isinstance(control, bool):
            return f"note {control}"
        return control.strip().lower() if isinstance(control, str) else control

    @field_validator("control", mode="after")
    @classmethod
    def _require_range(cls, control: str) -> str:
        if int(control.split()[1]) > 127:
            raise ValueError(f"`{control}` is over 127")
        return control

    @field_validator("color", mode="after")
    @classmethod
    def _convert_color(cls, color: str | int) -> str | int:
        if isinstance(color, int):
            if not 0 <= color <= 127:
                raise ValueError("a colour number is 0-127")
            return color
        if color.lower() not in PALETTE:
            raise ValueError(f"unknown colour `{color}`; colours are {', '.join(PALETTE)} or 0-127")
        return color.lower()

    def run(self, fire: Fire, ports: Ports) -> None:
        kind, number = self.control.split()
        status = (0x90 if kind == "note" else 0xB0) | (self.channel - 1)
        level = self.color if isinstance(self.color, int) else PALETTE[self.color]
        ports.midi.send(self.device, bytes((status, int(number), level)))
