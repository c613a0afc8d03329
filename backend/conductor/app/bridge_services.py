"""Implements the services that the bridge offers to the commands of the page."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conductor.bridge.code_runner import CodeRunner
from conductor.bridge.page_engine import PageEngine
from conductor.bridge.remote_services import A2aListener, RemoteAccess
from conductor.bridge.services import (
    AppInfo,
    BrowserPages,
    Chat,
    ConfigServices,
    DesktopServices,
    GateServices,
    Llm,
    NamingService,
    ServerServices,
    Voice,
)
from conductor.runtime.events import EventBus, Payload, Topic
from conductor.runtime.learn_sessions import LearnSessions
from conductor.tools.context import RuntimeContext

if TYPE_CHECKING:
    from conductor.app.lazy_knowledge import LazyKnowledge
    from conductor.app.lazy_skills import LazySkills
    from conductor.knowledge.library import KnowledgeBase
    from conductor.skills.library import SkillLibrary


@dataclass(frozen=True)
class BridgeServices:
    """Implements `bridge.services.Services`, which gives the commands of the page access to the services
    of the app.
    """

    app: AppInfo
    config: ConfigServices
    engine: PageEngine
    names: NamingService
    runtime: RuntimeContext
    learn: LearnSessions
    desktop: DesktopServices
    gate: GateServices
    chat: Chat
    llm: Llm
    servers: ServerServices
    pages: BrowserPages
    voice: Voice
    remote: RemoteAccess
    a2a: A2aListener
    code: CodeRunner
    bus: EventBus
    lazy_knowledge: "LazyKnowledge"
    lazy_skills: "LazySkills"

    def publish(self, topic: Topic[Payload], payload: Payload, /) -> None:
        self.bus.publish(topic, payload)

    @property
    def knowledge(self) -> "KnowledgeBase":
        return self.lazy_knowledge.library

    @property
    def skills(self) -> "SkillLibrary":
        return self.lazy_skills.library
