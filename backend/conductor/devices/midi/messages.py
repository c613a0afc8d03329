"""Decodes MIDI bytes into events, tolerating damaged data, and encodes channel messages."""

import re

from conductor.devices.midi.parameters import ParameterTracker
from conductor.domain.events import EventKind, InputEvent
from conductor.errors import ActionFailed

MAX_SYSEX_BYTES = 65_536

_CHANNEL_MESSAGE_KINDS: tuple[EventKind, ...] = (
    "note_off",
    "note_on",
    "poly_pressure",
    "cc",
    "program_change",
    "channel_pressure",
    "pitch_bend",
)
_SYSTEM_DATA_BYTES = {0xF1: 1, 0xF2: 2, 0xF3: 1}
_REAL_TIME_KINDS: dict[int, EventKind] = {
    0xF8: "clock",
    0xFA: "transport",
    0xFB: "transport",
    0xFC: "transport",
}
_ONE_DATA_BYTE_STATUSES = (0xC0, 0xD0)
_STATUS_BYTE = re.compile(rb"[\x80-\xff]")


class MidiDecoder:
    """Decodes one MIDI stream, including running status, split SysEx messages, and RPN and NRPN parameters.

    Invalid bytes are ignored and never raise an error.
    """

    def __init__(self, device_id: str) -> None:
        self.device_id = device_id
        self._status = 0
        self._expected_data_bytes = 0
        self._pending: list[int] = []
        self._sysex: bytearray | None = None
        self._parameters = ParameterTracker()

    def decode_bytes(self, data: bytes, time: float) -> list[InputEvent]:
        """Decode the next bytes of the stream, and return the events that they complete, all with the time
        stamp `time`.
        """
        # The fast path for a complete three-byte message, which is nearly all input.
        if len(data) == 3 and self._sysex is None:
            status, first, second = data
            if 0x80 <= status < 0xF0 and status & 0xE0 != 0xC0 and (first | second) < 0x80:
                self._set_status(status)
                return self._build_channel_event(status, first, second, time)
        events: list[InputEvent] = []
        at, end = 0, len(data)
        while at < end:
            if self._sysex is not None:
                at = self._consume_sysex_data(self._sysex, data, at)
                if at == end:
                    break
            byte = data[at]
            at += 1
            if byte >= 0xF8:
                self._handle_real_time(byte, time, events)
            elif byte >= 0x80:
                self._handle_status_byte(byte, time, events)
            else:
                self._handle_data_byte(byte, time, events)
        return events

    def _consume_sysex_data(self, sysex: bytearray, data: bytes, start: int) -> int:
        """Append the next data bytes of a SysEx message in one step, and return the index after them.

        Appended one by one, the bytes of a SysEx flood took the engine's thread 10 ms per read.
        """
        found = _STATUS_BYTE.search(data, start)
        end = found.start() if found else len(data)
        sysex += data[start:end]
        if len(sysex) >= MAX_SYSEX_BYTES:
            self._sysex = None
        return end

    def _set_status(self, status: int) -> None:
        self._status = status
        self._expected_data_bytes = 1 if status & 0xF0 in _ONE_DATA_BYTE_STATUSES else 2
        if self._pending:
            self._pending = []

    def _handle_real_time(self, byte: int, time: float, events: list[InputEvent]) -> None:
        kind = _REAL_TIME_KINDS.get(byte)
        if kind is not None:
            events.append(InputEvent(kind, self.device_id, 0, 0, byte, time))

    def _handle_status_byte(self, byte: int, time: float, events: list[InputEvent]) -> None:
        sysex, self._sysex = self._sysex, None
        if byte < 0xF0:
            self._set_status(byte)
            return
        self._set_status(0)
        self._expected_data_bytes = _SYSTEM_DATA_BYTES.get(byte, 0)
        if byte == 0xF0:
            self._sysex = bytearray((0xF0,))
        elif byte == 0xF7 and sysex is not None:
            sysex.append(0xF7)
            whole = bytes(sysex)
            events.append(InputEvent("sysex", self.device_id, 0, 0, len(whole), time, whole))

    def _handle_data_byte(self, byte: int, time: float, events: list[InputEvent]) -> None:
        if not self._status:
            return
        self._pending.append(byte)
        if len(self._pending) == self._expected_data_bytes:
            first, *rest = self._pending
            self._pending = []
            second = rest[0] if rest else first
            events.extend(self._build_channel_event(self._status, first, second, time))

    def _build_channel_event(
        self, status: int, first: int, second: int, time: float
    ) -> list[InputEvent]:
        device, channel, kind = (
            self.device_id,
            (status & 0x0F) + 1,
            _CHANNEL_MESSAGE_KINDS[(status >> 4) - 8],
        )
        if kind == "cc":
            event = InputEvent("cc", device, channel, first, second, time)
            extra = self._parameters.process_control_change(channel, first, second)
            if extra is None:
                return [event]
            return [event, InputEvent(extra[0], device, channel, extra[1], extra[2], time)]
        if kind == "note_on" and second == 0:
            return [InputEvent("note_off", device, channel, first, 0, time, "note_on_0")]
        if kind == "pitch_bend":
            first, second = 0, second << 7 | first
        elif kind == "channel_pressure":
            first = 0
        return [InputEvent(kind, device, channel, first, second, time)]


def encode_note_on(channel: int, note: int, velocity: int) -> bytes:
    """Encode a note-on message for a channel from 1 to 16."""
    return _encode_message(0x90, channel, note, velocity)


def encode_note_off(channel: int, note: int, velocity: int = 0) -> bytes:
    return _encode_message(0x80, channel, note, velocity)


def encode_poly_pressure(channel: int, note: int, pressure: int) -> bytes:
    return _encode_message(0xA0, channel, note, pressure)


def encode_cc(channel: int, controller: int, value: int) -> bytes:
    return _encode_message(0xB0, channel, controller, value)


def encode_program_change(channel: int, program: int) -> bytes:
    return _encode_message(0xC0, channel, program)


def encode_channel_pressure(channel: int, pressure: int) -> bytes:
    return _encode_message(0xD0, channel, pressure)


def encode_pitch_bend(channel: int, bend: int) -> bytes:
    """Encode a pitch bend from -8192 to 8191, where 0 is the centre."""
    if not -8192 <= bend <= 8191:
        raise ActionFailed(f"a pitch bend goes from -8192 to 8191, not {bend}")
    return _encode_message(0xE0, channel, (bend + 8192) & 0x7F, (bend + 8192) >> 7)


def _encode_message(status: int, channel: int, *values: int) -> bytes:
    if not 1 <= channel <= 16:
        raise ActionFailed(f"MIDI channels go from 1 to 16, not {channel}")
    if any(not 0 <= value <= 127 for value in values):
        raise ActionFailed(f"MIDI values go from 0 to 127, not {values}")
    return bytes((status | channel - 1, *values))
