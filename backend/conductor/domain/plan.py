"""Defines plans, which are proposed config changes with a proof, waiting for the user's approval."""

from datetime import datetime
from typing import Literal, NamedTuple

from conductor.base.json_types import JsonObject
from conductor.base.program import format_program_name
from conductor.domain.actions import Action
from conductor.domain.change_kinds import Change
from conductor.domain.control_labels import ControlLabel
from conductor.domain.coverage import Coverage
from conductor.domain.examples import Example as Example
from conductor.domain.examples import ExampleResult as ExampleResult
from conductor.domain.examples import ExpectedAction as ExpectedAction
from conductor.domain.impact import Impact
from conductor.domain.remote_access import RemoteScope
from conductor.domain.value import Value

PlanStatus = Literal[
    "pending", "approved", "applied", "rejected", "expired", "stale", "failed", "unknown"
]
"""The status of a plan. `unknown` means that the plan was started, but its outcome is not known, perhaps
because of a crash.
"""
PlanKind = Literal["config", "action", "sysex"]
"""The kind of a plan: a change of the config, an action to perform once, or a SysEx message to send."""
OverlapKind = Literal[
    "duplicate",
    "shadowed",
    "wildcard",
    "chord_subset",
    "tap_delayed",
    "chord_delays_tap",
    "hold_delayed",
    "never_released",
    "notes_keep_sounding",
    "toggle_cannot_hold",
    "unreachable_mode",
    "no_way_back",
    "shell_beside_performance",
    "interferes",
    "never_fires",
]
Severity = Literal["info", "warning", "error"]


RestoreStep = Literal["undo", "redo", "restore"]
"""How a plan restores another version of the config."""


class HistoryStep(NamedTuple):
    """Restores the previous or next version of the config."""

    word: Literal["undo", "redo"]


class RestoreVersion(NamedTuple):
    """Restores any stored version of the config; this is a change that can be undone."""

    version_id: int


class ActionRequest(NamedTuple):
    """Performs an action once, outside of any mapping."""

    action: Action


class SysexRequest(NamedTuple):
    """Sends a SysEx message to an output."""

    port: str
    data: bytes


Proposal = tuple[Change, ...] | HistoryStep | RestoreVersion | ActionRequest | SysexRequest
"""What a plan can be made from: changes of the config, another version, an action or a SysEx message."""


class TapWait(Value):
    """When a tap acts that waits for a hold or a second tap."""

    until_release: bool
    """Whether it acts when the control is released, if not later."""
    delay_ms: int = 0
    """The shortest time from the press until it acts, in milliseconds."""


class Overlap(Value):
    """A conflict between two mappings, or a mapping that cannot work as configured."""

    kind: OverlapKind
    severity: Severity
    message: str
    """The conflict as a sentence, such as `adding a double tap delays the single tap by 300 ms`."""
    places: tuple[str, ...]
    """The mappings concerned, each as its scope and index: `mode:Default #3`."""
    is_new: bool = True
    """False if the current config already has the conflict."""
    gesture: str | None = None
    """An event script that demonstrates the conflict, such as `down 36; wait 299; down 36`."""
    control_names: tuple[ControlLabel, ...] = ()
    """The names of the controls concerned, where they are known."""
    tap_wait: TapWait | None = None
    """When the delayed tap acts, if that is always the same."""


class Firing(Value):
    """A mapping that fires during a replay, with its action."""

    time_ms: float
    """Milliseconds since the start of the replay."""
    scope: str
    index: int
    description: str
    action: JsonObject
    event: str
    """The event that caused the firing, as text for the user."""


class Replay(Value):
    """How the outputs of the old and the new config differ for the recorded input."""

    events: int
    seconds: float
    unchanged: int
    """The number of actions that fire under both configs."""
    appear: tuple[Firing, ...] = ()
    vanish: tuple[Firing, ...] = ()
    moved: tuple[tuple[Firing, Firing], ...] = ()
    """Actions that fire at another time than before: each with its old and its new firing."""
    summary: str = ""
    is_checked: bool = False
    """Whether the replay of the old config matched what really happened; False if another config was active."""
    cannot_tell: str | None = None
    """The part of the recording for which nothing is predicted, and why."""
    not_covered: tuple[str, ...] = ()
    """The parts of the change that no replay can show, as text for the user."""


USER_CALLERS = ("window", "page", "cli")
"""The callers that may read the user's data: the window, the page in a browser, and the `conductor` command."""
TERMINAL_CLIENT = "terminal"
"""The client name of a `conductor` command that runs in a terminal of the user, as verified by the system."""

SLASH_COMMAND_CLIENT = "slash command"
"""The client name of a slash command that the user typed into the chat, without a model."""


class Requester(Value):
    """Who made a request: the user, the model of the chat, or another program."""

    caller: Literal["window", "page", "cli", "chat", "mcp", "bare", "http", "remote", "pad"]
    client: str | None = None
    """The name that the client gives itself; None if it gives none."""
    pid: int | None = None
    executable: str | None = None
    program: str | None = None
    """A digest of the command line: the executable may be only an interpreter. For a client over HTTP whose
    process is unknown, a digest of its session; for a client on another computer, its grant.
    """
    conversation_id: str | None = None
    """The conversation that a request of the chat belongs to; None for other requests."""
    scopes: tuple[RemoteScope, ...] | None = None
    """What the user has allowed a client on another computer to do; None for all other callers, which are not
    limited in this way.
    """

    def get_principal(self) -> tuple[str, str | None, str | None]:
        """Return the identity of the caller, which stays the same when its client connects again.

        An agent on another computer is identified by its grant, because agents may have the same name.
        """
        is_remote = self.caller == "remote"
        return (self.caller, self.client, self.program if is_remote else self.executable)

    def get_process(self) -> tuple[str, str | None, str | None, str | None, int | None]:
        """Return the identity of the caller, with its program and its process id."""
        return (*self.get_principal(), self.program, self.pid)

    @property
    def is_user(self) -> bool:
        """Whether the caller is the user, in the window, on the page or at a terminal.

        A call from the `conductor` command alone does not prove this, because any
        program can start the command.
        """
        return self.caller in USER_CALLERS and (
            self.caller != "cli" or self.client == TERMINAL_CLIENT
        )

    @property
    def is_anonymous(self) -> bool:
        """Whether the client is known only by the name that it gives itself, which is possible over HTTP."""
        return self.caller == "http" and self.pid is None and self.program is None

    def is_same_program(self, other: "Requester") -> bool:
        """Return whether two callers are the same program with the same arguments,
        perhaps in different runs.
        """
        return self.get_principal() == other.get_principal() and self.program == other.program

    @property
    def is_model(self) -> bool:
        """Whether the caller is the model of the chat; a slash command that the user typed is not."""
        return self.caller == "chat" and self.client != SLASH_COMMAND_CLIENT

    @property
    def is_typed(self) -> bool:
        """Whether the caller is the user, also in the chat with a slash command."""
        return self.is_user or (self.caller == "chat" and not self.is_model)

    def describe_briefly(self) -> str:
        """Return the caller as a name without its process: `the user`, or the client or program."""
        if self.is_typed:
            return "the user"
        if self.caller == "cli":
            return "the command line"
        return self.client or format_program_name(self.caller, self.executable)

    def describe(self) -> str:
        """Return the caller as text for the user, such as `obs (mcp, process 42)`."""
        name = self.client or format_program_name(self.caller, self.executable)
        return f"{name} ({self.caller}{f', process {self.pid}' if self.pid else ''})"


class PlannedChange(Value):
    """One change of a plan, with its description for the user."""

    change_type: str
    mode: str | None
    description: str


class ConfigPlan(Value):
    """A proposed change with its proof and status, as the user and agents see it."""

    plan_id: str
    kind: PlanKind = "config"
    status: PlanStatus
    description: str
    changes: tuple[PlannedChange, ...]
    left_out: tuple[PlannedChange, ...] = ()
    """Proposed changes that the user left out."""
    diff_preview: str
    base_state_hash: str
    created_at: datetime
    expires_at: datetime | None
    """None: open until something changes that it changes too."""
    touched_files: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    replay: Replay | None = None
    impact: Impact | None = None
    """Everything that the change can affect; everything else is proven unchanged."""
    coverage: Coverage | None = None
    """How far the change was exercised by recorded input and generated gestures."""
    examples: tuple[ExampleResult, ...] = ()
    broken_examples: tuple[ExampleResult, ...] = ()
    """Saved examples that pass now and would fail after the change."""
    requested_by: Requester
    privileged: bool = False
    """Whether the plan can be approved only in the window or at a terminal."""
    window_only: tuple[str, ...] = ()
    """The reasons why a form in an agent's client cannot approve the plan; empty if it can."""
    diff_is_cut: bool = False
    """Whether `diff_preview` was too long and had to be truncated."""
    shown_digest: str | None = None
    """The digest of the text of the approval form; None if no form was shown."""
    approved_by: Requester | None = None
    reason: str | None = None
    """Why the plan was rejected or has failed; None otherwise."""
    result_hash: str | None = None
    """The hash of the resulting config if the user applied the plan in edited form."""

    def get_author(self) -> Requester:
        """Return the author of the change: the program that proposed the plan. The author of the user's own
        plan is the user where it was approved, as the audit log says.
        """
        by = self.approved_by
        return by if by and by.is_user and self.requested_by.is_typed else self.requested_by

    def get_seconds_left(self, now: datetime) -> float | None:
        """Return the time until the plan expires; None if it has no time limit."""
        return None if self.expires_at is None else (self.expires_at - now).total_seconds()


class StoredPlan(Value):
    """A plan with its changes, as it is stored."""

    plan: ConfigPlan
    change_list: tuple[Change, ...]
    new_text: str
    """The new text of config.toml; the current text if the plan does not change the config."""
    step: RestoreStep | None = None
    """Set if the plan restores a version instead of making changes."""
    action: JsonObject | None = None
    """The action to perform once, for a plan of the kind `action`."""
