"""What the bridge is handed in a running Conductor: `bridge.services.Desk`, kept by the app's parts."""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from conductor import __version__
from conductor.app.gate import DEMO, RequestHandler
from conductor.app.lazy_knowledge import LazyKnowledge
from conductor.app.lazy_skills import LazySkills
from conductor.app.llm_services import LlmServices
from conductor.app.records import Records
from conductor.app.second_start import SecondStarts
from conductor.app.server_apps import ServerApps
from conductor.bridge.door import Bridge
from conductor.bridge.services import ChatDoor, Front, Shell
from conductor.devices.virtual.controller import LAYOUT, VirtualController
from conductor.domain.actions import Action
from conductor.domain.engine_protocol import Pause, PostEvents, RequestFor
from conductor.domain.events import InputEvent
from conductor.domain.plan import Requester
from conductor.domain.trace import plain_event
from conductor.errors import NotAvailable
from conductor.runtime.pause_lease import PauseLease
from conductor.runtime.recording import RecordingStore
from conductor.runtime.status import Running
from conductor.storage.database import Database
from conductor.tools.catalog import REGISTRY
from conductor.tools.registry import Tool

if TYPE_CHECKING:
    from conductor.app.capabilities import AppAbilities
    from conductor.bridge.services import CodeDoor
    from conductor.knowledge.library import KnowledgeBase
    from conductor.mcp.registry.servers import Servers
    from conductor.mcp.registry.user_questions import Questions
    from conductor.skills.library import SkillLibrary as Skills

_Reply = TypeVar("_Reply")
IN_BROWSER = "there is no window of Conductor's own here; the page does this itself in a browser"
STRENGTH = 100


class Followed(Protocol):
    """What watches the app in front; `system.foreground.Foreground` is the real one."""

    def available(self) -> str | None: ...


class WithPage(Running, Protocol):
    """What is seen of the app."""

    home: Path
    records: Records
    recording: RecordingStore
    foreground: Followed | None
    fronts: list[tuple[str, str, str]]
    knowledge: LazyKnowledge
    skills: LazySkills
    bridge: Bridge | None
    paused: bool
    servers: "Servers"
    questions: "Questions"
    abilities: "AppAbilities"
    starts: SecondStarts

    @property
    def llm(self) -> LlmServices: ...


class NoShell:
    """Stands where the page is in a browser."""

    tray = False
    native = False

    def open_url(self, url: str) -> None:
        raise NotAvailable(IN_BROWSER)

    def save_file(self, name: str, content: bytes) -> str | None:
        raise NotAvailable(IN_BROWSER)

    def save_pdf(self, name: str, svg: str) -> str | None:
        raise NotAvailable(IN_BROWSER)

    def hide(self) -> None:
        raise NotAvailable(IN_BROWSER)


class BridgeServices:
    """Implements `bridge.services.Desk`. `shell` is put in when there is a window."""

    def __init__(
        self, app: WithPage, gate: RequestHandler, chat: ChatDoor, quit_app: Callable[[], None]
    ) -> None:
        self._app = app
        self.chat = chat
        self._gate = gate
        self._quit = quit_app
        self.version = __version__
        self.home = app.home
        self.demo = app.demo
        self.read_only_because = DEMO if app.demo else None
        self.store = app.store
        self.llm = app.llm
        self.plans = gate.plans
        self.prover = gate.prover
        self.audit = gate.audit
        self.approvals = gate.approvals
        self.runtime = gate.contexts.runtime()
        self.requester = Requester(caller="window", client="Conductor", pid=os.getpid())
        self.shell: Shell = NoShell()
        self.pages = app.starts.browser
        self.apps = ServerApps(app.servers, gate)
        self.rest = PauseLease(lambda: app.paused, lambda on: app.engine.ask_from_loop(Pause(on)))

    @property
    def engine_running(self) -> bool:
        return self._app.engine.running.is_set()

    @property
    def code(self) -> "CodeDoor":
        return self._app.abilities.code

    @property
    def knowledge(self) -> "KnowledgeBase":
        return self._app.knowledge.library

    @property
    def skills(self) -> "Skills":
        return self._app.skills.library

    @property
    def servers(self) -> "Servers":
        return self._app.servers

    @property
    def questions(self) -> "Questions":
        return self._app.questions

    def tell(self, topic: str, payload: dict[str, Any]) -> None:
        if self._app.bridge is not None:
            self._app.bridge.tell(topic, payload)

    def perform(self, action: Action) -> None:
        self._gate.perform(action)

    def ask(self, request: RequestFor[_Reply]) -> _Reply:
        return self._app.engine.ask(request)

    def tools(self) -> Sequence[Tool]:
        return REGISTRY.all()

    def refusal(self, tool: Tool) -> str | None:
        return self._gate.refusal(tool)

    def database(self) -> Database:
        return self._app.records.database()

    def virtual_layout(self) -> list[dict[str, Any]]:
        return [asdict(control) for control in LAYOUT]

    def play_virtual(self, do: str, control: str, value: int | None) -> None:
        """Make the event here, where a mistake can be told, and have the engine take it now."""
        events: list[InputEvent] = []
        virtual = VirtualController(events.append, lambda: 0.0)
        match do:
            case "press":
                virtual.press(control, STRENGTH if value is None else value)
            case "release":
                virtual.release(control)
            case _:
                virtual.turn(control, value or 0)
        self._app.engine.send(PostEvents([plain_event(event) for event in events]))

    def front(self) -> Front | None:
        return Front(*self._app.fronts[0]) if self._app.fronts else None

    def fronts_seen(self) -> Sequence[Front]:
        return [Front(*one) for one in self._app.fronts if any(one)]

    def front_problem(self) -> str | None:
        if self._app.foreground is None:
            return "the app in front is not known yet; try again in a moment"
        return self._app.foreground.available()

    @property
    def recording(self) -> RecordingStore:
        return self._app.recording

    def restart_engine(self) -> None:
        self._app.engine.restart()

    def quit(self) -> None:
        self._quit()
