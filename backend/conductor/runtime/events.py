"""Delivers the events of the app to the listeners that show or forward them."""

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from conductor.base.json_types import JsonObject

if TYPE_CHECKING:
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
    from conductor.domain.wire_rows import (
        ConfigLoadedRow,
        ConnectedDevicesRow,
        ControlNamesChangedRow,
        EngineStateRow,
        FailureRow,
        ForegroundAppRow,
        NoticeRow,
        PushToTalkRow,
        SkippedTracesRow,
        ToolsChangedRow,
        TraceRow,
    )

log = logging.getLogger(__name__)

Payload = TypeVar("Payload")
Forwarder = Callable[[str, JsonObject], None]


class Topic(str, Generic[Payload]):
    """The name of an event topic and the type of its payload, which is a typed dictionary or a model.

    Models are imported only for type checks, because the engine starts before the app imports pydantic.
    """

    __slots__ = ()


STATUS_TOPIC: "Topic[EngineStateRow]" = Topic("status")
TRACE_TOPIC: "Topic[TraceRow]" = Topic("trace")
SKIPPED_TRACES_TOPIC: "Topic[SkippedTracesRow]" = Topic("skipped")
FAILURE_TOPIC: "Topic[FailureRow]" = Topic("failure")
DEVICES_TOPIC: "Topic[ConnectedDevicesRow]" = Topic("devices")
CONFIG_LOADED_TOPIC: "Topic[ConfigLoadedRow]" = Topic("loaded")
"""Published when the engine has loaded a config. Pages do not receive it."""
CONFIG_TOPIC: "Topic[ConfigTopic]" = Topic("config")
PROBLEMS_TOPIC: "Topic[ProblemsTopic]" = Topic("problems")
PLAN_TOPIC: "Topic[ConfigPlan]" = Topic("plan")
PLAN_COVERAGE_TOPIC: "Topic[PlanCoverageTopic]" = Topic("plan_coverage")
FOREGROUND_APP_TOPIC: "Topic[ForegroundAppRow]" = Topic("front")
NOTICE_TOPIC: "Topic[NoticeRow]" = Topic("notice")
CHAT_TOPIC: "Topic[ChatEvent]" = Topic("chat")
MANUALS_TOPIC: "Topic[ManualsTopic]" = Topic("manuals")
KNOWLEDGE_TOPIC: "Topic[KnowledgeTopic]" = Topic("knowledge")
APPROVAL_TOPIC: "Topic[ApprovalView]" = Topic("approval")
CODE_TOPIC: "Topic[CodeTopic]" = Topic("code")
SERVERS_TOPIC: "Topic[ServerEvent]" = Topic("servers")
MIDI_LEARN_TOPIC: "Topic[MidiLearnTopic]" = Topic("midi_learn")
MODE_SWITCH_TOPIC: "Topic[ModeSwitchTopic]" = Topic("mode_switch")
PROVIDER_TOPIC: "Topic[ProviderTopic]" = Topic("provider")
QUESTION_TOPIC: "Topic[QuestionView]" = Topic("question")
AUTHORIZATION_REQUEST_TOPIC: "Topic[AuthorizationRequestView]" = Topic("authorization_request")
A2A_TOPIC: "Topic[A2aStatus]" = Topic("a2a")
REMOTE_TOPIC: "Topic[RemoteAccessStatus]" = Topic("remote")
"""Published when the server for agents on other computers or their access has changed."""
CONTROL_NAMES_TOPIC: "Topic[ControlNamesChangedRow]" = Topic("names")
"""Published when the names of controls have changed, for example after a device profile was edited."""
VOICE_TOPIC: "Topic[VoiceTopic]" = Topic("voice")
PUSH_TO_TALK_TOPIC: "Topic[PushToTalkRow]" = Topic("push_to_talk")
"""Published when the user presses or releases a control with a `PushToTalk` action. Pages do not receive it."""
TOOLS_TOPIC: "Topic[ToolsChangedRow]" = Topic("tools")
"""Published when the tools that agents may call have changed. Pages do not receive it."""


class Publish(Protocol):
    """A function that publishes an event. Implemented by `EventBus.publish`."""

    def __call__(self, topic: Topic[Payload], payload: Payload, /) -> None: ...


class EventBus:
    """Passes each event to the listeners of its topic, in the thread that publishes the event."""

    def __init__(self) -> None:
        self._listeners: dict[str, tuple[Callable[[Any], None], ...]] = {}
        self._forwarders: tuple[Forwarder, ...] = ()

    def subscribe(self, topic: Topic[Payload], listener: Callable[[Payload], None]) -> None:
        """Call `listener` with the payload of every future event of a topic."""
        self._listeners[topic] = (*self._listeners.get(topic, ()), listener)

    def forward_all(self, forwarder: Forwarder) -> None:
        """Call `forwarder` with the topic and the JSON payload of every future event."""
        self._forwarders = (*self._forwarders, forwarder)

    def publish(self, topic: Topic[Payload], payload: Payload, /) -> None:
        calls = [partial(listener, payload) for listener in self._listeners.get(topic, ())]
        if self._forwarders:
            plain = _convert_payload_to_json(payload)
            calls += [partial(forwarder, topic, plain) for forwarder in self._forwarders]
        for call in calls:
            try:
                call()
            # A failing listener, such as a closed terminal, must not stop the other listeners.
            except Exception:
                log.exception("a listener for %s failed", topic)


class _SerializableModel(Protocol):
    def model_dump(self, *, mode: str) -> JsonObject: ...


def _convert_payload_to_json(payload: object) -> JsonObject:
    if isinstance(payload, dict):
        return cast(JsonObject, payload)
    return cast(_SerializableModel, payload).model_dump(mode="json")
