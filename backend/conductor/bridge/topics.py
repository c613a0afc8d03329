"""The topics of the events sent to pages, and their payloads."""

from typing import Literal

from pydantic import RootModel

from conductor.bridge.models import DeviceView, FrontApp, Open, PlainAction, TraceView
from conductor.domain.approvals import ApprovalView
from conductor.domain.chat.events import ChatEvent
from conductor.domain.page_events import (
    CodeTopic,
    ConfigTopic,
    KnowledgeTopic,
    PlanCoverageTopic,
    ProblemsTopic,
)
from conductor.domain.plan import ConfigPlan
from conductor.domain.servers import QuestionView, ServerEvent
from conductor.domain.value import Value


class HelloTopic(Value):
    """The first message that a page receives on a connection."""

    session: str
    """The token for the next connection of this page; it is sent only once."""


class StatusTopic(Value):
    """The state of the engine, which is sent whenever any part of it changes."""

    mode: str
    profile: str | None
    muted: tuple[str, ...]
    paused: bool
    engine_running: bool
    held_keys: tuple[str, ...]
    modes: tuple[str, ...]


class SkippedTopic(Value):
    """The number of events that were not sent because there were too many."""

    count: int


class FailureTopic(Open):
    """The failure of an action."""

    mapping: str
    scope: str
    index: int
    action: PlainAction
    reason: str
    time: float
    sequence: int
    """The trace of the event that it belongs to; either may arrive first."""


class DevicesTopic(Value):
    devices: list[DeviceView]


class NoticeTopic(Value):
    text: str
    level: Literal["info", "warning"]
    undoes: str | None = None
    """The hash of the config that the notice is about. Undo can revert it while that config is running."""
    page: int | None = None
    """The number of the browser page that is waiting for confirmation."""


class NamesTopic(Value):
    """The names of controls have changed, so rows and events have other descriptions."""


class ChatTopic(RootModel[ChatEvent]):
    """An event of a chat conversation."""


TOPICS: dict[str, type] = {
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
    "approval": ApprovalView,
    "code": CodeTopic,
    "servers": ServerEvent,
    "question": QuestionView,
}
