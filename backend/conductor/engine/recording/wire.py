"""Encodes a recording as JSON lines, for the link from the engine to the app and for files.

A segment is a header line, then a line for each control of its snapshot, then a line for each entry. Lines are
small, so that encoding a line takes only microseconds, for which the engine thread may have to wait.
"""

import json
from collections.abc import Sequence
from typing import Any

from conductor.base.json_types import JsonObject
from conductor.domain.events import InputEvent
from conductor.domain.recording import (
    ActionPerformed,
    ControlSnapshot,
    DevicesChanged,
    EngineCommand,
    RecordedDevice,
    RecordedEntry,
)
from conductor.engine.recording.segment_recorder import OpenSegment

FORMAT_VERSION = 1
MAX_ROWS_PER_PIECE = 25
"""The number of lines that are encoded at a time, which takes about 0.1 ms."""
MAX_BYTES_PER_PIECE = 16_384
MAX_BYTES_PER_PART = 262_144
"""The maximum number of bytes in a part; a longer line, for example with a large SysEx
message, is a part of its own."""
_encode_json = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def encode_segment_header(segment: OpenSegment, session: str) -> str:
    """Return the first line of a segment, with everything except controls and entries."""
    start = segment.start
    plain = {
        "format": FORMAT_VERSION,
        "session": session,
        "number": segment.number,
        "config_id": segment.config_id,
        "week_s": segment.week_s,
        "is_loaded": segment.is_loaded,
        "devices": _encode_devices(segment.devices),
        "controls": len(start.controls),
        "start": start._replace(controls=())._asdict(),
    }
    return _encode_json(plain)


def encode_segment_rows(segment: OpenSegment, first: int, at_most: int) -> list[str]:
    """Return at most `at_most` lines of a segment after its header, from line `first` on, joined into pieces.

    The result ends after `MAX_BYTES_PER_PART`, but has at least one line if there is any.
    """
    last = min(first + at_most, count_segment_rows(segment))
    pieces: list[str] = []
    lines: list[str] = []
    size = part_size = 0
    for number in range(first, last):
        line = _encode_row(segment, number)
        length = len(line.encode()) + 1
        if number > first and part_size + length > MAX_BYTES_PER_PART:
            break
        if lines and (len(lines) == MAX_ROWS_PER_PIECE or size + length > MAX_BYTES_PER_PIECE):
            pieces.append("\n".join(lines))
            lines, size = [], 0
        lines.append(line)
        size += length
        part_size += length
    if lines:
        pieces.append("\n".join(lines))
    return pieces


def count_segment_rows(segment: OpenSegment) -> int:
    """Return the number of lines that a segment currently has after its header."""
    return len(segment.start.controls) + len(segment.steps)


def _encode_row(segment: OpenSegment, number: int) -> str:
    controls = segment.start.controls
    if number < len(controls):
        return _encode_json(_encode_control(controls[number]))
    return encode_entry(segment.get_entry(number - len(controls)))


def encode_entry(entry: RecordedEntry) -> str:
    """Return a recorded entry as one line of JSON."""
    cause = entry.input
    plain = _encode_event(cause) if isinstance(cause, InputEvent) else _encode_command(cause)
    return _encode_json([entry.sequence, entry.time, plain, entry.effects])


def _encode_event(event: InputEvent | None) -> list[Any] | None:
    if event is None:
        return None
    if event.data is None:
        return list(event[:6])
    return [*event[:6], _encode_event_data(event.data)]


def _encode_event_data(data: Any) -> Any:
    if isinstance(data, bytes | bytearray):
        return {"hex": data.hex()}
    if isinstance(data, tuple | list):
        items: Sequence[Any] = data
        return [_encode_event_data(item) for item in items]
    return data


def _encode_command(command: EngineCommand) -> JsonObject:
    match command:
        case ActionPerformed(action):
            return {"is": "ActionPerformed", "action": action.model_dump(mode="json")}
        case DevicesChanged(devices):
            return {"is": "DevicesChanged", "devices": _encode_devices(devices)}
        case _:
            return {"is": type(command).__name__, **command._asdict()}


def _encode_devices(devices: Sequence[RecordedDevice]) -> list[Any]:
    return [[device.device_id, device.kind, device.port.model_dump()] for device in devices]


def _encode_control(saved: ControlSnapshot) -> list[Any]:
    return [
        saved.control,
        saved.down,
        _encode_event(saved.last),
        saved.memories,
        saved.pressed_in,
        saved.consumed,
        saved.tapped,
    ]
