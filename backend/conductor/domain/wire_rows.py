"""Defines the JSON forms of devices, events, traces and failures, which are sent to engine, pages and sockets.

They are typed dictionaries, which are plain dictionaries at run time.
"""

from typing import Any, Literal, NotRequired, TypedDict

from conductor.base.json_types import JsonObject
from conductor.domain.events import EventKind, InputEvent

DeviceKind = Literal["midi_input", "midi_output", "gamepad", "osc", "virtual"]
BatteryLevel = Literal["empty", "low", "medium", "full", "wired"]
"""The charge of a wireless gamepad, in the steps that gamepads report; `wired` means that a cable powers it."""
CandidateOutcome = Literal["fired", "waiting", "no", "shadowed"]
EffectKind = Literal["do", "press", "release", "mode", "variable"]
TraceOutcome = Literal["fired", "mode", "waiting", "unmatched", "released", "info"]
"""The outcome of a trace. `released` means that a control was released without any effect but the end of its
press.
"""


class DeviceRow(TypedDict):
    """The JSON form of `devices.DeviceStatus`."""

    device_id: str
    port_name: str
    kind: DeviceKind
    connected: bool
    enabled: bool
    is_configured: bool
    problem: str | None
    battery: NotRequired[BatteryLevel | None]
    """The charge of a gamepad, if the gamepad reports it."""


class EventRow(TypedDict):
    """The JSON form of `events.InputEvent`."""

    kind: EventKind
    device: str
    channel: int
    number: int | str
    value: int | float
    time: float
    data: NotRequired[object]
    """Additional data of the event; the bytes of a SysEx message are in hexadecimal."""
    control: NotRequired[str]
    """The name of the control on the device, which the app adds because the engine knows no names."""
    printed: NotRequired[str]
    """The name printed on the control, if `control` is a name that the user gave it."""


class CandidateRow(TypedDict):
    """The JSON form of `trace.Candidate`."""

    mapping: str
    """The name of the mapping, as users see it."""
    scope: str
    index: int
    trigger: JsonObject
    action: JsonObject
    outcome: CandidateOutcome
    reason: str


class EffectRow(TypedDict):
    """The JSON form of `trace.Effect`."""

    kind: EffectKind
    action: JsonObject
    mapping: str


class TraceRow(TypedDict):
    """The JSON form of `trace.Trace`."""

    sequence: int
    event: EventRow
    mode: str
    profile: str | None
    outcome: TraceOutcome
    candidates: list[CandidateRow]
    effects: list[EffectRow]
    note: str | None
    gesture: NotRequired[int]
    """The sequence number of the trace with the press that this trace continues."""
    new_mode: NotRequired[str]
    """The mode that the decision activated."""
    late_ms: NotRequired[float]


class FailureRow(TypedDict):
    """Reports that an action of a mapping has failed, with the reason."""

    mapping: str
    """The name of the mapping, as users see it."""
    scope: str
    index: int
    trigger: JsonObject
    action: JsonObject
    reason: str
    sequence: int
    """The sequence number of the trace that the failure belongs to."""
    time: float


class ExplainedTraceRow(TraceRow):
    """A trace with its failures and the explanation of its gesture."""

    failures: list[FailureRow]
    explanation: JsonObject
    """The JSON form of `explanation.Explanation`."""


class EngineStateRow(TypedDict):
    """The state of the engine, which is sent to the pages whenever it changes."""

    mode: str
    profile: str | None
    muted: list[str]
    paused: bool
    engine_running: bool
    held_keys: list[str]
    modes: list[str]


class SkippedTracesRow(TypedDict):
    """The number of traces that were dropped, because there were too many to send."""

    count: int


class ConnectedDevicesRow(TypedDict):
    devices: list[DeviceRow]


class ConfigLoadedRow(TypedDict):
    """Reports that the engine has loaded a config. The JSON form of `engine_protocol.ConfigLoaded`."""

    token: int
    mappings: int
    mode: str


class ForegroundAppRow(TypedDict):
    """The JSON form of `foreground_apps.FrontApp`."""

    executable: str
    bundle_id: str
    title: str


class NoticeRow(TypedDict):
    """A notice for the user; its fields are described in `bridge.topics.NoticeTopic`."""

    text: str
    level: Literal["info", "warning"]
    undoes: NotRequired[str | None]
    page: NotRequired[int | None]


class PushToTalkRow(TypedDict):
    """Reports whether the user holds a control to talk."""

    held: bool
    by: str
    """The name of the mapping; empty if the control was released."""


class ControlNamesChangedRow(TypedDict):
    """Reports that the names of controls have changed; there is no data."""


class ToolsChangedRow(TypedDict):
    """Reports that the available tools have changed; there is no data."""


class FirstDeviceRow(TypedDict):
    """The first input that is connected, in the form that older clients read."""

    name: str
    port: int | None
    last_event_at: int | None


class StatisticsRow(TypedDict):
    events_processed: int
    actions_executed: int


class ConfigStatusRow(TypedDict):
    """The state of the config file, and whether the engine runs its content."""

    path: str
    hash: str
    valid: bool
    active: bool
    problems: list[str]


class EngineProcessRow(TypedDict):
    pid: int | None
    running: bool
    restarts: int


class StatusRow(TypedDict):
    """The result of the tool `conductor_get_status`."""

    daemon_running: bool
    lifecycle_state: str
    connected: bool
    device_connected: bool
    device: FirstDeviceRow | None
    uptime_secs: int
    input_mode: str
    statistics: StatisticsRow
    version: str
    demo: bool
    mode: str
    profile: str | None
    app_in_front: list[str] | None
    """The executable, bundle id and window title of the foreground app; None if unknown."""
    paused: bool
    mappings: int
    conflicts: int | None
    """The number of errors and warnings about conflicting mappings; None while they are being searched for."""
    held_keys: list[str]
    input_route: str | None
    """The way in which keys reach other programs, such as `XTEST`; None before the first
    key, or if there is no way."""
    input_consent: str | None
    """Whether the user allows Conductor to press keys: allowed, asking, refused or needed. None if this
    system does not ask."""
    window: str
    """What shows the page of this installation, and why, such as `Qt window`."""
    failures: list[FailureRow]
    problems: list[str]
    notices: list[str]
    config: ConfigStatusRow
    engine: EngineProcessRow
    devices: list[DeviceRow]


def event_to_plain(event: InputEvent) -> EventRow:
    """Return an event as JSON data, with the bytes of a SysEx message in hexadecimal."""
    plain: EventRow = {
        "kind": event.kind,
        "device": event.device,
        "channel": event.channel,
        "number": event.number,
        "value": event.value,
        "time": round(event.time, 6),
    }
    if isinstance(event.data, bytes):
        plain["data"] = event.data.hex(" ").upper()
    elif event.data is not None:
        plain["data"] = list(event.data) if isinstance(event.data, tuple) else event.data
    return plain


def event_from_plain(plain: EventRow) -> InputEvent:
    """Return the event in the JSON data that `event_to_plain` has returned."""
    data: Any = plain.get("data")
    if plain["kind"] == "sysex" and isinstance(data, str):
        data = bytes.fromhex(data)
    elif isinstance(data, list):
        data = tuple(data)
    return InputEvent(
        plain["kind"],
        plain["device"],
        plain["channel"],
        plain["number"],
        plain["value"],
        plain["time"],
        data,
    )
