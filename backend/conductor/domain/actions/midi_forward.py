"""Defines the MidiForward action, which sends the MIDI message of the control to an output."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports
from conductor.errors import ActionFailed


class MidiForwardAction(ActionBase):
    """Forwards the message, also transposed or in another range; note-offs follow."""

    type: Literal["MidiForward"] = "MidiForward"
    port: str = Field(min_length=1, max_length=256, json_schema_extra={"format": "output"})
    """The output: its name, a part of it, or a device alias."""
    channel: int | None = Field(default=None, ge=1, le=16, json_schema_extra={"format": "channel"})
    """The channel to send on. Left out: the original channel."""
    transpose: int = Field(default=0, ge=-127, le=127)
    """The number of semitones by which notes are moved."""
    value: FromControl | None = None
    """The new velocity, CC value or pressure. Left out: unchanged."""

    @model_validator(mode="before")
    @classmethod
    def _accept_older_fields(cls, raw: Any) -> Any:
        """Convert the field `curve` of older configs to a value with that curve."""
        if not isinstance(raw, dict) or "curve" not in raw or raw.get("value") is not None:
            return raw
        rest = {key: item for key, item in raw.items() if key != "curve"}
        # plans and recordings that were stored earlier contain this spelling
        if raw["curve"] is None:
            return rest
        return {**rest, "value": {"from": "value", "curve": raw["curve"]}}

    @field_validator("value", mode="after")
    @classmethod
    def _convert_value(cls, value: FromControl | None) -> FromControl | None:
        if value is not None and value.source == "steps":
            raise ValueError('a message has no steps: use { from = "value" }')
        return value

    def run(self, fire: Fire, ports: Ports) -> None:
        if not fire.message:
            raise ActionFailed("this control sends no MIDI message that could be forwarded")
        self.forward_message(fire.message, ports)

    def forward_message(self, message: bytes, ports: Ports) -> None:
        """Send a MIDI message to the output, after changing its channel, pitch and value as configured."""
        ports.midi.send(self.port, self.transform_message(message))

    def transform_message(self, message: bytes) -> bytes:
        """Return a MIDI message with the channel, the transposition and the value range of this action."""
        status = message[0]
        if status >= 0xF0:
            return message
        kind = status & 0xF0
        out = bytearray(message)
        if self.channel is not None:
            out[0] = kind | (self.channel - 1)
        if kind in (0x80, 0x90, 0xA0):
            out[1] = min(127, max(0, out[1] + self.transpose))
        if self.value is not None and kind in (0x90, 0xA0, 0xB0, 0xD0):
            last = len(out) - 1
            floor = 1 if kind == 0x90 and out[last] else 0
            out[last] = max(
                floor, min(127, int(self.value.compute_number(out[last] / 127, 0, decimals=0)))
            )
        return bytes(out)
