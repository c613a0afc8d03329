"""The messages between the app process and the engine process.

Each message is a named tuple, whose `op` is its name on the wire. A request declares the type of its `reply`.
The reply contains the id of the request, so that a late reply is never mistaken for the reply to another
request. This module imports only small modules, because the app starts the engine before it imports anything
large.
"""

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Protocol,
    TypedDict,
    TypeVar,
    get_args,
)

from conductor.base.json_types import JsonObject
from conductor.base.messages import read_message

if TYPE_CHECKING:  # each module that is imported here delays the start of the engine
    from conductor.domain.wire_rows import (
        DeviceRow,
        EventRow,
        ExplainedTraceRow,
        FailureRow,
        TraceRow,
    )

_Reply = TypeVar("_Reply", covariant=True)


class RequestFor(Protocol[_Reply]):
    """Base class of requests to the engine. A request declares the type of its reply in `reply`."""

    @property
    def op(self) -> str: ...
    @property
    def reply(self) -> type[_Reply]: ...


class SwitchModeReply(TypedDict, total=False):
    """The mode that is now active, or the reason why the requested mode does not exist."""

    error: str
    success: bool
    mode_name: str
    mode_index: int
    total_modes: int


class PauseReply(TypedDict):
    paused: bool


class RescanReply(TypedDict):
    message: str


class ConnectReply(TypedDict):
    connected: bool


class SendMidiReply(TypedDict):
    """The number of messages that were sent, and the reason why further messages were not sent."""

    sent: int
    refused: NotRequired[str]
    """The reason why a message was not sent without the user's approval."""
    error: NotRequired[str]


class PerformReply(TypedDict, total=False):
    """Whether the action was performed and still runs, or the reason why it failed."""

    performed: bool
    running: bool
    error: str


class StatusReply(TypedDict):
    mode: str
    profile: str | None
    paused: bool
    app: list[str]
    """Executable, bundle id and title of the app in front."""
    mappings: int
    events_processed: int
    actions_executed: int
    failures: "list[FailureRow]"
    last_event_at: dict[str, float]
    """The seconds since the last event, for each device."""
    held_keys: list[str]
    input_route: str | None
    """How keys reach other programs; None if there is no way yet."""
    dry_run: bool
    problems: list[str]


class RecentEventsReply(TypedDict):
    events: "list[EventRow]"


class RecentTracesReply(TypedDict):
    traces: "list[TraceRow]"
    failures: "list[FailureRow]"
    """The failures that belong to the traces."""


class ExplainReply(TypedDict):
    trace: "ExplainedTraceRow | None"


class RecordingPart(TypedDict):
    """Consecutive lines of one segment of the recording, starting at a requested position."""

    session: str
    number: int
    rows: int
    """The number of lines of the segment that have been read, including this part."""
    is_all: bool
    """Whether there are currently no further lines."""
    oldest: NotRequired[int]
    header: NotRequired[str]
    """The first line of the segment; only in the first part of a segment."""
    pieces: NotRequired[list[str]]


class StartLearnReply(TypedDict):
    status: Literal["learning"]


class LearnedReply(TypedDict):
    events: "list[EventRow]"
    """The captured events, with times relative to `started_at`."""
    started_at: float
    """The time on the engine's clock at which the session started."""


class HideVariables(NamedTuple):
    """Removes environment variables that contain API keys from the engine and the programs that it starts."""

    op = "hide_variables"
    names: list[str]


class ConfigFrame(NamedTuple):
    """The start of a config transfer to the engine: everything except the mappings.

    `engine/config_transfer.py` splits and assembles configs.
    """

    op = "config_frame"
    token: int
    frame: JsonObject


class ConfigMappings(NamedTuple):
    """A batch of mappings of one scope, each as JSON text."""

    op = "config_mappings"
    token: int
    scope: str
    mappings: list[str]


class UseLights(NamedTuple):
    """Replaces the light tables of the known device models; sent before a config that lights something."""

    op = "use_lights"
    tables: list[JsonObject]


class ConfigComplete(NamedTuple):
    """The end of a config transfer, after which the engine loads the config."""

    op = "config_complete"
    token: int
    config_id: str


class SwitchMode(NamedTuple):
    op = "mode"
    reply = SwitchModeReply
    mode: str


class EnableDevice(NamedTuple):
    """Mutes or unmutes a device."""

    op = "mute"
    device: str
    enabled: bool


class Pause(NamedTuple):
    op = "pause"
    reply = PauseReply
    paused: bool


class Panic(NamedTuple):
    op = "panic"


class PostEvents(NamedTuple):
    op = "post"
    events: "list[EventRow]"


class PlayVirtual(NamedTuple):
    """Moves a control of the built-in virtual controller. `do` names its method: `press`, `release` or
    `turn`.
    """

    op = "virtual"
    do: str
    args: list[Any]


class NumberTraces(NamedTuple):
    """Continues the numbers of traces after those of earlier engines, so that no number is used twice."""

    op = "number_traces"
    after: int


class WatchTraces(NamedTuple):
    op = "monitor"
    on: bool


class DryRun(NamedTuple):
    """Switches dry-run mode, in which actions are traced but not performed."""

    op = "dry_run"
    on: bool


class RescanPorts(NamedTuple):
    op = "rescan"
    reply = RescanReply


class ConnectDevice(NamedTuple):
    op = "connect"
    reply = ConnectReply
    device: str
    connected: bool


class SendMidi(NamedTuple):
    """Sends MIDI messages, as hex text. `approved` also allows an output that Conductor itself listens to."""

    op = "send_midi"
    reply = SendMidiReply
    port: str
    messages: list[str]
    approved: bool = False


class PerformAction(NamedTuple):
    """Performs an action once, outside of any mapping. The tool calls of the action are sent with the same
    `number`.
    """

    op = "perform"
    reply = PerformReply
    action: JsonObject
    number: int


class ForgetRecording(NamedTuple):
    op = "forget_recording"


class PluginAnswered(NamedTuple):
    """Reports the outcome of the MCP tool call with this number. It succeeded if there is no `error`."""

    op = "plugin_answered"
    call: int
    error: str | None


class Stop(NamedTuple):
    op = "stop"


class GetStatus(NamedTuple):
    op = "status"
    reply = StatusReply


class GetRecentEvents(NamedTuple):
    op = "recent_events"
    reply = RecentEventsReply
    limit: int = 50


class GetRecentTraces(NamedTuple):
    op = "recent_traces"
    reply = RecentTracesReply
    limit: int


class ExplainEvent(NamedTuple):
    """Explains the event with this sequence number, or the last event."""

    op = "explain"
    reply = ExplainReply
    sequence: int | None


class ReadRecording(NamedTuple):
    """Reads the recording, starting at a position."""

    op = "read_recording"
    reply = RecordingPart
    session: str
    number: int
    rows: int


class StartLearn(NamedTuple):
    op = "learn_start"
    reply = StartLearnReply


class StopLearn(NamedTuple):
    op = "learn_stop"
    reply = LearnedReply


class GetLearnedEvents(NamedTuple):
    op = "learned"
    reply = LearnedReply


Request = (
    SwitchMode
    | Pause
    | RescanPorts
    | ConnectDevice
    | SendMidi
    | PerformAction
    | GetStatus
    | GetRecentEvents
    | GetRecentTraces
    | ExplainEvent
    | ReadRecording
    | StartLearn
    | StopLearn
    | GetLearnedEvents
)
"""Messages that the engine answers if they have an id."""
ConfigPiece = ConfigFrame | ConfigMappings | ConfigComplete
ToEngine = (
    Request
    | ConfigPiece
    | UseLights
    | HideVariables
    | EnableDevice
    | Panic
    | PostEvents
    | PlayVirtual
    | NumberTraces
    | WatchTraces
    | DryRun
    | ForgetRecording
    | PluginAnswered
    | Stop
)


class Ready(NamedTuple):
    op = "ready"
    pid: int


class Beat(NamedTuple):
    """A heartbeat, which the engine sends a few times a second. `beats` counts the turns of its thread."""

    op = "beat"
    beats: int
    mode: str
    base_mode: str
    """The mode that a momentary mode returns to."""
    profile: str | None
    muted: list[str]
    paused: bool
    held_keys: list[str]


class ConfigLoaded(NamedTuple):
    op = "loaded"
    token: int
    mappings: int
    mode: str


class ConfigLoadFailed(NamedTuple):
    op = "load_failed"
    token: int
    reason: str


class TracesRecorded(NamedTuple):
    """New traces for a monitor, and the number of traces that were skipped."""

    op = "traces"
    items: "list[TraceRow]"
    skipped: int


class TracesNumbered(NamedTuple):
    """The number of the newest trace. Sent before each reply, which may contain any trace up to it."""

    op = "traces_numbered"
    last: int


class ActionFailure(NamedTuple):
    """An action of a mapping failed. `failure` is the recorded failure as plain data."""

    op = "failure"
    failure: "FailureRow"


class DevicesChanged(NamedTuple):
    op = "devices"
    devices: "list[DeviceRow]"


class MessagesDropped(NamedTuple):
    """Input messages were dropped because they arrived too fast. `text` is a notice for the user."""

    op = "dropped"
    text: str


class PluginCall(NamedTuple):
    """Calls a tool of an MCP server for a mapping. The app answers with a `PluginAnswered` that has the same
    `call`.
    """

    op = "plugin"
    call: int
    server: str
    tool: str
    args: JsonObject
    timeout_s: float
    by: str


class PluginWithdrawn(NamedTuple):
    """Tells the app that the engine no longer waits for the answer to an MCP tool call."""

    op = "plugin_withdrawn"
    call: int


FromEngine = (
    Ready
    | Beat
    | ConfigLoaded
    | ConfigLoadFailed
    | TracesRecorded
    | TracesNumbered
    | ActionFailure
    | DevicesChanged
    | MessagesDropped
    | PluginCall
    | PluginWithdrawn
)
DROPPABLE_MESSAGE_OPS = (TracesRecorded.op, ActionFailure.op, Beat.op)
"""Messages that may be dropped when the link is congested, because they are only displayed."""
_TO_ENGINE_BY_OP: dict[str, type[ToEngine]] = {kind.op: kind for kind in get_args(ToEngine)}
_FROM_ENGINE_BY_OP: dict[str, type[FromEngine]] = {kind.op: kind for kind in get_args(FromEngine)}


def parse_message_to_engine(message: Mapping[str, Any]) -> ToEngine | None:
    """Parse a message from the app to the engine. Return None if its `op` is unknown.

    Raises:
        TypeError: A field is missing.
    """
    return read_message(_TO_ENGINE_BY_OP, message)


def parse_message_from_engine(message: Mapping[str, Any]) -> FromEngine | None:
    """Parse a message from the engine to the app. Return None if its `op` is unknown.

    Raises:
        TypeError: A field is missing.
    """
    return read_message(_FROM_ENGINE_BY_OP, message)
