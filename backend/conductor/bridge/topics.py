"""The topics of the events that pages receive, and their payloads."""

from typing import Literal

from pydantic import RootModel

from conductor.bridge.models import (
    DeviceView,
    FrontApp,
    PassThroughModel,
    PlainAction,
    PlainTrigger,
    TraceView,
)
from conductor.domain.a2a import A2aStatus
from conductor.domain.approvals import ApprovalView
from conductor.domain.chat.events import ChatEvent
from conductor.domain.page_events import (
    CodeTopic,
    ConfigTopic,
    KnowledgeTopic,
    ManualsTopic,
    MidiLearnTopic,
    ModeSwitchTopic,
    PlanCoverageTopic,
    ProblemsTopic,
    ProviderTopic,
    VoiceTopic,
)
from conductor.domain.plan import ConfigPlan
from conductor.domain.remote_access import AuthorizationRequestView, RemoteAccessStatus
from conductor.domain.servers import QuestionView, ServerEvent
from conductor.domain.value import Value


class HelloTopic(Value):
    """The first message that a page receives on a connection, before any event."""

    session: str
    """The token with which the page can reconnect. It is sent only once."""


class StatusTopic(Value):
    """The state of the engine, sent whenever any of these values changes."""

    mode: str
    profile: str | None
    muted: tuple[str, ...]
    paused: bool
    engine_running: bool
    held_keys: tuple[str, ...]
    modes: tuple[str, ...]


class SkippedTopic(Value):
    """The number of events that were dropped because the page was too slow."""

    count: int


class FailureTopic(PassThroughModel):
    """The failure of an action, with the mapping and the reason."""

    mapping: str
    scope: str
    index: int
    trigger: PlainTrigger
    action: PlainAction
    reason: str
    time: float
    sequence: int
    """The sequence number of the trace that the failure belongs to. The trace may arrive later."""


class DevicesTopic(Value):
    """The list of all devices, which is sent whenever a device or its state changes."""

    devices: list[DeviceView]


class NoticeTopic(Value):
    """A short message that the page shows to the user until it is withdrawn or dismissed."""

    text: str
    level: Literal["info", "warning"]
    undoes: str | None = None
    """The hash of the config whose change the notice reports. Undo is offered while this config runs."""
    page: int | None = None
    """The number of the browser page that waits for the user's confirmation."""


class NamesTopic(Value):
    """Reports that control names have changed, and with them the descriptions of mappings and events."""


class ChatTopic(RootModel[ChatEvent]):
    """An event in a conversation, such as a new message or a piece of an answer."""


TOPIC_MODELS: dict[str, type] = {
    "hello": HelloTopic,
    "status": StatusTopic,
    "trace": TraceView,
    "skipped": SkippedTopic,
    "failure": FailureTopic,
    "devices": DevicesTopic,
    "config": ConfigTopic,
    "problems": ProblemsTopic,
    "plan": ConfigPlan,
    "plan_coverage": PlanCoverageTopic,
    "front": FrontApp,
    "notice": NoticeTopic,
    "names": NamesTopic,
    "chat": ChatTopic,
    "knowledge": KnowledgeTopic,
    "manuals": ManualsTopic,
    "approval": ApprovalView,
    "code": CodeTopic,
    "servers": ServerEvent,
    "question": QuestionView,
    "midi_learn": MidiLearnTopic,
    "mode_switch": ModeSwitchTopic,
    "provider": ProviderTopic,
    "voice": VoiceTopic,
    "authorization_request": AuthorizationRequestView,
    "a2a": A2aStatus,
    "remote": RemoteAccessStatus,
}
