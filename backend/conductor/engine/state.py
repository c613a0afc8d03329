"""Everything the engine remembers between two events. Handed to `step`, never shared between threads."""

import heapq
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from conductor.domain.actions.base import Fire
from conductor.domain.conditions import Scalar
from conductor.domain.config import Config
from conductor.domain.events import Control, InputEvent
from conductor.domain.trace import Effect, Trace
from conductor.domain.triggers.base import Memory
from conductor.engine.pending import Press
from conductor.engine.table import Compiled, Group, Table

CONTROLS_KEPT = 16_384
VARIABLES_KEPT = 1_000
DEADLINES_SWEPT_FROM = 256
CONFIGS_KEPT = 20

WallClock = Callable[[float], tuple[int, int]]
"""From engine time to local (ISO weekday, minute of the day)."""


def noon_on_monday(_now: float) -> tuple[int, int]:
    """The wall clock of simulations that are not told another time."""
    return 1, 720


Tapped = tuple[tuple[str, str | None] | None, float]
"""Mode and profile at a control's last tap, and when that began."""


class ControlState:
    """What is known of one control."""

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
        self.group: Group | None = None
        """The mappings in force at the press: its release belongs to the same."""
        self.press: Press | None = None
        self.consumed = False
        """A chord took this press."""
        self.memories: dict[int, Memory] = {}
        self.held: list[HeldControl] = []
        self.last: InputEvent | None = None
        """Its last value, which mappings of other modes have not seen."""
        self.moves = 0
        self.tapped: Tapped = (None, 0.0)
        """Its last tap."""


class HeldControl:
    """Something that lasts until its control is let go."""

    __slots__ = ("compiled_id", "effect", "mode", "over", "repeats", "run")

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
        """What lets it go: keys up, a note-off."""
        self.mode = mode
        """A momentary mode to leave."""
        self.run = run
        """A run that must know when its control is let go."""
        self.repeats = repeats
        """The run ends then; others go on."""
        self.over = False
        """Set once: the notes of a chord share what they hold."""

    def has_ended(self) -> bool:
        """Check whether letting go of it does nothing any more: it was let go, or its run has ended."""
        return self.over or (self.run is not None and self.run.over)

    @property
    def outlives_mode(self) -> bool:
        """Keys go up when the mode changes; a momentary mode and a plain run do not end with it."""
        return self.mode is not None or (self.run is not None and not self.repeats)


class Run:
    """One action being played out in time."""

    __slots__ = ("firing", "gesture", "id", "over", "steps", "waits_for_completion")

    def __init__(self, number: int, firing: "Firing", gesture: int) -> None:
        self.id = number
        self.firing = firing
        self.gesture = gesture
        """The number of the trace of the press, or of the value, that began it."""
        self.steps: Iterator[Any] = iter(())
        self.over = False
        self.waits_for_completion = False


class Firing(NamedTuple):
    """A mapping that fires: what its action needs to be played."""

    compiled: Compiled
    fire: Fire
    holders: tuple["ControlState", ...]
    """The controls whose release ends what is held; none when they are up already."""
    presses: tuple[int, ...] = ()
    """The presses that it answers, when they are not those of the trace in which it fires."""


class Chords:
    """The unsettled presses of one device that may still become a chord, oldest first."""

    __slots__ = ("presses",)

    def __init__(self) -> None:
        self.presses: dict[Control, tuple[Press, tuple[Compiled, ...], float]] = {}
        """With the chords each may belong to, and the time until which it waits."""


class Unconditional:
    """The owner of a deadline that is never void."""

    over = False


Deadline = tuple[float, int, Callable[[Trace], None], Press | Run | Unconditional]
"""When, in order of asking, what to do, and for whom: it is void once that one is over."""


class EngineState:
    """The engine's memory. It is also the `Situation` that conditions look at."""

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

    def __init__(self, table: Table, wall_clock: WallClock = noon_on_monday) -> None:
        self.table = table
        self.now = float("-inf")
        self.mode = table.config.start_mode()
        self.base_mode = self.mode
        """The mode underneath momentary ones."""
        self.previous_mode = self.mode
        """Where a toggle goes back to."""
        self.momentary: list[HeldControl] = []
        self.profile: str | None = None
        self.app: tuple[str, str, str] = ("", "", "")
        self.variables: dict[str, Scalar] = {}
        self.controls: dict[Control, ControlState] = {}
        self.down: set[Control] = set()
        self.holding: dict[Control, None] = {}
        """In the order in which they began: a set would let go in another order in each process."""
        self.chords: dict[tuple[str, int, str], Chords] = {}
        self.recent: dict[str, dict[Control, float]] | None = (
            {} if table.needs_recent_presses else None
        )
        """For each device when its controls were pressed last, oldest first; None when nothing asks."""
        self.undecided: dict[str, list[Press]] = {}
        """By device the presses that watch its other controls, oldest first."""
        self.waiting: dict[str, list[tuple[InputEvent, int, tuple[Control, ...]]]] = {}
        """By device the events that wait for the gesture before them, each with the number of its trace and
        the controls whose gestures it has waited for."""
        self.freed: dict[str, None] = {}
        """The devices where such a gesture was decided: what waits there is looked at again."""
        self.replayed_at: float | None = None
        """The time that a gesture is measured at while events that had to wait are judged."""
        self.replayed_as = 0
        """The number of the trace in which such an event arrived."""
        self.runs: dict[int, Run] = {}
        self.runs_started = 0
        self.muted: set[str] = set(table.muted)
        self.paused = False
        self.groups = table.groups(self.mode, None)
        self.sequence = 0
        self.configs: deque[tuple[int, Config]] = deque([(0, table.config)], maxlen=CONFIGS_KEPT)
        """From which trace on each config was in force, for explanations of what came before a reload."""
        self._deadlines: list[Deadline] = []
        self._tickets = 0
        self._sweep_at = DEADLINES_SWEPT_FROM
        self._wall_clock = wall_clock

    def trace(self, event: InputEvent) -> Trace:
        """Begin the trace of an event."""
        self.sequence += 1
        return Trace(self.sequence, event, self.mode, self.profile, self.now)

    def control(self, control: Control) -> ControlState:
        """Return what is known of a control, from now on."""
        known = self.controls.get(control)
        if known is None:
            if len(self.controls) >= CONTROLS_KEPT:
                self._forget_idle()
            known = self.controls[control] = ControlState(control)
        return known

    def _forget_idle(self) -> None:
        self.controls = {
            control: known
            for control, known in self.controls.items()
            if known.down or known.press is not None or known.held
        }

    def regroup(self) -> None:
        """Look mappings up for the mode and profile that are active now."""
        self.groups = self.table.groups(self.mode, self.profile)

    def gesture_time(self) -> float:
        """Return the time that a gesture is measured at: for an event that had to wait, its own."""
        return self.now if self.replayed_at is None else self.replayed_at

    def settle(self, press: Press) -> None:
        """Mark a press as decided; what waited for it is free."""
        press.settled = True
        if not press.watches:
            return
        press.watches = False
        device = press.control.device
        self.undecided[device].remove(press)
        if not self.undecided[device]:
            del self.undecided[device]
        if press.keeps_order:
            self.freed[device] = None

    def at(
        self, due: float, do: Callable[[Trace], None], owner: Press | Run | Unconditional
    ) -> None:
        """Have something done at a time. What is done looks first whether it is still wanted."""
        self._tickets += 1
        heapq.heappush(self._deadlines, (due, self._tickets, do, owner))
        if len(self._deadlines) > self._sweep_at:
            self._sweep()

    def _sweep(self) -> None:
        """Drop the deadlines that nobody waits for, once they may be half of all."""
        self._deadlines = [deadline for deadline in self._deadlines if not deadline[3].over]
        heapq.heapify(self._deadlines)
        self._sweep_at = max(DEADLINES_SWEPT_FROM, 2 * len(self._deadlines))

    def end_run(self, run: Run) -> None:
        """Have nothing more come of a run."""
        run.over = True
        self.runs.pop(run.id, None)

    def due(self) -> float | None:
        """Return the time of the next deadline, or None.

        Those of what is over are dropped here, unseen: they must neither wake the engine nor move
        its clock, since a state that was restored from a snapshot does not have them.
        """
        deadlines = self._deadlines
        while deadlines and deadlines[0][3].over:
            heapq.heappop(deadlines)
        return deadlines[0][0] if deadlines else None

    def pop_due(self) -> tuple[float, Callable[[Trace], None]]:
        """Remove and return the next deadline, which must exist."""
        when, _, do, _ = heapq.heappop(self._deadlines)
        return when, do

    def wall_clock(self) -> tuple[int, int]:
        return self._wall_clock(self.now)

    def variable(self, name: str) -> Scalar | None:
        return self.variables.get(name)

    def is_held(self, control_class: str, number: int | str, device: str | None) -> bool:
        return any(
            control.control_class == control_class
            and control.number == number
            and device in (None, control.device)
            for control in self.down
        )
