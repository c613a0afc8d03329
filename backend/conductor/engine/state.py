"""The state of the engine between two events. The state belongs to one thread and is passed to `step`."""

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from conductor.domain.actions.base import Fire
from conductor.domain.conditions import Scalar
from conductor.domain.config import Config
from conductor.domain.events import Control, InputEvent
from conductor.domain.trace import Effect, Trace
from conductor.domain.triggers.base import TriggerMemory
from conductor.engine.pending import PendingPress
from conductor.engine.table import CompiledMapping, ControlMappingGroup, MappingTable

MAX_CONTROLS = 16_384
"""The maximum number of controls remembered. Idle controls are dropped at this limit, because a device may send
any number of OSC addresses.
"""
MAX_VARIABLES = 1_000
VOID_DEADLINE_SWEEP_THRESHOLD = 256
"""The number of deadlines in the heap at which void deadlines are removed."""
MAX_REMEMBERED_CONFIGS = 20

WallClock = Callable[[float], tuple[int, int]]
"""A function that converts engine time to the local ISO weekday and minute of the day."""


def get_noon_on_monday(_now: float) -> tuple[int, int]:
    """Return noon on Monday: the default wall clock of simulations."""
    return 1, 720


TapState = tuple[tuple[str, str | None] | None, float]
"""The mode and profile of a control's last tap, and the time when that tap began."""


class ControlState:
    """The state of one control."""

    __slots__ = (
        "consumed",
        "control",
        "down",
        "group",
        "held",
        "last",
        "memories",
        "moves",
        "press",
        "tapped",
    )

    def __init__(self, control: Control) -> None:
        self.control = control
        self.down = False
        self.group: ControlMappingGroup | None = None
        """The mappings in force at the press. The same mappings handle the release, even if another mode is
        active by then.
        """
        self.press: PendingPress | None = None
        self.consumed = False
        """Whether a chord consumed this press."""
        self.memories: dict[int, TriggerMemory] = {}
        self.held: list[HeldControl] = []
        self.last: InputEvent | None = None
        """The last value of the control, including values that mappings of other modes have not seen."""
        self.moves = 0
        """The number of values received. A mapping with a lower number in its memory missed some values."""
        self.tapped: TapState = (None, 0.0)


class HeldControl:
    """An effect, momentary mode or run that lasts until its control is released."""

    __slots__ = ("compiled_id", "effect", "is_over", "mode", "repeats", "run")

    def __init__(
        self,
        compiled_id: int,
        *,
        effect: Effect | None = None,
        mode: str | None = None,
        run: "Run | None" = None,
        repeats: bool = False,
    ) -> None:
        self.compiled_id = compiled_id
        self.effect = effect
        """The effect that releases the hold: keys up, or a note-off."""
        self.mode = mode
        """The momentary mode to leave."""
        self.run = run
        """The run that is notified when the control is released."""
        self.repeats = repeats
        """Whether the run ends at the release; other runs continue."""
        self.is_over = False
        """True once released. The notes of a chord share one object, and the first release counts."""

    def has_ended(self) -> bool:
        """Check whether nothing is left to release, because the hold was released before or its run has
        ended.
        """
        return self.is_over or (self.run is not None and self.run.is_over)

    @property
    def outlives_mode(self) -> bool:
        """Return whether the hold survives a mode change. Momentary modes and runs survive; held keys and notes
        do not.
        """
        return self.mode is not None or (self.run is not None and not self.repeats)


class Run:
    """An action with several steps that is being played."""

    __slots__ = ("firing", "gesture", "id", "is_over", "steps", "waits_for_completion")

    def __init__(self, number: int, firing: "Firing", gesture: int) -> None:
        self.id = number
        self.firing = firing
        self.gesture = gesture
        """The sequence number of the trace of the press or value that started the run."""
        self.steps: Iterator[Any] = iter(())
        self.is_over = False
        self.waits_for_completion = False


class Firing(NamedTuple):
    """A mapping that fires, with what its action needs."""

    compiled: CompiledMapping
    fire: Fire
    holders: tuple["ControlState", ...]
    """The controls whose release ends the holds of this firing. Empty if the controls are already released."""
    presses: tuple[int, ...] = ()
    """The sequence numbers of the presses that cause the firing, if they differ from the trace in which it
    fires.
    """


class ChordPool:
    """The pending presses of one device that may still become a chord, oldest first."""

    __slots__ = ("presses",)

    def __init__(self) -> None:
        self.presses: dict[Control, tuple[PendingPress, tuple[CompiledMapping, ...], float]] = {}
        """Each press with the chords that may include it and the end of its window."""


class PermanentOwner:
    """The owner of a deadline that never becomes void."""

    is_over = False


Deadline = tuple[float, int, Callable[[Trace], None], PendingPress | Run | PermanentOwner]
"""A deadline as time, ticket, callback and owner. By their tickets, deadlines with equal times run in the order
in which they were scheduled.

A deadline is void once its owner is over, which is cheaper than searching the heap to cancel the deadline.
"""


class EngineState:
    """The state of the engine. Implements `Situation`, the protocol that conditions are evaluated against."""

    __slots__ = (
        "_deadlines",
        "_sweep_at",
        "_tickets",
        "_wall_clock",
        "app",
        "base_mode",
        "chords",
        "configs",
        "controls",
        "down",
        "freed",
        "groups",
        "holding",
        "mode",
        "momentary",
        "muted",
        "now",
        "paused",
        "previous_mode",
        "profile",
        "recent",
        "replayed_as",
        "replayed_at",
        "runs",
        "runs_started",
        "sequence",
        "table",
        "undecided",
        "variables",
        "waiting",
    )

    def __init__(self, table: MappingTable, wall_clock: WallClock = get_noon_on_monday) -> None:
        self.table = table
        self.now = float("-inf")
        self.mode = table.config.get_start_mode()
        self.base_mode = self.mode
        """The mode below any momentary modes."""
        self.previous_mode = self.mode
        """The mode that a toggle returns to."""
        self.momentary: list[HeldControl] = []
        self.profile: str | None = None
        self.app: tuple[str, str, str] = ("", "", "")
        self.variables: dict[str, Scalar] = {}
        self.controls: dict[Control, ControlState] = {}
        self.down: set[Control] = set()
        self.holding: dict[Control, None] = {}
        """Controls that hold something, oldest first. A dict, because releases must happen in a reproducible
        order and that of a set differs between processes."""
        self.chords: dict[tuple[str, int, str], ChordPool] = {}
        self.recent: dict[str, dict[Control, float]] | None = (
            {} if table.needs_recent_presses else None
        )
        """For each device, the last press times of its controls, oldest first. None if no gesture needs
        them.
        """
        self.undecided: dict[str, list[PendingPress]] = {}
        """For each device, the pending presses that watch its other controls, oldest first."""
        self.waiting: dict[str, list[tuple[InputEvent, int, tuple[Control, ...]]]] = {}
        """For each device, the events queued behind an undecided gesture: event, sequence number of its trace,
        and the controls whose gestures it has waited for."""
        self.freed: dict[str, None] = {}
        """The devices whose gesture was decided, so that their queued events must be judged again."""
        self.replayed_at: float | None = None
        """The event's own time while a queued event is judged, else None."""
        self.replayed_as = 0
        """The sequence number of the trace in which that event arrived, else 0."""
        self.runs: dict[int, Run] = {}
        self.runs_started = 0
        self.muted: set[str] = set(table.muted)
        self.paused = False
        self.groups = table.get_cached_groups(self.mode, None)
        self.sequence = 0
        self.configs: deque[tuple[int, Config]] = deque(
            [(0, table.config)], maxlen=MAX_REMEMBERED_CONFIGS
        )
        """The recent configs, each with the sequence number at which it was loaded, to explain events from
        before a reload.
        """
        self._deadlines: list[Deadline] = []
        self._tickets = 0
        self._sweep_at = VOID_DEADLINE_SWEEP_THRESHOLD
        self._wall_clock = wall_clock

    def create_trace(self, event: InputEvent) -> Trace:
        """Create the trace of an event."""
        self.sequence += 1
        return Trace(self.sequence, event, self.mode, self.profile, self.now)

    def number_traces_after(self, number: int) -> None:
        """Number all later traces above this number."""
        self.sequence = max(self.sequence, number)

    def get_control_state(self, control: Control) -> ControlState:
        """Return the state of a control, creating it if necessary."""
        control_state = self.controls.get(control)
        if control_state is None:
            if len(self.controls) >= MAX_CONTROLS:
                self._evict_idle_controls()
            control_state = self.controls[control] = ControlState(control)
        return control_state

    def _evict_idle_controls(self) -> None:
        # A device may send any number of OSC addresses, so only controls in use are kept.
        self.controls = {
            control: control_state
            for control, control_state in self.controls.items()
            if control_state.down or control_state.press is not None or control_state.held
        }

    def select_mapping_groups(self) -> None:
        """Select the mapping groups of the active mode and profile."""
        self.groups = self.table.get_cached_groups(self.mode, self.profile)

    def get_gesture_time(self) -> float:
        """Return the time for measuring gestures: now, or a queued event's own time."""
        return self.now if self.replayed_at is None else self.replayed_at

    def settle_press(self, press: PendingPress) -> None:
        """Mark a press as decided and free the events queued behind it."""
        press.is_over = True
        if not press.watches:
            return
        press.watches = False
        device = press.control.device
        self.undecided[device].remove(press)
        if not self.undecided[device]:
            del self.undecided[device]
        if press.keeps_order:
            self.freed[device] = None

    def schedule_callback(
        self, due: float, do: Callable[[Trace], None], owner: PendingPress | Run | PermanentOwner
    ) -> None:
        """Schedule a callback, which is skipped if its owner is over by then."""
        self._tickets += 1
        heapq.heappush(self._deadlines, (due, self._tickets, do, owner))
        if len(self._deadlines) > self._sweep_at:
            self._remove_void_deadlines()

    def _remove_void_deadlines(self) -> None:
        """Remove void deadlines from the heap.

        The next sweep is due at twice the remaining size, so the cost per deadline stays constant.
        """
        self._deadlines = [deadline for deadline in self._deadlines if not deadline[3].is_over]
        heapq.heapify(self._deadlines)
        self._sweep_at = max(VOID_DEADLINE_SWEEP_THRESHOLD, 2 * len(self._deadlines))

    def end_run(self, run: Run) -> None:
        """End a run. The remaining steps are skipped."""
        run.is_over = True
        self.runs.pop(run.id, None)

    def get_due_time(self) -> float | None:
        """Return the time of the next deadline, or None.

        Void deadlines are dropped first. They must neither wake the engine nor advance its clock, because a
        state that was restored from a snapshot does not contain them.
        """
        deadlines = self._deadlines
        while deadlines and deadlines[0][3].is_over:
            heapq.heappop(deadlines)
        return deadlines[0][0] if deadlines else None

    def pop_next_deadline(self) -> tuple[float, Callable[[Trace], None]]:
        """Remove the next deadline and return its time and callback. The heap must not be empty."""
        when, _, do, _ = heapq.heappop(self._deadlines)
        return when, do

    def get_wall_clock(self) -> tuple[int, int]:
        return self._wall_clock(self.now)

    def get_variable(self, name: str) -> Scalar | None:
        return self.variables.get(name)

    def is_held(self, control_class: str, number: int | str, device: str | None) -> bool:
        return any(
            control.control_class == control_class
            and control.number == number
            and device in (None, control.device)
            for control in self.down
        )
