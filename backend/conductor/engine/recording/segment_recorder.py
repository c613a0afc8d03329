"""Records what is played in segments that can be replayed: on the engine's thread, a tuple for each step.

A segment begins when a config is loaded, and at quiet moments after enough entries or enough time: nothing
is undecided, held or running then, so a snapshot holds everything. Snapshots are taken by `tick`, four times
a second, never while an event is judged.
"""

import secrets
from collections import deque
from collections.abc import Sequence
from typing import Any

from conductor.domain.events import InputEvent
from conductor.domain.recording import (
    ClockAnchored,
    Command,
    ConfigLoaded,
    DevicesChanged,
    Entry,
    RecordedDevice,
    RecordedEffect,
    RunFailed,
    Segment,
    StateSnapshot,
)
from conductor.domain.trace import Effect, Trace
from conductor.engine.snapshot import take_snapshot, unfinished
from conductor.engine.state import EngineState

ENTRIES_KEPT = 50_000
DATA_BYTES_KEPT = 16_000_000
ENTRIES_A_SEGMENT = 512
DATA_BYTES_A_SEGMENT = 1_000_000
SEGMENT_S = 60.0
BUSY_TIMES = 4
"""Somebody who always holds something gets a snapshot with something missing after so many times that."""
WEEK_S = 7 * 86_400.0
CLOCK_MOVED_S = 1.0


Step = Entry | tuple[int, float, InputEvent | Command, Sequence[Effect]]
"""An entry, or what becomes one when somebody reads it: the engine's thread has no time for that."""


class OpenSegment:
    """A segment that grows, or has grown."""

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
        self.steps: list[Step] = []
        self.data_bytes = 0
        """How much SysEx messages and OSC arguments take: everything else has a size that is known."""

    def played_s(self) -> float:
        """Return how long was played, from the first step to the last."""
        return self.steps[-1][1] - self.steps[0][1] if self.steps else 0.0

    def entry(self, number: int) -> Entry:
        """Return a step as an entry; it is kept as one from now on, which takes less memory."""
        step = self.steps[number]
        if isinstance(step, Entry):
            return step
        sequence, time, cause, effects = step
        recorded = tuple(map(_recorded, effects)) if effects else ()
        self.steps[number] = entry = Entry(sequence, time, cause, recorded)
        return entry


class SegmentRecorder:
    """Filled by the engine's thread; others read `segments`, whose steps only grow."""

    def __init__(self) -> None:
        self.session = secrets.token_hex(8)
        self.segments: deque[OpenSegment] = deque()
        self.history_s = 20 * 60.0
        self._config_id = ""
        self._keeps_titles = True
        self._devices: tuple[RecordedDevice, ...] = ()
        self._clock_offset_s: float | None = None
        """Local time less the engine's."""
        self._numbers = 0
        self._steps: list[Step] = []
        """Those of the last segment."""

    def configure(self, config_id: str, history_minutes: int, *, keeps_titles: bool = True) -> None:
        """Set the id of the config that is loaded next, and how much is kept.

        Titles of windows, which may say what the user reads, are kept only where a config looks at them.
        """
        self._config_id = config_id
        self._keeps_titles = keeps_titles
        self.history_s = history_minutes * 60.0

    def take(self, trace: Trace, state: EngineState) -> None:
        """Record a step; a load begins a new segment instead."""
        command = trace.command
        if command is None:
            cause = trace.event
            if cause.data is not None:
                if cause.kind == "app" and not self._keeps_titles:
                    cause = cause._replace(data=(*cause.data[:2], ""))
                if self.segments:
                    self.segments[-1].data_bytes += _data_bytes(cause.data)
        elif isinstance(command, ConfigLoaded):
            self.begin(state, is_loaded=True)
            return
        else:
            cause = command
        self._steps.append((trace.sequence, trace.time, cause, trace.effects or ()))

    def run_failed(self, run: int, state: EngineState) -> None:
        """Record that an action failed at once, which ended its run."""
        self._steps.append(Entry(state.sequence, state.now, RunFailed(run), ()))

    def take_devices(self, devices: tuple[RecordedDevice, ...], state: EngineState) -> None:
        """Record which inputs are there, when that has changed."""
        if devices != self._devices:
            self._devices = devices
            self._steps.append(Entry(state.sequence, state.now, DevicesChanged(devices), ()))

    def tick(self, state: EngineState, at: float, week_s: float) -> None:
        """Do what needs no haste: anchor the clock, begin a segment, forget old ones.

        `week_s` is the local time at the engine's time `at`, in seconds since Monday 00:00.
        """
        self._anchor(state, at, week_s)
        if not self.segments:
            return
        count, since = len(self._steps), self.segments[-1].start.time
        if not count:
            return
        data_bytes = self.segments[-1].data_bytes
        is_large = data_bytes >= DATA_BYTES_A_SEGMENT
        is_due = count >= ENTRIES_A_SEGMENT or at - since >= SEGMENT_S or is_large
        is_overdue = (
            count >= BUSY_TIMES * ENTRIES_A_SEGMENT
            or data_bytes >= BUSY_TIMES * DATA_BYTES_A_SEGMENT
            or (at - since >= BUSY_TIMES * SEGMENT_S and count >= ENTRIES_A_SEGMENT)
        )
        if is_due and (is_overdue or not unfinished(state)):
            self.begin(state, is_loaded=False)

    def forget_all(self, state: EngineState) -> None:
        """Forget everything; what follows is recorded from now on."""
        self.segments.clear()
        self.begin(state, is_loaded=False)

    def start_time(self) -> float:
        """Return when the oldest segment begins; before that everything is forgotten."""
        return self.segments[0].start.time if self.segments else float("-inf")

    def _anchor(self, state: EngineState, at: float, week_s: float) -> None:
        offset = (week_s - at) % WEEK_S
        before, self._clock_offset_s = self._clock_offset_s, offset
        if before is None:
            return
        moved = abs(offset - before)
        if min(moved, WEEK_S - moved) <= CLOCK_MOVED_S:
            self._clock_offset_s = before
            return
        anchor = ClockAnchored((state.now + offset) % WEEK_S)
        self._steps.append(Entry(state.sequence, state.now, anchor, ()))

    def begin(self, state: EngineState, *, is_loaded: bool) -> None:
        """Begin a segment with a snapshot of the state."""
        self._numbers += 1
        start = take_snapshot(state)
        if not self._keeps_titles:
            start = start._replace(app=(*start.app[:2], ""))
        week_s = (state.now + (self._clock_offset_s or 0.0)) % WEEK_S
        segment = OpenSegment(
            self._numbers, self._config_id, week_s, self._devices, start, is_loaded=is_loaded
        )
        if self.segments and not self.segments[-1].steps:
            self.segments.pop()
        self.segments.append(segment)
        self._steps = segment.steps
        self._forget()

    def _forget(self) -> None:
        kept = keep_newest(
            [(len(one.steps), one.played_s()) for one in self.segments], self.history_s
        )
        while len(self.segments) > kept:
            self.segments.popleft()
        data_bytes = sum(one.data_bytes for one in self.segments)
        while data_bytes > DATA_BYTES_KEPT and len(self.segments) > 1:
            data_bytes -= self.segments.popleft().data_bytes


def keep_newest(segments: Sequence[tuple[int, float]], history_s: float) -> int:
    """Return how many of the newest segments are kept, of their entries and seconds played.

    What is kept is counted in time played, not in time passed: after a pause of an hour the last 20
    minutes that were played are still there for a replay. The newest segment is always kept.
    """
    entries, played_s = 0, 0.0
    for kept, (count, seconds) in enumerate(reversed(segments)):
        entries += count
        played_s += min(seconds, BUSY_TIMES * SEGMENT_S)
        if kept and (entries > ENTRIES_KEPT or played_s > history_s):
            return kept
    return len(segments)


def _data_bytes(data: Any) -> int:
    if isinstance(data, bytes | bytearray | str):
        return len(data)
    if isinstance(data, tuple | list):
        items: Sequence[Any] = data
        return sum(map(_data_bytes, items))
    return 0


def _recorded(effect: Effect) -> RecordedEffect:
    ref, fire = effect.ref, effect.fire
    action_type: str = effect.action.type  # pyright: ignore[reportAttributeAccessIssue]
    return RecordedEffect(effect.kind, ref.scope, ref.index, action_type, fire.value, fire.steps)


def closed(segment: OpenSegment, session: str) -> Segment:
    """Return a segment as it is now."""
    return Segment(
        session,
        segment.config_id,
        segment.week_s,
        segment.devices,
        segment.start,
        tuple(segment.entry(number) for number in range(len(segment.steps))),
        segment.is_loaded,
    )
