"""Defines the messages between the app process and the engine process.

Each message is a named tuple, whose `op` is its name on the wire.

A request declares the type of its `reply`. The reply contains the id of the request, so that a late reply is
never mistaken for the reply to another request. This module imports only small modules, because the app
starts the engine before it imports anything large.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, get_args

from conductor.base.json_types import JsonObject
from conductor.base.messages import read_message
from conductor.domain.engine_replies import (
    AskForConsentReply,
    ConnectReply,
    ExplainReply,
    LearnedReply,
    PauseReply,
    PerformReply,
    RecentEventsReply,
    RecentTracesReply,
    RecordingPart,
    RescanReply,
    SendMidiReply,
    StartLearnReply,
    StatusReply,
    SwitchModeReply,
)

if TYPE_CHECKING:  # each module that is imported here delays the start of the engine
    from conductor.domain.wire_rows import DeviceRow, EventRow, FailureRow, TraceRow

_Reply = TypeVar("_Reply", covariant=True)


class RequestFor(Protocol[_Reply]):
    """Base class of requests to the engine. A request declares the type of its reply in `reply`."""

    @property
    def op(self) -> str: ...
    @property
    def reply(self) -> type[_Reply]: ...


class HideVariables(NamedTuple):
    """Removes environment variables with API keys from the engine and from programs that it starts."""

    op = "hide_variables"
    names: list[str]


class ConfigFrame(NamedTuple):
    """Begins the transfer of a config to the engine, with everything except the mappings."""

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
    """Replaces the light tables of device models; sent before a config that uses lights."""

    op = "use_lights"
    tables: list[JsonObject]


class ConfigComplete(NamedTuple):
    """Ends the transfer of a config, after which the engine loads it."""

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
    """Uses a control of the built-in virtual controller; `do` is `press`, `release` or `turn`."""

    op = "virtual"
    do: str
    args: list[Any]


class NumberTraces(NamedTuple):
    """Makes trace numbers continue after those of earlier engines, so that no number is used twice."""

    op = "number_traces"
    after: int


class WatchTraces(NamedTuple):
    op = "monitor"
    on: bool


class DryRun(NamedTuple):
    """Switches the dry-run mode on or off, in which actions are traced but not performed."""

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
    """Sends MIDI messages, given as hex text. `approved` allows an output that Conductor listens to."""

    op = "send_midi"
    reply = SendMidiReply
    port: str
    messages: list[str]
    approved: bool = False


class PerformAction(NamedTuple):
    """Performs an action once, outside of any mapping. Its tool calls are sent with the same `number`."""

    op = "perform"
    reply = PerformReply
    action: JsonObject
    number: int


class ForgetRecording(NamedTuple):
    op = "forget_recording"


class PluginAnswered(NamedTuple):
    """Reports the result of an MCP tool call, which has succeeded if there is no `error`."""

    op = "plugin_answered"
    call: int
    error: str | None


class ListeningFailed(NamedTuple):
    """Reports that the microphone could not be opened for the control with a `PushToTalk` action."""

    op = "listening_failed"
    reason: str


class Stop(NamedTuple):
    op = "stop"


class GetStatus(NamedTuple):
    op = "status"
    reply = StatusReply


class AskForConsent(NamedTuple):
    """Asks the user now whether Conductor may press keys, on systems that ask."""

    op = "ask_for_consent"
    reply = AskForConsentReply


class GetRecentEvents(NamedTuple):
    op = "recent_events"
    reply = RecentEventsReply
    limit: int = 50


class GetRecentTraces(NamedTuple):
    op = "recent_traces"
    reply = RecentTracesReply
    limit: int


class ExplainEvent(NamedTuple):
    """Asks for an explanation of the event with this sequence number, or of the last event."""

    op = "explain"
    reply = ExplainReply
    sequence: int | None


class ReadRecording(NamedTuple):
    """Asks for a part of the recording, from a position on."""

    op = "read_recording"
    reply = RecordingPart
    session: str
    number: int
    rows: int


class StartLearn(NamedTuple):
    session: str

    op = "learn_start"
    reply = StartLearnReply


class StopLearn(NamedTuple):
    session: str

    op = "learn_stop"
    reply = LearnedReply


class GetLearnedEvents(NamedTuple):
    session: str

    op = "learned"
    reply = LearnedReply


Request = (
    SwitchMode
    | Pause
    | RescanPorts
    | ConnectDevice
    | SendMidi
    | PerformAction
    | AskForConsent
    | GetStatus
    | GetRecentEvents
    | GetRecentTraces
    | ExplainEvent
    | ReadRecording
    | StartLearn
    | StopLearn
    | GetLearnedEvents
)
"""The messages that the engine answers if they have an id."""
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
    | ListeningFailed
    | Stop
)


class Ready(NamedTuple):
    op = "ready"
    pid: int


class Beat(NamedTuple):
    """A heartbeat, sent a few times per second. `beats` counts the turns of the engine's thread."""

    op = "beat"
    beats: int
    mode: str
    base_mode: str
    """The mode that is active when momentary modes have ended."""
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
    """New traces for a monitor, and how many others were skipped."""

    op = "traces"
    items: "list[TraceRow]"
    skipped: int


class TracesNumbered(NamedTuple):
    """The number of the newest trace. Sent before each reply, which may contain any trace up to it."""

    op = "traces_numbered"
    last: int


class ActionFailure(NamedTuple):
    """Reports that an action of a mapping has failed."""

    op = "failure"
    failure: "FailureRow"


class DevicesChanged(NamedTuple):
    op = "devices"
    devices: "list[DeviceRow]"


class MessagesDropped(NamedTuple):
    """Reports that input arrived too fast and was dropped, with a notice for the user."""

    op = "dropped"
    text: str


class PluginCall(NamedTuple):
    """Asks the app to call a tool of an MCP server; it answers with a `PluginAnswered` for this `call`."""

    op = "plugin"
    call: int
    server: str
    tool: str
    args: JsonObject
    timeout_s: float
    by: str


class PluginWithdrawn(NamedTuple):
    """Reports that the engine no longer waits for the answer to an MCP tool call."""

    op = "plugin_withdrawn"
    call: int


class ListeningStarted(NamedTuple):
    """Reports that a control with a `PushToTalk` action is held; `by` names its mapping."""

    op = "listening_started"
    by: str


class ListeningStopped(NamedTuple):
    """Reports that the last control with a `PushToTalk` action was released."""

    op = "listening_stopped"


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
    | ListeningStarted
    | ListeningStopped
)
DROPPABLE_MESSAGE_OPS = (TracesRecorded.op, ActionFailure.op, Beat.op)
"""Messages that may be dropped while the link is congested, because they are only displayed."""
_TO_ENGINE_BY_OP: dict[str, type[ToEngine]] = {kind.op: kind for kind in get_args(ToEngine)}
_FROM_ENGINE_BY_OP: dict[str, type[FromEngine]] = {kind.op: kind for kind in get_args(FromEngine)}


def parse_message_to_engine(message: Mapping[str, Any]) -> ToEngine | None:
    """Return the message to the engine in a JSON object, or None if its `op` is unknown.

    Raises:
        TypeError: A field is missing.
    """
    return read_message(_TO_ENGINE_BY_OP, message)


def parse_message_from_engine(message: Mapping[str, Any]) -> FromEngine | None:
    """Return the message from the engine in a JSON object, or None if its `op` is unknown.

    Raises:
        TypeError: A field is missing.
    """
    return read_message(_FROM_ENGINE_BY_OP, message)
