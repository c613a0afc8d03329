"""Defines the Led action, which lights a pad or button of a controller."""

from typing import Any, Literal

from pydantic import Field, field_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.lights import LIGHT_STATES, RGB_VALUES_BY_COLOR, Light
from conductor.domain.ports import Ports


class LedAction(ActionBase):
    """Lights a control (`note 36`, `cc 102`, or 36): off, on, white, red, orange, amber, yellow, green, cyan,
    azure, blue, purple, magenta, pink, also `red blinking` or `red pulsing`. What the device cannot show is
    refused.
    """

    type: Literal["Led"] = "Led"
    device: str = Field(min_length=1, max_length=256, json_schema_extra={"format": "device"})
    """The alias of the device, or a part of its output's name."""
    control: str = Field(pattern=r"^(note|cc) \d{1,3}$", examples=["note 36", "cc 102"])
    """The message that the control itself sends: `note 36` or `cc 102`; a bare number is a note."""
    color: str | int = Field(default="green", json_schema_extra={"format": "color"})
    """Off, on, white, red, orange, amber, yellow, green, cyan, azure, blue, purple, magenta or pink, also with
    low, blinking or pulsing, as in `red blinking`; or the device's own number 0-127."""
    channel: int | None = Field(default=None, ge=1, le=16, json_schema_extra={"format": "channel"})
    """The MIDI channel on which the control sends. Left out: any."""
    set_up: bool = False
    """Whether to send first the messages that prepare the device, such as Programmer mode."""

    @field_validator("control", mode="before")
    @classmethod
    def _convert_control(cls, control: Any) -> Any:
        if isinstance(control, int) and not isinstance(control, bool):
            return f"note {control}"
        if not isinstance(control, str):
            return control
        text = control.strip().lower()
        return f"note {text}" if text.isdecimal() else text

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
        words = color.lower().split()
        if (
            not words
            or words[0] not in (*RGB_VALUES_BY_COLOR, *LIGHT_STATES)
            or {*words[1:]} - {*LIGHT_STATES[1:]}
        ):
            raise ValueError(
                f"unknown colour `{color}`; colours are {', '.join(RGB_VALUES_BY_COLOR)}, on or 0-127, "
                f"also with {', '.join(LIGHT_STATES[1:])}"
            )
        return " ".join(words)

    @property
    def light(self) -> Light:
        """The control to light and the colour, in the form that a device profile understands."""
        kind, number = self.control.split()
        return Light(kind, int(number), self.channel, self.color, self.set_up)

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.lights.show_light(self.device, self.light)
