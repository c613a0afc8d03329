"""A recording of the engine's input events, with the engine's state at its start.

A recording is a list of segments that can be replayed independently. Each segment begins with a snapshot of the
engine's state, taken when no gesture was undecided. A replay restores the snapshot and feeds the entries in
order. Each entry contains the effects that really happened. A replay under the recorded config must reproduce
these effects before it may predict the effects of another config.
"""

from typing import Any, NamedTuple

from conductor.domain.actions import Action
from conductor.domain.conditions import Scalar
from conductor.domain.devices import PortInfo
from conductor.domain.events import Control, InputEvent


class MemorySnapshot(NamedTuple):
    """The stored state of one mapping for one control (`domain.triggers.base.Memory`)."""

    scope: str
    row: int
    """The mapping's index in its scope, in the config that the segment was recorded with."""
    active: bool
    previous: int | float | None
    coding: tuple[Any, ...] | None
    """The state of the encoder's coding detector."""
    behind: int
    """The number of values of the control that the mapping has not seen."""


class ControlSnapshot(NamedTuple):
    """The stored state of one control."""

    control: Control
    down: bool
    last: InputEvent | None
    memories: tuple[MemorySnapshot, ...]
    pressed_in: tuple[str, str | None] | None = None
    """The mode and profile in which the control was pressed, whose mappings handle its release. None if the
    control is up, or if no mapping listened.
    """
    consumed: bool = False
    """Whether a chord consumed the current press."""
    tapped: tuple[tuple[str, str | None] | None, float] = (None, 0.0)
    """The mode and profile at the last tap of the control, and the time when the tap began."""


class StateSnapshot(NamedTuple):
    """The engine's complete state between two events, without undecided presses and running actions."""

    time: float
    """The engine time in seconds."""
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
    """Unfinished activity that the snapshot does not include, in words; empty if the snapshot is complete."""
    recent: tuple[tuple[Control, float], ...] = ()
    """The last press times of controls, oldest first, if a gesture needs them."""


class ModeSwitched(NamedTuple):
    """A mode was selected by the window, an agent or the command line."""

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
    """An action of a run failed immediately, so the run ended."""

    run: int


class ConfigLoaded(NamedTuple):
    """A config was loaded, which begins a new segment. This step is not stored as an entry of a segment."""


class ClockAnchored(NamedTuple):
    """Relates an entry's time to the local time, in seconds since Monday 00:00."""

    week_s: float


class DevicesChanged(NamedTuple):
    """Records that the set of connected inputs changed."""

    devices: tuple["RecordedDevice", ...]


class RecordedDevice(NamedTuple):
    """A connected input, with the properties that matchers compare."""

    device_id: str
    kind: str
    """`midi_input`, `gamepad`, `osc` or `virtual`."""
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
"""The inputs of the engine that are not events."""


class RecordedEffect(NamedTuple):
    """An effect of the engine (`domain.trace.Effect`), with the position of its mapping."""

    kind: str
    scope: str
    row: int
    action_type: str
    value: float
    steps: int


class RecordedEntry(NamedTuple):
    """A step of the engine: its input, time and effects."""

    sequence: int
    """The number of the trace."""
    time: float
    """The engine time of the decision, which is later than the event's own time if the event was read late."""
    input: InputEvent | EngineCommand
    """The input. A `timer` event represents deadlines that came due, and is not fed by a replay."""
    effects: tuple[RecordedEffect, ...]


class Segment(NamedTuple):
    """A part of a recording during which the same config was active."""

    session: str
    """The id of the engine process. Times of different sessions are measured by different clocks."""
    config_id: str
    """The id of the active config (`compute_config_id`)."""
    week_s: float
    """The local time at the start, in seconds since Monday 00:00."""
    devices: tuple[RecordedDevice, ...]
    start: StateSnapshot
    entries: tuple[RecordedEntry, ...]
    is_loaded: bool = False
    """Whether the segment began with a config load, which ended all unfinished activity."""

    def played_s(self) -> float:
        """Return the time in seconds from the first entry to the last."""
        return self.entries[-1].time - self.entries[0].time if self.entries else 0.0


class Recording(NamedTuple):
    """All segments of a recording, oldest first."""

    segments: tuple[Segment, ...] = ()
