"""Tools that send MIDI to devices: channel messages at once, SysEx messages after the user's approval."""

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, field_validator

from conductor.domain.value import Value
from conductor.errors import InvalidParams
from conductor.tools.context import HardwareContext
from conductor.tools.params import Params
from conductor.tools.registry import REGISTRY
from conductor.tools.sysex import parse_sysex

SevenBitInteger = Annotated[int, Field(ge=0, le=127)]
_MESSAGE_TYPE_BY_SPELLING = {
    "noteon": "note_on",
    "noteoff": "note_off",
    "controlchange": "cc",
    "programchange": "program_change",
    "pitchbend": "pitch_bend",
    "channelpressure": "aftertouch",
}


class MidiMessage(Value):
    type: Literal["note_on", "note_off", "cc", "program_change", "pitch_bend", "aftertouch"]
    channel: int = Field(default=1, ge=1, le=16)
    note: SevenBitInteger | None = None
    velocity: SevenBitInteger | None = None
    controller: SevenBitInteger | None = None
    value: int | None = Field(default=None, ge=-8192, le=8191)
    program: SevenBitInteger | None = None

    @field_validator("type", mode="before")
    @classmethod
    def _accept_spelling(cls, name: Any) -> Any:
        plain = name.lower().replace("_", "") if isinstance(name, str) else name
        return _MESSAGE_TYPE_BY_SPELLING.get(plain, name.lower() if isinstance(name, str) else name)

    def to_bytes(self) -> bytes:
        """Return the bytes of the MIDI message.

        Raises:
            InvalidParams: A field that this type of message requires is missing or out of range.
        """
        low = self.channel - 1
        match self.type:
            case "note_on":
                velocity = 100 if self.velocity is None else self.velocity
                return bytes((0x90 | low, self._require_field("note"), velocity))
            case "note_off":
                return bytes((0x80 | low, self._require_field("note"), self.velocity or 0))
            case "cc":
                return bytes(
                    (0xB0 | low, self._require_field("controller"), self._require_field("value"))
                )
            case "program_change":
                return bytes((0xC0 | low, self._require_field("program")))
            case "aftertouch":
                return bytes((0xD0 | low, self._require_field("value")))
            case "pitch_bend":
                bend = self._require_field("value", -8192, 8191) + 8192
                return bytes((0xE0 | low, bend & 0x7F, bend >> 7))

    def _require_field(self, name: str, low: int = 0, high: int = 127) -> int:
        value: int | None = getattr(self, name)
        if value is None:
            raise InvalidParams(f"Invalid params: a {self.type} message needs `{name}`")
        if not low <= value <= high:
            raise InvalidParams(f"Invalid params: {name} {value} is outside {low} to {high}")
        return value


class SendMidiParams(Params):
    port: str = Field(min_length=1, max_length=256)
    messages: Annotated[
        tuple[MidiMessage, ...],
        Field(min_length=1, max_length=256),
        WithJsonSchema(
            {
                "type": "array",
                "items": {"type": "object"},
                "description": "{type: note_on|note_off {note,velocity}, cc {controller,value}, "
                "program_change {program}, pitch_bend|aftertouch {value}; channel 1-16}",
            }
        ),
    ]


class SentMidi(Value):
    success: bool
    messages_sent: int
    port: str


class SysexParams(Params):
    port: str = Field(min_length=1, max_length=256)
    data: Annotated[
        tuple[int | str, ...] | str,
        Field(max_length=100_000),
        WithJsonSchema(
            {
                "type": "array",
                "items": {"type": ["string", "integer"]},
                "description": 'Bytes in hex ("F0","7E",..,"F7") or numbers',
            }
        ),
    ]
    token: str | None = Field(default=None, max_length=100)
    """The token of the first call, after the user has approved"""


class SysexResult(Value):
    success: bool
    status: Literal["confirmation_required", "sent"]
    port: str
    bytes_sent: int
    token: str | None = None
    plan_id: str | None = None
    expires_at: str | None = None
    message: str


@REGISTRY.tool("hardware_io", "hardware", title="Send MIDI", asks_in_chat=True)
async def send_midi(params: SendMidiParams, context: HardwareContext) -> SentMidi:
    """Send channel messages to a MIDI output."""
    messages = [message.to_bytes() for message in params.messages]
    await context.send_midi(params.port, messages)
    return SentMidi(success=True, messages_sent=len(messages), port=params.port)


@REGISTRY.tool("hardware_io", "hardware", title="Send SysEx", requires_approval=True)
async def send_sysex(params: SysexParams, context: HardwareContext) -> SysexResult:
    """Send SysEx. The first call returns a token (60 s, one use); after the user approved, call again with
    it.
    """
    data = parse_sysex(params.data)
    if params.token is not None:
        await context.send_approved_sysex(params.port, data, params.token)
        return SysexResult(
            success=True, status="sent", port=params.port, bytes_sent=len(data), message="Sent"
        )
    plan, token = await context.request_sysex(params.port, data)
    assert plan.expires_at is not None, "a SysEx plan expires"
    return SysexResult(
        success=False,
        status="confirmation_required",
        port=params.port,
        bytes_sent=0,
        token=token,
        plan_id=plan.plan_id,
        expires_at=plan.expires_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        message="Ask the user to approve it in the window or with "
        f"`conductor plans approve {plan.plan_id}`, then call again with this token.",
    )
