"""Implements the services that the bridge offers to the commands of the page."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeVar

from conductor.base.json_types import JsonObject
from conductor.bridge.code_runner import CodeRunner
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
    Shell,
    Voice,
)
from conductor.devices.virtual.controller import VIRTUAL_CONTROLS, VirtualController
from conductor.domain.actions import Action
from conductor.domain.engine_protocol import Pause, PostEvents, RequestFor
from conductor.domain.events import InputEvent
from conductor.domain.wire_rows import event_to_plain
from conductor.errors import NotAvailable
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.events import EventBus, Payload, Topic
from conductor.runtime.learn_sessions import LearnSessions
from conductor.runtime.pause_lease import PauseLease
from conductor.runtime.recording import RecordingStore
from conductor.tools.context import RuntimeContext

if TYPE_CHECKING:
    from conductor.app.lazy_knowledge import LazyKnowledge
    from conductor.app.lazy_skills import LazySkills
    from conductor.knowledge.library import KnowledgeBase
    from conductor.skills.library import SkillLibrary

_Reply = TypeVar("_Reply")
WINDOW_NOT_OPEN_MESSAGE = "Conductor's window is not open; in a browser, the page does this itself"
DEFAULT_VELOCITY = 100


class PageEngine:
    """Implements `bridge.services.EngineServices`, through which the page controls the engine process."""

    def __init__(
        self,
        engine: EngineConnection,
        recording: RecordingStore,
        perform: Callable[[Action], None],
    ) -> None:
        self._process = engine.process
        self._perform = perform
        self.recording = recording
        self.pause_lease = PauseLease(
            lambda: engine.state.paused, lambda on: engine.process.send_request_async(Pause(on))
        )

    @property
    def is_running(self) -> bool:
        return self._process.running.is_set()

    def perform_action(self, action: Action) -> None:
        self._perform(action)

    def send_request(self, request: RequestFor[_Reply]) -> _Reply:
        return self._process.send_request(request)

    def list_virtual_controls(self) -> list[JsonObject]:
        return [asdict(control) for control in VIRTUAL_CONTROLS]

    def play_virtual_control(self, do: str, control: str, value: int | None) -> None:
        """Play a control of the virtual controller.

        The events are built here instead of in the engine, so that the caller receives an error for an
        unknown control.
        """
        events: list[InputEvent] = []
        virtual = VirtualController(events.append, lambda: 0.0)
        match do:
            case "press":
                virtual.press(control, DEFAULT_VELOCITY if value is None else value)
            case "release":
                virtual.release(control)
            case _:
                virtual.turn(control, value or 0)
        self._process.send(PostEvents([event_to_plain(event) for event in events]))

    def restart_engine(self) -> None:
        self._process.restart()


class WindowShell:
    """Implements `bridge.services.Shell` with the window. Its commands fail if no window is open."""

    def __init__(self, shell: Callable[[], Shell | None]) -> None:
        self._get_shell = shell

    @property
    def tray(self) -> bool:
        shell = self._get_shell()
        return shell is not None and shell.tray

    @property
    def native(self) -> bool:
        shell = self._get_shell()
        return shell is not None and shell.native

    def open_url(self, url: str) -> None:
        self._get_window().open_url(url)

    def save_file(self, name: str, content: bytes) -> str | None:
        return self._get_window().save_file(name, content)

    def save_pdf(self, name: str, svg: str) -> str | None:
        return self._get_window().save_pdf(name, svg)

    def hide_window(self) -> None:
        self._get_window().hide_window()

    def _get_window(self) -> Shell:
        shell = self._get_shell()
        if shell is None:
            raise NotAvailable(WINDOW_NOT_OPEN_MESSAGE)
        return shell


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
