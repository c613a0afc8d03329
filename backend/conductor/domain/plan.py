"""A plan: changes that somebody proposes, with the proof of what they would do. Nothing is done yet."""

from datetime import datetime
from typing import Any, Literal, NamedTuple

from conductor.base.program import program_name
from conductor.domain.actions import Action
from conductor.domain.change_kinds import Change
from conductor.domain.coverage import Coverage
from conductor.domain.examples import Example as Example
from conductor.domain.examples import ExampleResult as ExampleResult
from conductor.domain.examples import ExpectedAction as ExpectedAction
from conductor.domain.impact import Impact
from conductor.domain.value import Value

PlanStatus = Literal[
    "pending", "approved", "applied", "rejected", "expired", "stale", "failed", "unknown"
]
"""`unknown`: it was sent, and how it ended is not known yet, or never will be."""
PlanKind = Literal["config", "action", "sysex"]
"""What a plan is for: a change of the config, an action to perform once, a SysEx message to send."""
OverlapKind = Literal[
    "duplicate",
    "shadowed",
    "wildcard",
    "chord_subset",
    "tap_delayed",
    "chord_delays_tap",
    "hold_delayed",
    "never_released",
    "toggle_cannot_hold",
    "unreachable_mode",
    "shell_beside_performance",
    "interferes",
    "never_fires",
]
Severity = Literal["info", "warning", "error"]


Step = Literal["undo", "redo", "restore"]
"""How a plan goes to another version of the config."""


class HistoryStep(NamedTuple):
    """Goes to the version of the config before the present one, or after it."""

    word: Literal["undo", "redo"]


class RestoreVersion(NamedTuple):
    """Makes any kept version of the config the running one again; undo takes that back."""

    version_id: int


class ActionRequest(NamedTuple):
    """Performs an action once, outside of any mapping."""

    action: Action


class SysexRequest(NamedTuple):
    """Sends a SysEx message to an output."""

    port: str
    data: bytes


Proposal = tuple[Change, ...] | HistoryStep | RestoreVersion | ActionRequest | SysexRequest
"""What a plan can be made of."""


class Overlap(Value):
    """Two mappings that get in each other's way, or one that cannot do what it says."""

    kind: OverlapKind
    severity: Severity
    message: str
    """A sentence with its numbers, such as `adding a double tap delays the single tap by 300 ms`."""
    places: tuple[str, ...]
    """The mappings concerned, as `mode:Default #3`."""
    is_new: bool = True
    """False when the config has it already without the plan."""
    gesture: str | None = None
    """An event script that shows it, such as `down 36; wait 299; down 36`."""


class Firing(Value):
    """An action that fires in a replay."""

    time_ms: float
    """From the start of what is replayed."""
    scope: str
    index: int
    description: str
    action: dict[str, Any]
    event: str
    """What was played, in words."""


class Replay(Value):
    """What was recorded, played under the old and the new config; what reaches the computer is compared."""

    events: int
    seconds: float
    unchanged: int
    """Actions that fire in both."""
    appear: tuple[Firing, ...] = ()
    vanish: tuple[Firing, ...] = ()
    moved: tuple[tuple[Firing, Firing], ...] = ()
    """The same action at another time: before, after."""
    summary: str = ""
    is_checked: bool = False
    """The replay of the old config did what really happened; False where another config was in force."""
    cannot_tell: str | None = None
    """For what part of the recording nothing is predicted, and why."""
    not_covered: tuple[str, ...] = ()
    """What of the change no replay can show."""


USER_CALLERS = ("window", "page", "cli")
"""The window, the page in a browser, and the `conductor` command: they may read what concerns the user."""
AT_TERMINAL = "terminal"
"""The client of the `conductor` command that the system shows to be at a terminal of the user."""

TYPED = "slash command"
"""The client of what the user typed into the chat as a command, which no model had a part in."""


class Requester(Value):
    """Who asked."""

    caller: Literal["window", "page", "cli", "chat", "mcp", "bare", "http", "pad"]
    client: str | None = None
    """The name that the client gave itself."""
    pid: int | None = None
    executable: str | None = None
    program: str | None = None
    """A digest of what the process was called with: an interpreter alone says nothing."""
    conversation_id: str | None = None
    """The conversation of the chat that it is asked in."""

    def principal(self) -> tuple[str, str | None, str | None]:
        """Return what stays the same when the same client connects again."""
        return (self.caller, self.client, self.executable)

    def process(self) -> tuple[str, str | None, str | None, str | None, int | None]:
        """Return what tells this very process, with the name it gives itself, from all others."""
        return (*self.principal(), self.program, self.pid)

    @property
    def is_user(self) -> bool:
        """Whether the user asks: in the window, on the page, or by the command at a terminal.

        The command alone is not the user: any program can start it.
        """
        return self.caller in USER_CALLERS and (self.caller != "cli" or self.client == AT_TERMINAL)

    def is_same_program(self, other: "Requester") -> bool:
        """Check whether this is the same program with the same arguments, in this run or another."""
        return self.principal() == other.principal() and self.program == other.program

    @property
    def is_model(self) -> bool:
        """Whether a model in the chat asks, and not the user by a typed command."""
        return self.caller == "chat" and self.client != TYPED

    def words(self) -> str:
        """Return it as a phrase."""
        name = self.client or program_name(self.caller, self.executable)
        return f"{name} ({self.caller}{f', process {self.pid}' if self.pid else ''})"


class PlannedChange(Value):
    """One change of a plan, in words."""

    change_type: str
    mode: str | None
    description: str


class ConfigPlan(Value):
    """A proposed change with its proof, and what became of it."""

    plan_id: str
    kind: PlanKind = "config"
    status: PlanStatus
    description: str
    changes: tuple[PlannedChange, ...]
    diff_preview: str
    base_state_hash: str
    created_at: datetime
    expires_at: datetime
    touched_files: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    replay: Replay | None = None
    impact: Impact | None = None
    """Everything that the change can affect; what it leaves out is proven unchanged."""
    coverage: Coverage | None = None
    """How far that was exercised: by what was recorded, and by generated gestures."""
    examples: tuple[ExampleResult, ...] = ()
    broken_examples: tuple[ExampleResult, ...] = ()
    """Kept examples that hold now and would not afterwards."""
    requested_by: Requester
    privileged: bool = False
    """It can be approved in the window or at a terminal only."""
    window_only: tuple[str, ...] = ()
    """Why no form in an agent's client can approve it; empty where one may."""
    diff_is_cut: bool = False
    """`diff_preview` is too long to be shown whole."""
    shown_digest: str | None = None
    """Of the text that a form showed when it approved the plan."""
    approved_by: Requester | None = None
    reason: str | None = None
    """Why it was rejected or failed."""


class StoredPlan(Value):
    """A plan with the changes it would make, as it is kept."""

    plan: ConfigPlan
    change_list: tuple[Change, ...]
    new_text: str
    """config.toml as it would be; the text from before when the plan is not for the config."""
    step: Step | None = None
    """The plan is to go through the history, not to make changes."""
    action: dict[str, Any] | None = None
    """The action to perform once."""
