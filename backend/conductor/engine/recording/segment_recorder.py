"""Records what the engine processes, in segments that can be replayed independently.

A segment begins when a config is loaded, and after enough entries or time at a moment when nothing is
pending, held or running, so that a snapshot is complete. `tick` takes snapshots, four times a second and
never while an event is judged. Recording a step costs the engine thread one tuple.
"""

import secrets
from collections import deque
from collections.abc import Sequence
from typing import Any

from conductor.domain.events import InputEvent
from conductor.domain.recording import (
    ClockAnchored,
    ConfigLoaded,
    DevicesChanged,
    EngineCommand,
    RecordedDevice,
    RecordedEffect,
    RecordedEntry,
    RunFailed,
    StateSnapshot,
)
from conductor.domain.trace import Effect, Trace
from conductor.engine.snapshot import describe_unsaved_state, take_snapshot
from conductor.engine.state import EngineState

MAX_ENTRIES = 50_000
MAX_DATA_BYTES = 16_000_000
ENTRIES_PER_SEGMENT = 512
DATA_BYTES_PER_SEGMENT = 1_000_000
SEGMENT_S = 60.0
MAX_GROWTH_FACTOR = 4
"""The factor by which a segment may exceed its limits while something is always pending or held. After that,
an incomplete snapshot is taken."""
WEEK_S = 7 * 86_400.0
CLOCK_JUMP_S = 1.0


RecordedStep = RecordedEntry | tuple[int, float, InputEvent | EngineCommand, Sequence[Effect]]
"""A recorded entry, or the trace from which an entry is built when it is read, which saves
time in the engine thread."""


class OpenSegment:
    """A segment of the recording in memory; only the last one still grows."""

    def __init__(
        self,
        number: int,
        config_id: str,
        week_s: float,
        devices: tuple[RecordedDevice, ...],
        start: StateSnapshot,
        *,
        is_loaded: bool,
    ) -> None:
        self.number = number
        self.config_id = config_id
        self.week_s = week_s
        self.devices = devices
        self.start = start
        self.is_loaded = is_loaded
        self.steps: list[RecordedStep] = []
        self.data_bytes = 0
        """The bytes of all SysEx messages and OSC arguments; everything else in a step has a limited size."""

    def played_s(self) -> float:
        """Return the seconds between the first and the last step."""
        return self.steps[-1][1] - self.steps[0][1] if self.steps else 0.0

    def get_entry(self, number: int) -> RecordedEntry:
        """Return a step as an entry, which also replaces the step, because an entry takes less memory."""
        step = self.steps[number]
        if isinstance(step, RecordedEntry):
            return step
        sequence, time, cause, effects = step
        recorded = tuple(map(_to_recorded_effect, effects)) if effects else ()
        self.steps[number] = entry = RecordedEntry(sequence, time, cause, recorded)
        return entry


class SegmentRecorder:
    """Records segments in the engine thread; other threads may read `segments`, whose
    steps are only appended.
    """

    def __init__(self) -> None:
        self.session = secrets.token_hex(8)
        self.segments: deque[OpenSegment] = deque()
        self.history_s = 20 * 60.0
        self._config_id = ""
        self._records_titles = True
        self._devices: tuple[RecordedDevice, ...] = ()
        self._clock_offset_s: float | None = None
        """The local time minus the engine time in seconds; None before the first `tick`."""
        self._last_number = 0
        self._steps: list[RecordedStep] = []
        """The steps of the last segment, to which the engine thread appends."""

    def configure(
        self, config_id: str, history_minutes: int, *, records_titles: bool = True
    ) -> None:
        """Prepare for the config that is loaded next: its id, and how many minutes of history to keep.

        Window titles may reveal what the user reads, so they are recorded only if a config depends on them.
        """
        self._config_id = config_id
        self._records_titles = records_titles
        self.history_s = history_minutes * 60.0

    def record(self, trace: Trace, state: EngineState) -> None:
        """Record the trace of an event. Loading a config is not a step, but begins a new segment."""
        cause: InputEvent | EngineCommand = trace.event
        command = trace.command
        if command is not None or cause.data is not None:
            if isinstance(command, ConfigLoaded):
                self.begin_segment(state, is_loaded=True)
                return
            cause = self._count_data(trace.event) if command is None else command
        self._steps.append((trace.sequence, trace.time, cause, trace.effects or ()))

    def _count_data(self, event: InputEvent) -> InputEvent:
        """Add the data of an event to the size of the segment; return the event, without a window title
        if these are not recorded.
        """
        if event.data is not None:
            if event.kind == "app" and not self._records_titles:
                event = event._replace(data=(*event.data[:2], ""))
            if self.segments:
                self.segments[-1].data_bytes += _count_data_bytes(event.data)
        return event

    def record_failed_run(self, run: int, state: EngineState) -> None:
        """Record that an action failed immediately, which has ended its run."""
        self._steps.append(RecordedEntry(state.sequence, state.now, RunFailed(run), ()))

    def record_devices(self, devices: tuple[RecordedDevice, ...], state: EngineState) -> None:
        """Record which inputs are connected, if this has changed."""
        if devices != self._devices:
            self._devices = devices
            self._steps.append(
                RecordedEntry(state.sequence, state.now, DevicesChanged(devices), ())
            )

    def tick(self, state: EngineState, at: float, week_s: float) -> None:
        """Relate the engine time to local time, begin a new segment if one is due, and drop old segments.

        `week_s` is the local time at engine time `at`, in seconds since Monday 00:00.
        """
        self._anchor_clock(state, at, week_s)
        if not self.segments:
            return
        count, since = len(self._steps), self.segments[-1].start.time
        if not count:
            return
        data_bytes = self.segments[-1].data_bytes
        is_large = data_bytes >= DATA_BYTES_PER_SEGMENT
        is_due = count >= ENTRIES_PER_SEGMENT or at - since >= SEGMENT_S or is_large
        is_overdue = (
            count >= MAX_GROWTH_FACTOR * ENTRIES_PER_SEGMENT
            or data_bytes >= MAX_GROWTH_FACTOR * DATA_BYTES_PER_SEGMENT
            or (at - since >= MAX_GROWTH_FACTOR * SEGMENT_S and count >= ENTRIES_PER_SEGMENT)
        )
        if is_due and (is_overdue or not describe_unsaved_state(state)):
            self.begin_segment(state, is_loaded=False)

    def forget_all(self, state: EngineState) -> None:
        """Drop all segments, and begin a new one with the current state."""
        self.segments.clear()
        self.begin_segment(state, is_loaded=False)

    def start_time(self) -> float:
        """Return the engine time at which the oldest segment begins, or -inf if there are no segments."""
        return self.segments[0].start.time if self.segments else float("-inf")

    def _anchor_clock(self, state: EngineState, at: float, week_s: float) -> None:
        offset = (week_s - at) % WEEK_S
        before, self._clock_offset_s = self._clock_offset_s, offset
        if before is None:
            return
        moved = abs(offset - before)
        if min(moved, WEEK_S - moved) <= CLOCK_JUMP_S:
            self._clock_offset_s = before
            return
        anchor = ClockAnchored((state.now + offset) % WEEK_S)
        self._steps.append(RecordedEntry(state.sequence, state.now, anchor, ()))

    def begin_segment(self, state: EngineState, *, is_loaded: bool) -> None:
        """Begin a segment with a snapshot of the engine's state; a last segment without entries is replaced."""
        self._last_number += 1
        start = take_snapshot(state)
        if not self._records_titles:
            start = start._replace(app=(*start.app[:2], ""))
        week_s = (state.now + (self._clock_offset_s or 0.0)) % WEEK_S
        segment = OpenSegment(
            self._last_number, self._config_id, week_s, self._devices, start, is_loaded=is_loaded
        )
        if self.segments and not self.segments[-1].steps:
            self.segments.pop()
        self.segments.append(segment)
        self._steps = segment.steps
        self._drop_old_segments()

    def _drop_old_segments(self) -> None:
        count = count_segments_to_keep(
            [(len(segment.steps), segment.played_s()) for segment in self.segments], self.history_s
        )
        while len(self.segments) > count:
            self.segments.popleft()
        data_bytes = sum(segment.data_bytes for segment in self.segments)
        while data_bytes > MAX_DATA_BYTES and len(self.segments) > 1:
            data_bytes -= self.segments.popleft().data_bytes


def count_segments_to_keep(segments: Sequence[tuple[int, float]], history_s: float) -> int:
    """Return how many segments to keep, counted from the newest.

    `segments` contains the number of entries and the seconds played for each segment.

    The history is measured in playing time, not in elapsed time: after a pause of an hour, the last 20
    minutes of playing are still available for a replay. The newest segment is always kept.
    """
    entries, played_s = 0, 0.0
    for count_kept, (count, seconds) in enumerate(reversed(segments)):
        entries += count
        played_s += min(seconds, MAX_GROWTH_FACTOR * SEGMENT_S)
        if count_kept and (entries > MAX_ENTRIES or played_s > history_s):
            return count_kept
    return len(segments)


def _count_data_bytes(data: Any) -> int:
    if isinstance(data, bytes | bytearray | str):
        return len(data)
    if isinstance(data, tuple | list):
        items: Sequence[Any] = data
        return sum(map(_count_data_bytes, items))
    return 0


def _to_recorded_effect(effect: Effect) -> RecordedEffect:
    ref, fire = effect.ref, effect.fire
    action_type: str = effect.action.type  # pyright: ignore[reportAttributeAccessIssue]
    return RecordedEffect(effect.kind, ref.scope, ref.index, action_type, fire.value, fire.steps)
