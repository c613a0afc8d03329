"""Defines the SendMidi action, which sends a MIDI channel message to an output."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from conductor.domain.actions.base import ActionBase, Fire, SevenBitOrControl, resolve_integer
from conductor.domain.curves import FromControl
from conductor.domain.ports import Ports

_CANONICAL_MESSAGE_TYPES = {
    "noteon": "NoteOn",
    "noteoff": "NoteOff",
    "cc": "CC",
    "controlchange": "CC",
    "programchange": "ProgramChange",
    "pc": "ProgramChange",
    "pitchbend": "PitchBend",
    "aftertouch": "Aftertouch",
    "channelpressure": "Aftertouch",
}


class SendMidiAction(ActionBase):
    """Sends a MIDI message; any value may be `{"from":"value"}`."""

    type: Literal["SendMidi"] = "SendMidi"
    port: str = Field(min_length=1, max_length=256, json_schema_extra={"format": "output"})
    """The output: its name, a part of it, or a device alias."""
    message_type: Literal["NoteOn", "NoteOff", "CC", "ProgramChange", "PitchBend", "Aftertouch"]
    """The kind of message, which uses only the fields for it."""
    channel: int = Field(default=1, ge=1, le=16, json_schema_extra={"format": "channel"})
    """The MIDI channel to send on."""
    note: (
        Annotated[int, Field(ge=0, le=127, json_schema_extra={"format": "note"})] | FromControl
    ) = 60
    """The note of NoteOn and NoteOff."""
    velocity: SevenBitOrControl = 100
    """The velocity of NoteOn and NoteOff."""
    hold: Literal["start_only", "while_held"] = "start_only"
    """`while_held`: a NoteOn is ended with the control's release. `start_only`: another message must end it."""
    controller: int = Field(default=0, ge=0, le=127, json_schema_extra={"format": "cc"})
    """The controller number of CC."""
    value: SevenBitOrControl = 0
    """The value of CC."""
    program: SevenBitOrControl = 0
    """The program of ProgramChange."""
    pitch: Annotated[int, Field(ge=-8192, le=8191)] | FromControl = 0
    """The bend of PitchBend; 0 is the centre."""
    pressure: SevenBitOrControl = 0
    """The pressure of Aftertouch."""

    @field_validator("message_type", mode="before")
    @classmethod
    def _convert_type(cls, name: Any) -> Any:
        if not isinstance(name, str):
            return name
        return _CANONICAL_MESSAGE_TYPES.get(
            name.lower().replace("_", "").replace("-", "").replace(" ", ""), name
        )

    def run(self, fire: Fire, ports: Ports) -> None:
        ports.midi.send(self.port, self.build_message(fire))
        if self.holds_note:
            self.end_note(fire, ports)

    @property
    def holds_note(self) -> bool:
        """Return whether the action starts a note that ends when the control is released."""
        return self.message_type == "NoteOn" and self.hold == "while_held"

    def start_note(self, fire: Fire, ports: Ports) -> None:
        ports.midi.send(self.port, self.build_message(fire))

    def end_note(self, fire: Fire, ports: Ports) -> None:
        """Send the note off of the note that `fire` has started."""
        _, note, _ = self.build_message(fire)
        ports.midi.send(self.port, bytes((0x80 | (self.channel - 1), note, 0)))

    def build_message(self, fire: Fire) -> bytes:
        """Return the bytes of the MIDI message, with the current value of the control."""

        def limit_to_seven_bits(value: int | FromControl) -> int:
            return _resolve_seven_bits(resolve_integer(value, fire))

        channel = self.channel - 1
        match self.message_type:
            case "NoteOn":
                return bytes(
                    (
                        0x90 | channel,
                        limit_to_seven_bits(self.note),
                        limit_to_seven_bits(self.velocity),
                    )
                )
            case "NoteOff":
                return bytes(
                    (
                        0x80 | channel,
                        limit_to_seven_bits(self.note),
                        limit_to_seven_bits(self.velocity),
                    )
                )
            case "CC":
                return bytes((0xB0 | channel, self.controller, limit_to_seven_bits(self.value)))
            case "ProgramChange":
                return bytes((0xC0 | channel, limit_to_seven_bits(self.program)))
            case "Aftertouch":
                return bytes((0xD0 | channel, limit_to_seven_bits(self.pressure)))
            case "PitchBend":
                bend = self._resolve_bend(fire)
                return bytes((0xE0 | channel, bend & 0x7F, bend >> 7))

    def resolve_field(self, name: str, fire: Fire) -> int:
        """Return the value of a field, limited to the range that MIDI allows for it."""
        if name == "pitch":
            return self._resolve_bend(fire) - 8192
        return _resolve_seven_bits(resolve_integer(getattr(self, name), fire))

    def _resolve_bend(self, fire: Fire) -> int:
        if isinstance(self.pitch, FromControl):
            return min(16_383, max(0, resolve_integer(self.pitch, fire, -8192, 8191) + 8192))
        return self.pitch + 8192


def _resolve_seven_bits(value: int) -> int:
    return min(127, max(0, value))
