"""A recording as lines of JSON: how it crosses from the engine to the app, and how it is kept on disk.

A segment is a header line, then a line for each control of its snapshot, then a line for each entry. Lines
are small on purpose: encoding one takes microseconds, and the engine's thread never waits for more.
"""

import json
from collections.abc import Iterator, Sequence
from sys import intern
from typing import Any

from pydantic import TypeAdapter

from conductor.domain.actions import Action
from conductor.domain.devices import PortInfo
from conductor.domain.events import Control, InputEvent
from conductor.domain.recording import (
    ActionPerformed,
    ClockAnchored,
    Command,
    ControlSnapshot,
    DeviceMuted,
    DevicesChanged,
    Entry,
    MemorySnapshot,
    ModeSwitched,
    Panicked,
    PauseChanged,
    RecordedDevice,
    RecordedEffect,
    RunFailed,
    Segment,
    StateSnapshot,
)
from conductor.engine.segment_recorder import OpenSegment

FORMAT = 1
ROWS_A_PIECE = 25
"""So many lines are encoded at once: about 0.1 ms."""
_ACTION: TypeAdapter[Action] = TypeAdapter(Action)
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
Header = dict[str, Any]


class UnknownFormat(ValueError):
    """The lines are of another version, or damaged where they must not be."""


def encode_header(segment: OpenSegment, session: str) -> str:
    """Return the first line of a segment."""
    start = segment.start
    plain = {
        "format": FORMAT,
        "session": session,
        "number": segment.number,
        "config_id": segment.config_id,
        "week_s": segment.week_s,
        "is_loaded": segment.is_loaded,
        "devices": _devices_to_plain(segment.devices),
        "controls": len(start.controls),
        "start": start._replace(controls=())._asdict(),
    }
    return _encode(plain)


def encode_rows(segment: OpenSegment, first: int, at_most: int) -> list[str]:
    """Return the lines after the header from a number on, joined in pieces."""
    last = min(first + at_most, count_rows(segment))
    pieces: list[str] = []
    for begin in range(first, last, ROWS_A_PIECE):
        end = min(begin + ROWS_A_PIECE, last)
        pieces.append("\n".join(_row(segment, number) for number in range(begin, end)))
    return pieces


def count_rows(segment: OpenSegment) -> int:
    """Return how many lines follow the header by now."""
    return len(segment.start.controls) + len(segment.steps)


def _row(segment: OpenSegment, number: int) -> str:
    controls = segment.start.controls
    if number < len(controls):
        return _encode(_control_to_plain(controls[number]))
    return encode_entry(segment.entry(number - len(controls)))


def encode_entry(entry: Entry) -> str:
    """Return one entry as a line."""
    cause = entry.input
    plain = _event_to_plain(cause) if isinstance(cause, InputEvent) else _command_to_plain(cause)
    return _encode([entry.sequence, entry.time, plain, entry.effects])


def decode_header(line: str) -> Header:
    """Read the first line of a segment.

    Raises:
        UnknownFormat: it is not one, or of another version.
    """
    try:
        header = json.loads(line)
    except ValueError:
        raise UnknownFormat("the first line is not JSON") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise UnknownFormat("another version")
    return header


class SegmentReader:
    """Builds a segment from its lines as they come."""

    def __init__(self, header_line: str) -> None:
        """Read the header.

        Raises:
            UnknownFormat: it is not one, or of another version.
        """
        self.header = decode_header(header_line)
        self.session: str = self.header["session"]
        self.number: int = self.header["number"]
        self.rows = 0
        self.entries: list[Entry] = []
        self._controls: list[ControlSnapshot] = []

    def add(self, rows: str) -> None:
        """Parse and append further lines, joined.

        Raises:
            ValueError: a line cannot be read; those before it were taken.
        """
        for line in rows.split("\n"):
            plain = json.loads(line)
            if len(self._controls) < self.header["controls"]:
                self._controls.append(_control_from_plain(plain))
            else:
                self.entries.append(decode_entry(plain))
            self.rows += 1

    @property
    def is_usable(self) -> bool:
        """Check whether the whole snapshot is there."""
        return len(self._controls) == self.header["controls"]

    def played_s(self) -> float:
        """Return how long was played, from the first entry to the last."""
        return self.entries[-1].time - self.entries[0].time if self.entries else 0.0

    def segment(self) -> Segment:
        """Return what was read so far."""
        header = self.header
        start = dict(header["start"])
        start["app"] = tuple(start["app"])
        start["muted"] = tuple(start["muted"])
        start["unfinished"] = tuple(start["unfinished"])
        start["controls"] = tuple(self._controls)
        start["recent"] = tuple((Control(*control), at) for control, at in start["recent"])
        return Segment(
            self.session,
            header["config_id"],
            header["week_s"],
            _devices_from_plain(header["devices"]),
            StateSnapshot(**start),
            tuple(self.entries),
            header["is_loaded"],
        )


def decode_entry(plain: Any) -> Entry:
    """Read an entry from its parsed line."""
    sequence, time, cause, effects = plain
    return Entry(
        sequence,
        time,
        _event_from_plain(cause) if isinstance(cause, list) else _command_from_plain(cause),
        tuple(
            RecordedEffect(intern(kind), intern(scope), row, intern(action_type), value, steps)
            for kind, scope, row, action_type, value, steps in effects
        ),
    )


def _event_to_plain(event: InputEvent | None) -> list[Any] | None:
    if event is None:
        return None
    if event.data is None:
        return list(event[:6])
    return [*event[:6], _data_to_plain(event.data)]


def _event_from_plain(plain: list[Any]) -> InputEvent:
    kind, device, channel, number, value, time = plain[:6]
    return InputEvent(
        intern(kind),  # pyright: ignore[reportArgumentType]
        intern(device),
        channel,
        intern(number) if isinstance(number, str) else number,
        value,
        time,
        _data_from_plain(plain[6]) if len(plain) > 6 else None,
    )


def _data_to_plain(data: Any) -> Any:
    if isinstance(data, bytes | bytearray):
        return {"hex": data.hex()}
    if isinstance(data, tuple | list):
        items: Sequence[Any] = data
        return [_data_to_plain(item) for item in items]
    return data


def _data_from_plain(plain: Any) -> Any:
    if isinstance(plain, dict):
        return bytes.fromhex(plain["hex"])
    if isinstance(plain, list):
        items: list[Any] = plain
        return tuple(_data_from_plain(item) for item in items)
    return plain


def _command_to_plain(command: Command) -> dict[str, Any]:
    match command:
        case ActionPerformed(action):
            return {"is": "ActionPerformed", "action": action.model_dump(mode="json")}
        case DevicesChanged(devices):
            return {"is": "DevicesChanged", "devices": _devices_to_plain(devices)}
        case _:
            return {"is": type(command).__name__, **command._asdict()}


_PLAIN_COMMANDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (ModeSwitched, DeviceMuted, PauseChanged, Panicked, RunFailed, ClockAnchored)
}


def _command_from_plain(plain: dict[str, Any]) -> Command:
    fields = dict(plain)
    kind = fields.pop("is")
    if kind == "ActionPerformed":
        return ActionPerformed(_ACTION.validate_python(fields["action"]))
    if kind == "DevicesChanged":
        return DevicesChanged(_devices_from_plain(fields["devices"]))
    return _PLAIN_COMMANDS[kind](**fields)


def _devices_to_plain(devices: Sequence[RecordedDevice]) -> list[Any]:
    return [[one.device_id, one.kind, one.port.model_dump()] for one in devices]


def _devices_from_plain(plain: list[Any]) -> tuple[RecordedDevice, ...]:
    return tuple(
        RecordedDevice(device_id, kind, PortInfo.model_validate(port))
        for device_id, kind, port in plain
    )


def _control_to_plain(saved: ControlSnapshot) -> list[Any]:
    return [
        saved.control,
        saved.down,
        _event_to_plain(saved.last),
        saved.memories,
        saved.pressed_in,
        saved.consumed,
        saved.tapped,
    ]


def _control_from_plain(plain: list[Any]) -> ControlSnapshot:
    control, down, last, memories, pressed_in, consumed, (tapped_in, tapped_at) = plain
    return ControlSnapshot(
        Control(*control),
        down,
        None if last is None else _event_from_plain(last),
        tuple(_memories(memories)),
        None if pressed_in is None else (pressed_in[0], pressed_in[1]),
        consumed,
        (None if tapped_in is None else (tapped_in[0], tapped_in[1]), tapped_at),
    )


def _memories(plain: list[Any]) -> Iterator[MemorySnapshot]:
    for scope, row, active, previous, coding, behind in plain:
        yield MemorySnapshot(
            scope, row, active, previous, None if coding is None else tuple(coding), behind
        )
