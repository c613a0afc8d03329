"""Defines recordings of the engine's input, from which its behaviour can be replayed.

A recording is a list of segments that can be replayed independently.

Each segment begins with a snapshot of the engine's state, taken when no gesture was undecided. A replay
restores the snapshot and feeds the entries in order. Each entry contains the effects that really
happened. A replay under the recorded config must reproduce these effects before it may predict the
effects of another config.
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
    """The index of the mapping in its scope, in the config under which the segment was recorded."""
    active: bool
    previous: int | float | None
    coding: tuple[Any, ...] | None
    """The state of the detector for the coding of an encoder; None if the mapping has none."""
    behind: int
    """The number of values of the control that the mapping has not judged."""


class ControlSnapshot(NamedTuple):
    """The state of one control when the snapshot was taken."""

    control: Control
    down: bool
    last: InputEvent | None
    memories: tuple[MemorySnapshot, ...]
    pressed_in: tuple[str, str | None] | None = None
    """The mode and the profile whose mappings handle the release, because the control was pressed in them.
    None if the control is up, or if no mapping listened."""
    consumed: bool = False
    """Whether a chord has used up the current press."""
    tapped: tuple[tuple[str, str | None] | None, float] = (None, 0.0)
    """The mode and the profile of the last tap on the control, and the time when that tap began."""


class StateSnapshot(NamedTuple):
    """The state of the engine between two events, except undecided presses and running actions."""

    time: float
    """The engine time of the snapshot in seconds."""
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
    """What was unfinished and is therefore missing from the snapshot, as text; empty if it is complete."""
    recent: tuple[tuple[Control, float], ...] = ()
    """When controls were last pressed, oldest first; empty if no gesture depends on it."""


class ModeSwitched(NamedTuple):
    """A mode was chosen in the window, by an agent or on the command line."""

    mode: str


class DeviceMuted(NamedTuple):
    """A device was muted, or unmuted."""

    device: str
    muted: bool


class PauseChanged(NamedTuple):
    """Conductor was paused, or resumed."""

    paused: bool


class Panicked(NamedTuple):
    """All held keys and notes were released, and all running actions were stopped."""


class ActionPerformed(NamedTuple):
    """An action was performed once, outside of any mapping."""

    action: Action


class RunFailed(NamedTuple):
    """An action in a run has failed immediately, which ended the run."""

    run: int


class ConfigLoaded(NamedTuple):
    """A config was loaded, which begins a new segment; this is not stored as an entry."""


class ClockAnchored(NamedTuple):
    """The local time at the time of the entry, in seconds since Monday 00:00."""

    week_s: float


class DevicesChanged(NamedTuple):
    """Other inputs are connected than before."""

    devices: tuple["RecordedDevice", ...]


class RecordedDevice(NamedTuple):
    """A connected input, with the properties by which matchers recognise it."""

    device_id: str
    kind: str
    """The kind of input: `midi_input`, `gamepad`, `osc` or `virtual`."""
    port: PortInfo


EngineCommand = (
    ModeSwitched
    | DeviceMuted
    | PauseChanged
    | Panicked
    | ActionPerformed
    | RunFailed
    | ClockAnchored
    | DevicesChanged
)
"""The inputs of the engine that are commands and not events."""


class RecordedEffect(NamedTuple):
    """An effect of the engine (`domain.trace.Effect`), with the position of the mapping that caused it."""

    kind: str
    scope: str
    row: int
    action_type: str
    value: float
    steps: int


class RecordedEntry(NamedTuple):
    """A step of the engine: an input, the time at which it was judged, and its effects."""

    sequence: int
    """The sequence number of the trace of this step."""
    time: float
    """The engine time at which the input was judged, which is later than the event if it was read late."""
    input: InputEvent | EngineCommand
    """The event or command. A `timer` event stands for deadlines, which a replay produces itself."""
    effects: tuple[RecordedEffect, ...]


class Segment(NamedTuple):
    """A part of a recording during which one config was active."""

    session: str
    """The id of the engine process. The clocks of different processes cannot be compared."""
    config_id: str
    """The id of the config that was active (`compute_config_id`)."""
    week_s: float
    """The local time at the start of the segment, in seconds since Monday 00:00."""
    devices: tuple[RecordedDevice, ...]
    start: StateSnapshot
    entries: tuple[RecordedEntry, ...]
    is_loaded: bool = False
    """Whether the segment began when a config was loaded, which ends everything unfinished."""

    def played_s(self) -> float:
        """Return the seconds between the first and the last entry."""
        return self.entries[-1].time - self.entries[0].time if self.entries else 0.0


class Recording(NamedTuple):
    """A recording as its segments, oldest first."""

    segments: tuple[Segment, ...] = ()
