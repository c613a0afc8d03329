"""Defines the state of the engine between two events, which belongs to one thread and is passed to `step`."""

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
"""The maximum number of controls whose state is kept. Beyond it, idle controls are dropped, because a device
may send any number of OSC addresses."""
MAX_VARIABLES = 1_000
VOID_DEADLINE_SWEEP_THRESHOLD = 256
"""The number of deadlines in the heap from which void ones are removed."""
MAX_REMEMBERED_CONFIGS = 20

WallClock = Callable[[float], tuple[int, int]]
"""A function that returns the local ISO weekday and minute of the day at an engine time."""


def get_noon_on_monday(_now: float) -> tuple[int, int]:
    """Return Monday at noon, which is the time in simulations unless another is given."""
    return 1, 720


TapState = tuple[tuple[str, str | None] | None, float]
"""The mode and the profile of the last tap on a control, and the engine time when that tap began."""


class ControlState:
    """The state of one control: whether it is down, its pending press, and what it holds."""

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
        """The mappings that were active at the press. They also handle the release, even if
        another mode is active by then."""
        self.press: PendingPress | None = None
        self.consumed = False
        """Whether a chord has used up this press."""
        self.memories: dict[int, TriggerMemory] = {}
        self.held: list[HeldControl] = []
        self.last: InputEvent | None = None
        """The last value of the control, even if only mappings of other modes could have seen it."""
        self.moves = 0
        """The number of values that the control has sent. A mapping that remembers a
        lower number has missed some."""
        self.tapped: TapState = (None, 0.0)


class HeldControl:
    """An effect, a momentary mode or a run that lasts until a control is released."""

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
        """The effect that ends the hold, which releases keys or sends a note-off; None if there is none."""
        self.mode = mode
        """The momentary mode to leave at the release; empty if there is none."""
        self.run = run
        """The run that is told about the release; None if there is none."""
        self.repeats = repeats
        """Whether the run ends at the release; other runs continue."""
        self.is_over = False
        """True once the hold was released. The controls of a chord share one object, and
        the first release ends it."""

    def has_ended(self) -> bool:
        """Return whether there is nothing left to release, because the hold or its run has already ended."""
        return self.is_over or (self.run is not None and self.run.is_over)

    @property
    def outlives_mode(self) -> bool:
        """Return whether the hold stays when the mode changes.

        Momentary modes and runs stay; keys and notes are released.
        """
        return self.mode is not None or (self.run is not None and not self.repeats)


class Run:
    """The execution of an action that has several steps or takes time."""

    __slots__ = ("firing", "gesture", "id", "is_over", "steps", "waits_for_completion")

    def __init__(self, number: int, firing: "Firing", gesture: int) -> None:
        self.id = number
        self.firing = firing
        self.gesture = gesture
        """The sequence number of the trace of the press or value that has started the run."""
        self.steps: Iterator[Any] = iter(())
        self.is_over = False
        self.waits_for_completion = False


class Firing(NamedTuple):
    """A firing of a mapping, with the values and controls that its action needs."""

    compiled: CompiledMapping
    fire: Fire
    holders: tuple["ControlState", ...]
    """The controls whose release ends what this firing holds; empty if they are already released."""
    presses: tuple[int, ...] = ()
    """The sequence numbers of the presses that cause the firing, if it fires in another trace than theirs."""


class ChordPool:
    """The presses on one device that may still become a chord, oldest first."""

    __slots__ = ("presses",)

    def __init__(self) -> None:
        self.presses: dict[Control, tuple[PendingPress, tuple[CompiledMapping, ...], float]] = {}
        """For each control: its press, the chords that the press may become part of,
        and the end of the window."""


class PermanentOwner:
    """Owns deadlines that are never cancelled, unlike those of a press or run."""

    is_over = False


Deadline = tuple[float, int, Callable[[Trace], None], PendingPress | Run | PermanentOwner]
"""A deadline: time, ticket, callback and owner.

Deadlines with equal times run in the order of their tickets, in which they were scheduled. A deadline is
void once its owner is over, which is cheaper than searching the heap to remove it.
"""


class EngineState:
    """The complete state of the engine. Conditions are evaluated against it, so it implements `Situation`."""

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
        """The mode that is active when all momentary modes have ended."""
        self.previous_mode = self.mode
        """The mode to which a toggle returns."""
        self.momentary: list[HeldControl] = []
        self.profile: str | None = None
        self.app: tuple[str, str, str] = ("", "", "")
        self.variables: dict[str, Scalar] = {}
        self.controls: dict[Control, ControlState] = {}
        self.down: set[Control] = set()
        self.holding: dict[Control, None] = {}
        """The controls that hold something, oldest first. A dict keeps this order, in which they are
        released, while the order of a set differs between processes."""
        self.chords: dict[tuple[str, int, str], ChordPool] = {}
        self.recent: dict[str, dict[Control, float]] | None = (
            {} if table.needs_recent_presses else None
        )
        """For each device, when its controls were last pressed, oldest first; None if no gesture needs this."""
        self.undecided: dict[str, list[PendingPress]] = {}
        """For each device, the pending presses that its other controls can decide or
        must wait for, oldest first."""
        self.waiting: dict[str, list[tuple[InputEvent, int, tuple[Control, ...]]]] = {}
        """For each device, the events that wait for an undecided gesture: the event, the sequence number of
        its trace, and the controls it has waited for."""
        self.freed: dict[str, None] = {}
        """The devices on which a gesture was decided, so that their queued events must be judged again."""
        self.replayed_at: float | None = None
        """The time of the queued event that is being judged; None at all other times."""
        self.replayed_as = 0
        """The sequence number of the trace in which the queued event arrived; 0 if none is being judged."""
        self.runs: dict[int, Run] = {}
        self.runs_started = 0
        self.muted: set[str] = set(table.muted)
        self.paused = False
        self.groups = table.get_cached_groups(self.mode, None)
        self.sequence = 0
        self.configs: deque[tuple[int, Config]] = deque(
            [(0, table.config)], maxlen=MAX_REMEMBERED_CONFIGS
        )
        """The last configs, each with the sequence number from which it was active, to
        explain events before a reload."""
        self._deadlines: list[Deadline] = []
        self._tickets = 0
        self._sweep_at = VOID_DEADLINE_SWEEP_THRESHOLD
        self._wall_clock = wall_clock

    def create_trace(self, event: InputEvent) -> Trace:
        """Return a new trace for an event, with the next sequence number."""
        self.sequence += 1
        return Trace(self.sequence, event, self.mode, self.profile, self.now)

    def number_traces_after(self, number: int) -> None:
        """Make the sequence numbers of all later traces greater than `number`."""
        self.sequence = max(self.sequence, number)

    def get_control_state(self, control: Control) -> ControlState:
        """Return the state of a control; create it if the control is new."""
        control_state = self.controls.get(control)
        if control_state is None:
            if len(self.controls) >= MAX_CONTROLS:
                self._evict_idle_controls()
            control_state = self.controls[control] = ControlState(control)
        return control_state

    def _evict_idle_controls(self) -> None:
        # A device may send any number of OSC addresses, so the state of idle controls is dropped.
        self.controls = {
            control: control_state
            for control, control_state in self.controls.items()
            if control_state.down or control_state.press is not None or control_state.held
        }

    def select_mapping_groups(self) -> None:
        """Look up the mapping groups for the active mode and profile."""
        self.groups = self.table.get_cached_groups(self.mode, self.profile)

    def get_gesture_time(self) -> float:
        """Return the time by which gestures are measured: now or, for a queued event, the time of the event."""
        return self.now if self.replayed_at is None else self.replayed_at

    def settle_press(self, press: PendingPress) -> None:
        """Mark a press as decided, and let the events that wait for it be judged."""
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
        """Call a function at a time, unless its owner is over by then."""
        self._tickets += 1
        heapq.heappush(self._deadlines, (due, self._tickets, do, owner))
        if len(self._deadlines) > self._sweep_at:
            self._remove_void_deadlines()

    def _remove_void_deadlines(self) -> None:
        """Remove void deadlines from the heap.

        The next removal is due at twice the remaining size, so that the cost per deadline stays constant.
        """
        self._deadlines = [deadline for deadline in self._deadlines if not deadline[3].is_over]
        heapq.heapify(self._deadlines)
        self._sweep_at = max(VOID_DEADLINE_SWEEP_THRESHOLD, 2 * len(self._deadlines))

    def end_run(self, run: Run) -> None:
        """End a run and skip its remaining steps."""
        run.is_over = True
        self.runs.pop(run.id, None)

    def get_due_time(self) -> float | None:
        """Return the time of the next deadline, or None if there is none.

        Void deadlines are removed first.

        They must not wake the engine or advance its clock, because a state that was restored from a
        snapshot does not contain them.
        """
        deadlines = self._deadlines
        while deadlines and deadlines[0][3].is_over:
            heapq.heappop(deadlines)
        return deadlines[0][0] if deadlines else None

    def pop_next_deadline(self) -> tuple[float, Callable[[Trace], None]]:
        """Remove the next deadline from the heap, which must not be empty; return its time and its callback."""
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
