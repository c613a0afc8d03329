"""Parses and validates the JSON lines of a recording, which `recording/wire.py` writes."""

import json
from collections.abc import Iterator
from math import isfinite
from sys import intern
from typing import Any, NamedTuple, get_args

from pydantic import ConfigDict, TypeAdapter

from conductor.base.json_types import JsonObject
from conductor.domain.actions import Action
from conductor.domain.devices import PortInfo
from conductor.domain.events import Control, EventKind, InputEvent
from conductor.domain.recording import (
    ActionPerformed,
    ClockAnchored,
    ControlSnapshot,
    DeviceMuted,
    DevicesChanged,
    EngineCommand,
    MemorySnapshot,
    ModeSwitched,
    Panicked,
    PauseChanged,
    RecordedDevice,
    RecordedEffect,
    RecordedEntry,
    RunFailed,
    Segment,
    StateSnapshot,
)
from conductor.domain.triggers.encoder_coding import CodingDetector
from conductor.engine.recording.wire import FORMAT_VERSION

_ACTION_ADAPTER: TypeAdapter[Action] = TypeAdapter(Action)
_EVENT_KINDS = frozenset(get_args(EventKind))


class UnknownFormatError(ValueError):
    """Raised when the lines of a recording have another version or are damaged."""


class SegmentReader:
    """Builds a segment from its lines as they arrive; each line is validated, because files may be damaged."""

    def __init__(self, header_line: str) -> None:
        """Create the reader of a segment from its header line.

        Raises:
            UnknownFormatError: the line is not a header, or has another version.
        """
        header = _parse_line(header_line)
        if not isinstance(header, dict) or header.get("format") != FORMAT_VERSION:
            raise UnknownFormatError("another version")
        try:
            self._header = _HEADER_ADAPTER.validate_python(header)
            self._devices = _decode_devices(header["devices"])
        except _DAMAGE_ERRORS as error:
            raise UnknownFormatError(f"the header is damaged: {error}") from error
        self.session, self.number = self._header.session, self._header.number
        self.rows = 0
        self.entries: list[RecordedEntry] = []
        self._controls: list[ControlSnapshot] = []

    def add_lines(self, rows: str) -> None:
        """Parse the next lines, which are joined by newlines, and add them to the segment.

        Raises:
            UnknownFormatError: a line is damaged; the lines before it have been added.
        """
        for line in rows.split("\n"):
            plain = _parse_line(line)
            try:
                if self.is_usable:
                    self.entries.append(decode_entry(plain))
                else:
                    self._controls.append(_decode_control(plain))
            except _DAMAGE_ERRORS as error:
                raise UnknownFormatError(f"line {self.rows + 2} is damaged: {error}") from error
            self.rows += 1

    @property
    def is_usable(self) -> bool:
        """Return whether all lines of the snapshot have been read, so that the segment can be replayed."""
        return len(self._controls) >= self._header.controls

    def played_s(self) -> float:
        """Return the seconds between the first and the last entry read so far."""
        return self.entries[-1].time - self.entries[0].time if self.entries else 0.0

    def build_segment(self) -> Segment:
        """Return a segment with the entries that have been read so far."""
        header = self._header
        return Segment(
            self.session,
            header.config_id,
            header.week_s,
            self._devices,
            header.start._replace(controls=tuple(self._controls)),
            tuple(self.entries),
            header.is_loaded,
        )


class _SegmentHeader(NamedTuple):
    format: int
    session: str
    number: int
    config_id: str
    week_s: float
    is_loaded: bool
    devices: Any
    controls: int
    start: StateSnapshot


_FINITE_CONFIG = ConfigDict(allow_inf_nan=False)
_HEADER_ADAPTER = TypeAdapter(_SegmentHeader, config=_FINITE_CONFIG)
_CONTROL_ADAPTER = TypeAdapter(ControlSnapshot, config=_FINITE_CONFIG)
_DAMAGE_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)
"""The exceptions that damaged data can cause while it is read; pydantic's errors are `ValueError`s."""


def _parse_line(line: str) -> Any:
    try:
        return json.loads(line, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise UnknownFormatError(f"a line is not JSON: {error}") from None


def _reject_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def decode_entry(plain: Any) -> RecordedEntry:
    """Return the recorded entry in a parsed line.

    Raises:
        ValueError: the line is not an entry. Damaged data may raise the other errors in `_DAMAGE_ERRORS` too.
    """
    sequence, time, cause, effects = plain
    return RecordedEntry(
        _require_int(sequence),
        _require_finite(time),
        _decode_event(cause) if isinstance(cause, list) else _decode_command(cause),
        tuple(
            RecordedEffect(
                intern(kind),
                intern(scope),
                _require_int(row),
                intern(action_type),
                _require_finite(value),
                _require_int(steps),
            )
            for kind, scope, row, action_type, value, steps in effects
        ),
    )


def _require_int(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is not a whole number")
    return value


def _require_finite(value: Any) -> Any:
    """Return a finite number unchanged; raise `ValueError` for any other value."""
    if (type(value) is not float and type(value) is not int) or not isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return value


def _decode_event(plain: list[Any]) -> InputEvent:
    kind, device, channel, number, value, time = plain[:6]
    if kind not in _EVENT_KINDS:
        raise ValueError(f"{kind!r} is not a kind of event")
    return InputEvent(
        intern(kind),  # pyright: ignore[reportArgumentType]
        intern(device),
        _require_int(channel),
        intern(number) if isinstance(number, str) else _require_int(number),
        _require_finite(value),
        _require_finite(time),
        _decode_event_data(plain[6]) if len(plain) > 6 else None,
    )


def _decode_event_data(plain: Any) -> Any:
    if isinstance(plain, dict):
        return bytes.fromhex(plain["hex"])
    if isinstance(plain, list):
        items: list[Any] = plain
        return tuple(_decode_event_data(item) for item in items)
    return plain


_PLAIN_COMMANDS: dict[str, TypeAdapter[Any]] = {
    kind.__name__: TypeAdapter(kind, config=ConfigDict(allow_inf_nan=False))
    for kind in (ModeSwitched, DeviceMuted, PauseChanged, Panicked, RunFailed, ClockAnchored)
}


def _decode_command(plain: JsonObject) -> EngineCommand:
    fields = dict(plain)
    kind = fields.pop("is")
    if kind == "ActionPerformed":
        return ActionPerformed(_ACTION_ADAPTER.validate_python(fields["action"]))
    if kind == "DevicesChanged":
        return DevicesChanged(_decode_devices(fields["devices"]))
    return _PLAIN_COMMANDS[kind].validate_python(fields)


def _decode_devices(plain: list[Any]) -> tuple[RecordedDevice, ...]:
    return tuple(
        RecordedDevice(intern(device_id), intern(kind), PortInfo.model_validate(port))
        for device_id, kind, port in plain
    )


def _decode_control(plain: list[Any]) -> ControlSnapshot:
    control, down, last, memories, pressed_in, consumed, (tapped_in, tapped_at) = plain
    saved = ControlSnapshot(
        Control(*control),
        down,
        None if last is None else _decode_event(last),
        tuple(_decode_memories(memories)),
        None if pressed_in is None else (pressed_in[0], pressed_in[1]),
        consumed,
        (None if tapped_in is None else (tapped_in[0], tapped_in[1]), tapped_at),
    )
    _CONTROL_ADAPTER.validate_python(saved)
    return saved


def _decode_memories(plain: list[Any]) -> Iterator[MemorySnapshot]:
    for scope, row, active, previous, coding, behind in plain:
        if coding is not None:
            CodingDetector.from_plain(coding)  # raises an exception if the data is damaged
        yield MemorySnapshot(
            scope, row, active, previous, None if coding is None else tuple(coding), behind
        )
