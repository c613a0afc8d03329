"""The events that the page is told, and what each carries."""

from typing import Literal

from pydantic import RootModel

from conductor.bridge.models import DeviceView, FrontApp, Open, PlainAction, TraceView
from conductor.domain.approvals import ApprovalView
from conductor.domain.chat.events import ChatEvent
from conductor.domain.coverage import Coverage
from conductor.domain.plan import ConfigPlan
from conductor.domain.servers import QuestionView, ServerEvent
from conductor.domain.validate import Problem
from conductor.domain.value import Value


class HelloTopic(Value):
    """The first message of a connection."""

    session: str
    """Opens the next connection of this page; it is never shown again."""


class StatusTopic(Value):
    """Where the engine stands; told when any of it changes."""

    mode: str
    profile: str | None
    muted: tuple[str, ...]
    paused: bool
    engine_running: bool
    held_keys: tuple[str, ...]
    modes: tuple[str, ...]


class SkippedTopic(Value):
    """So many events were not shown, because there were too many."""

    count: int


class FailureTopic(Open):
    """An action that failed."""

    mapping: str
    scope: str
    index: int
    action: PlainAction
    reason: str
    time: float
    sequence: int
    """The trace of the event that it belongs to; either may be told first."""


class DevicesTopic(Value):
    devices: list[DeviceView]


class ConfigTopic(Value):
    """Another config runs."""

    hash: str


class ProblemsTopic(Value):
    """What keeps the file on disk from being the running config; none: it is fine."""

    problems: tuple[Problem, ...]


class PlanCoverageTopic(Value):
    """What generated gestures have shown of a plan so far; the last one is finished."""

    plan_id: str
    coverage: Coverage


class NoticeTopic(Value):
    text: str
    level: Literal["info", "warning"]
    undoes: str | None = None
    """The hash of the config whose change the notice is about. Undo takes it back while that config runs."""
    page: int | None = None
    """The page in a browser that the notice is about, which waits to be confirmed."""


class KnowledgeTopic(Value):
    """How far the making of the knowledge index is; told once more when it is over."""

    updating: bool
    step: str
    done: int
    of: int


class CodeTopic(Value):
    """A run of code waits for a page to take it, or is to be ended."""

    run_id: str
    state: Literal["wanted", "stopped"]


class ChatTopic(RootModel[ChatEvent]):
    """What happens in a conversation."""


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
    "chat": ChatTopic,
    "knowledge": KnowledgeTopic,
    "approval": ApprovalView,
    "code": CodeTopic,
    "servers": ServerEvent,
    "question": QuestionView,
}
