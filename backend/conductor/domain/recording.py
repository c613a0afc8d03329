"""A recording of what was played: the state it starts from and everything the engine was fed since.

A recording is a list of segments. Each begins with a snapshot of the engine's state, taken when nothing was
undecided, so that it can be replayed by itself: a replay restores the snapshot and feeds the entries in order.
With each entry stands what the engine really did, which a replay of the same config must reproduce before it
may predict anything for another one.
"""

from typing import Any, NamedTuple

from conductor.domain.actions import Action
from conductor.domain.conditions import Scalar
from conductor.domain.devices import PortInfo
from conductor.domain.events import Control, InputEvent


class MemorySnapshot(NamedTuple):
    """What one mapping remembers of one control (`domain.triggers.base.Memory`)."""

    scope: str
    row: int
    """The mapping's index in its scope, in the config that the segment was recorded with."""
    active: bool
    previous: int | float | None
    coding: tuple[Any, ...] | None
    """The state of the encoder's coding detector."""
    behind: int
    """How many values of the control the mapping has not seen."""


class ControlSnapshot(NamedTuple):
    """What is known of one control."""

    control: Control
    down: bool
    last: InputEvent | None
    memories: tuple[MemorySnapshot, ...]
    pressed_in: tuple[str, str | None] | None = None
    """Mode and profile when it was pressed: its release belongs to their mappings. None when it is
    up, or when no mapping listened."""
    consumed: bool = False
    """A chord took the press that is still down."""
    tapped: tuple[tuple[str, str | None] | None, float] = (None, 0.0)
    """Mode and profile at its last tap, and when that began."""


class StateSnapshot(NamedTuple):
    """The engine's state between two events. Undecided presses and running actions are not part of it."""

    time: float
    """On the engine's clock, in seconds."""
    mode: str
    base_mode: str
    previous_mode: str
    profile: str | None
    app: tuple[str, str, str]
    variables: dict[str, Scalar]
    muted: tuple[str, ...]
    paused: bool
    runs_started: int
    controls: tuple[ControlSnapshot, ...]
    unfinished: tuple[str, ...]
    """What was under way and is not in the snapshot, in words; empty when the snapshot is complete."""
    recent: tuple[tuple[Control, float], ...] = ()
    """When controls were pressed last, oldest first, where a gesture asks for that."""


class ModeSwitched(NamedTuple):
    """A mode was chosen from outside: by the window, an agent or the command line."""

    mode: str


class DeviceMuted(NamedTuple):
    """A device was muted, or unmuted."""

    device: str
    muted: bool


class PauseChanged(NamedTuple):
    """Conductor was paused, or resumed."""

    paused: bool


class Panicked(NamedTuple):
    """Everything held was released and everything running was ended."""


class ActionPerformed(NamedTuple):
    """An action was performed once, outside of any mapping."""

    action: Action


class RunFailed(NamedTuple):
    """An action of a run failed at once, so the run ended."""

    run: int


class ConfigLoaded(NamedTuple):
    """A config was taken over. Not an entry: a recording begins a new segment with it."""


class ClockAnchored(NamedTuple):
    """The local time at the entry's time, in seconds since Monday 00:00."""

    week_s: float


class DevicesChanged(NamedTuple):
    """Which inputs were there from now on."""

    devices: tuple["RecordedDevice", ...]


class RecordedDevice(NamedTuple):
    """An input, and what matchers recognise it by."""

    device_id: str
    kind: str
    """`midi_input`, `gamepad`, `osc` or `virtual`."""
    port: PortInfo


Command = (
    ModeSwitched
    | DeviceMuted
    | PauseChanged
    | Panicked
    | ActionPerformed
    | RunFailed
    | ClockAnchored
    | DevicesChanged
)
"""What reaches the engine other than by an event."""


class RecordedEffect(NamedTuple):
    """One thing that the engine did (`domain.trace.Effect`), by the place of its mapping."""

    kind: str
    scope: str
    row: int
    action_type: str
    value: float
    steps: int


class Entry(NamedTuple):
    """One step of the engine: what it was fed, when, and what it did."""

    sequence: int
    """The number of its trace."""
    time: float
    """The engine's time when it was judged; later than the event's own time when it was read late."""
    input: InputEvent | Command
    """A `timer` event stands for deadlines that came due; a replay does not feed it."""
    effects: tuple[RecordedEffect, ...]


class Segment(NamedTuple):
    """A stretch of playing under one config."""

    session: str
    """The run of the engine process: times of different sessions have different clocks."""
    config_id: str
    """Names the config that was in force (`config_id`)."""
    week_s: float
    """The local time at the start, in seconds since Monday 00:00."""
    devices: tuple[RecordedDevice, ...]
    start: StateSnapshot
    entries: tuple[Entry, ...]
    is_loaded: bool = False
    """A config was loaded at its start: what was under way before had ended then."""

    def played_s(self) -> float:
        """Return how long was played, from the first entry to the last."""
        return self.entries[-1].time - self.entries[0].time if self.entries else 0.0


class Recording(NamedTuple):
    """What was played, the oldest segment first."""

    segments: tuple[Segment, ...] = ()
