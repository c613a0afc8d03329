"""The composition root of the app process: makes every part and draws every line between them."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

from conductor import __version__
from conductor.app.browser import BrowserPage
from conductor.app.capabilities import AppAbilities
from conductor.app.lazy_knowledge import LazyKnowledge
from conductor.app.lazy_skills import LazySkills
from conductor.app.second_start import SecondStarts
from conductor.app.shutdown import shutdown_with_timeout
from conductor.base.clock import now
from conductor.base.detached import run_detached
from conductor.base.single_instance import InstanceLock
from conductor.domain.engine_protocol import (
    ActionFailure,
    Beat,
    ConfigLoaded,
    ConfigLoadFailed,
    DevicesChanged,
    DryRun,
    EnableDevice,
    FromEngine,
    MessagesDropped,
    Pause,
    PluginCall,
    PluginWithdrawn,
    Ready,
    SwitchMode,
    TracesRecorded,
)
from conductor.domain.wire_rows import DeviceRow
from conductor.mcp.server.socket_address import publish_socket
from conductor.runtime.environment import engine_environment, engine_messages
from conductor.runtime.foreground_apps import ForegroundApps
from conductor.runtime.monitor_watchers import MonitorWatchers
from conductor.runtime.status_publisher import StatusPublisher
from conductor.runtime.supervisor import EngineSupervisor
from conductor.tools.plugin_calls import PluginCalls

if TYPE_CHECKING:
    from conductor.app.bridge_services import BridgeServices
    from conductor.app.llm_services import LlmServices
    from conductor.app.page_events import PageEvents
    from conductor.bridge.door import Bridge
    from conductor.domain.approvals import ApprovalView
    from conductor.domain.config import Config
    from conductor.domain.plan import ConfigPlan
    from conductor.mcp.server.agents import Agents
    from conductor.storage.keys import Keys

log = logging.getLogger(__name__)

RELOAD_S = 2.0
"""How long a page may be away while it reloads."""
MonitorLine = Callable[[str, dict[str, Any]], None]


class App:
    """A running Conductor without a window.

    The engine process is started first; what the app itself needs is imported while it comes up.
    `on_event(kind, data)` sees what a monitor shows: `trace`, `failure`, `devices`, `notice`, `loaded`.
    """

    def __init__(self, home: Path, *, config_path: Path | None = None, demo: bool = False) -> None:
        self.home = home
        self.demo = demo
        self.config_path = config_path or home / "config.toml"
        self.on_event: MonitorLine = lambda _kind, _data: None
        self.started_at = now()
        self.devices: list[DeviceRow] = []
        self.devices_known = threading.Event()
        self.loaded = threading.Event()
        self.mode = ""
        self._base_mode = ""
        """The mode without what is held: what a momentary mode goes back to."""
        self.profile: str | None = None
        self.muted: list[str] = []
        self.paused = False
        self.held_keys: list[str] = []
        self.foreground: Any = None
        self.notices: list[str] = []
        self._token = 0
        self._sent: Any = None
        self._sending = threading.Lock()
        self.agents: Agents | None = None
        self._llm: LlmServices | None = None
        self.knowledge = LazyKnowledge(self, lambda: self.gate.audit)
        self.skills = LazySkills(self)
        self.abilities = AppAbilities(self)
        self._lock = InstanceLock(home)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self.ready = asyncio.Event()
        """Set once everything is made and the socket answers."""
        self.doors: list[Callable[[], Awaitable[None]]] = []
        """What ends the doors that were opened later, the last one first."""
        self.bridge: Bridge | None = None
        self.desk: BridgeServices | None = None
        self.starts = SecondStarts(BrowserPage(self), self._notice)
        self._news: PageEvents | None = None
        self._status_news = StatusPublisher(self, self._tell_status, lambda: self._store_ready)
        self._store_ready = False
        self.engine = EngineSupervisor(
            home,
            on_message=self._on_engine_message,
            on_start=self._engine_started,
            on_death=self._engine_died,
            keys_up=self._keys_up,
            environment=lambda: engine_environment(self.config_path),
        )
        self._fronts = ForegroundApps(self.engine, self._tell_page, self._notice)
        self.fronts = self._fronts.seen
        self.plugin_calls = PluginCalls(self.engine)
        self._watchers = MonitorWatchers(self.engine)
        self.engine.start()
        self._make_services()

    def _make_services(self) -> None:
        """Import and make the rest while the engine process starts."""
        from conductor.app.records import Records
        from conductor.config.store import ConfigStore
        from conductor.config.watcher import ConfigWatcher
        from conductor.mcp.registry.runs import ServerRuns
        from conductor.mcp.registry.servers import Servers
        from conductor.mcp.registry.user_questions import Questions
        from conductor.runtime.recording import follow_engine

        file = None if self.demo else self.home / "conductor.db"
        self.records = Records(file, self._records_renewed)

        history = None if self.demo else self.records.history
        told = (self._config_changed, self._problems, self._notice)
        self.store = ConfigStore(self.config_path, history, *told)
        self.store.load()
        home = file and self.home
        forget = lambda: self.gate.forget_recording()  # noqa: E731, PLW0108 - the gate is made later
        self.recording = follow_engine(self.engine, self._notice, home, self.store, forget)
        self._store_ready = True
        self._send_config()
        self.watcher = ConfigWatcher(self.config_path, self.store.reload)
        self.questions = Questions(self._tell_page, self._pages)
        runs = ServerRuns(
            self.home,
            lambda: self.store.current.skills,
            self.records,
            self._open_keys,
            self.questions,
            self._tell_page,
            self._notice,
            self._server_tools_changed,
            demo=self.demo,
        )
        self.servers = Servers(runs, self.store, self._open_keys, self._notice)

    def _open_keys(self) -> "Keys":
        """Return the store of keys; the first use opens it."""
        return self.llm.keys

    @property
    def llm(self) -> "LlmServices":
        """What calls to models need: made at the first need of it."""
        if self._llm is None:
            from conductor.app.llm_services import LlmServices

            self._llm = LlmServices(self.home, lambda: self.store.current.llm, self.records)
        return self._llm

    async def run(self, stop: asyncio.Event) -> None:
        """Serve until `stop` is set, then end in order: doors, watchers, engine."""
        from conductor.app.chat_desk import ChatService
        from conductor.app.gate import RequestHandler
        from conductor.app.terminal_chat import TerminalChat
        from conductor.mcp.server.agents import Agents
        from conductor.mcp.server.deps import ServerDeps
        from conductor.mcp.server.socket_server import SocketServer

        self._loop, self._stop = asyncio.get_running_loop(), stop
        self.gate = RequestHandler(self, self._notice)
        self.plans = self.gate.plans
        self.chat = ChatService(self, self._tell_page)
        self.gate.chat = TerminalChat(self).answer
        gate, skills = self.gate, lambda: self.skills.library
        self.agents = Agents(
            ServerDeps(
                gate, self.plans, gate.settings, __version__, self.home, self._notice, skills
            )
        )
        self.plans.on_change = self._plan_changed
        self.plans.on_coverage = lambda found: self._tell_page("plan_coverage", found)
        self.gate.approvals.on_change = self._approval_changed
        self.gate.approvals.is_user_present = self._can_be_asked
        self.server = SocketServer(
            self.socket_path(),
            self.gate.answer,
            self._watchers.from_socket,
            self.agents,
            on_bound=lambda: publish_socket(self.home, self.server.path),
        )
        await self.server.start()
        self.watcher.start()
        self.ready.set()
        self.servers.runs.open()
        self.plugin_calls.open(self.gate, self.servers)
        needed = bool(self.store.current.profiles)
        self.foreground = await asyncio.to_thread(self._fronts.start, needed=needed)
        if not self.demo:
            self.gate.examples.start(self._notice, notify_break=self._notice)
            threading.Thread(target=self.store.open_history, name="history", daemon=True).start()
        try:
            await stop.wait()
        finally:
            await self._end()

    async def _end(self) -> None:
        """End every part, whatever becomes of the others; the loop's own threads may all be taken."""
        chat, calls = self.chat.close, self.plugin_calls.close
        for close in (
            *reversed(self.doors),
            chat,
            calls,
            self.servers.runs.close,
            self.server.stop,
        ):
            await shutdown_with_timeout(close())
        if self.bridge is not None:
            self.bridge.close()
        if self.foreground is not None:
            await shutdown_with_timeout(run_detached(self.foreground.stop))
        for stop in (self.watcher.stop, self.gate.close, self.close):
            await shutdown_with_timeout(run_detached(stop))

    async def open_bridge(self) -> "Bridge":
        """Return the bridge that the window's page calls, made at the first need of it."""
        await self.ready.wait()
        await asyncio.to_thread(self.records.load_library)
        # Imported in a thread first, because it takes a while; then the imports below cost nothing.
        await asyncio.to_thread(import_module, "conductor.app.bridge_services")
        from conductor.app.bridge_services import BridgeServices
        from conductor.app.page_events import PageEvents
        from conductor.bridge.door import Bridge

        bridge = self.bridge
        if bridge is None:
            self.desk = BridgeServices(self, self.gate, self.chat.door(), self.quit)
            self.bridge = bridge = Bridge(self.desk, self._watchers.from_page)
            bridge.on_leave.append(self.abilities.code.left)
            bridge.on_leave.append(self._page_left)
            self._news = PageEvents(bridge.tell)
            self._status_news.tell_again()
        return bridge

    def _page_left(self, _page: object) -> None:
        """Deny what waits for the user, unless the last page reconnects at once."""

        def deny() -> None:
            if self.bridge is not None and not self.bridge.pages:
                self.gate.approvals.page_left()
                self.questions.page_left()

        asyncio.get_running_loop().call_later(RELOAD_S, deny)

    def _can_be_asked(self) -> bool:
        """Return whether a page, or a chat at a terminal, is there to answer."""
        return self._pages() > 0 or self.server.is_watched("chat")

    def _pages(self) -> int:
        return 0 if self.bridge is None else self.bridge.pages

    def quit(self) -> None:
        """End Conductor; from any thread."""
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)

    def close(self) -> None:
        self.recording.close()
        self.engine.stop()
        self.knowledge.close()
        self.records.close()
        self._lock.release()

    def socket_path(self) -> Path:
        """Return the socket's place: as configured, or in the home folder."""
        wanted = self.store.current.llm.mcp.socket_path
        return self.home / Path(wanted).expanduser() if wanted else self.home / "mcp.sock"

    def config_is_active(self) -> bool:
        """Return whether the engine runs the config of the file, and not still one before it."""
        return self.loaded.is_set() and self._sent == self.store.current

    def watch(self, *, on: bool) -> None:
        """Start or stop sending traces to this process's own monitor."""
        self._watchers.look("here", on=on)

    def _config_changed(self, config: "Config", reason: str) -> None:
        self._send_config()
        if self._store_ready:
            self.recording.configure(self.store.current.settings.engine)
        if self._llm is not None:
            self._llm.config_changed()
        if self._loop is not None:
            self.servers.runs.schedule_reconcile()
            self.gate.examples.config_changed(config, reason)
        self._tell_agents("conductor://config")
        self._tell_page("config", {"hash": self.store.hash})

    def _tell_page(self, topic: str, payload: dict[str, Any]) -> None:
        if self.bridge is not None:
            self.bridge.tell(topic, payload)

    def _tell_status(self, status: dict[str, Any]) -> None:
        self._tell_page("status", status)
        self._tell_agents_of_status()

    def _tell_agents_of_status(self) -> None:
        if self.agents is not None:
            self.agents.resource_changed("conductor://status")

    def _server_tools_changed(self) -> None:
        if self.agents is not None:
            self.agents.settings_changed()

    def _plan_changed(self, plan: "ConfigPlan") -> None:
        self._tell_agents(f"conductor://plans/{plan.plan_id}")
        self._tell_page("plan", plan.model_dump(mode="json"))

    def _approval_changed(self, view: "ApprovalView") -> None:
        plain = view.model_dump(mode="json")
        self._tell_page("approval", plain)
        if self._loop is not None and view.conversation_id is not None:
            self._loop.call_soon_threadsafe(self.server.notify, "chat.approval", plain)

    def _tell_agents(self, uri: str) -> None:
        if self.agents is not None:
            self.agents.resource_changed(uri)
            self.agents.settings_changed()
        if self._watchers.socket and self._loop is not None:
            self._loop.call_soon_threadsafe(self.server.end_watches, self.gate.may_watch)

    def _engine_started(self) -> None:
        """Send a new engine what it has to know; one after a crash also where the last one stood."""
        mode, muted = self._base_mode, self.muted
        self.devices = []
        self.plugin_calls.forget()
        if self.demo:
            self.engine.send(DryRun(True))
        self._send_config()
        if mode:
            self.engine.send(SwitchMode(mode))
        for device in muted:
            self.engine.send(EnableDevice(device, False))
        self._fronts.post()
        if self.paused:
            self.engine.send(Pause(True))

    def _send_config(self) -> None:
        """Send the running config; called after each change and each start of the engine."""
        if not self._store_ready:
            return
        with self._sending:
            self.loaded.clear()
            self._token += 1
            self._sent = self.store.current
            for message in engine_messages(self._sent, self._token):
                self.engine.send(message)
        if self._watchers.any():
            self._watchers.tell()

    def _engine_died(self, text: str) -> None:
        """Report a dead engine at once: the next beat comes only from another engine, if ever."""
        self._notice(text)
        self._status_news.look()

    def _keys_up(self, ledger: Path) -> None:
        """Release the keys that a dead engine held."""
        from conductor.runtime.orphaned_keys import release_orphaned_keys

        setting = self.store.current.settings.engine.cmd_key if self._store_ready else "auto"
        release_orphaned_keys(ledger, self.held_keys, setting)

    def _on_engine_message(self, message: FromEngine) -> None:  # noqa: C901 - one arm per message
        match message:
            case TracesRecorded(items=items, skipped=skipped):
                for item in items:
                    self._tell("trace", {**item})
                if skipped:
                    self._tell("skipped", {"count": skipped})
            case ActionFailure(failure=failure):
                self._tell("failure", {**failure})
            case PluginCall() | PluginWithdrawn():
                self.plugin_calls.on_message(message)
            case DevicesChanged(devices=devices):
                self.devices = devices
                self.devices_known.set()
                self._tell("devices", {"devices": self.devices})
                self._tell_agents_of_status()
            case ConfigLoaded():
                self.mode = message.mode
                if message.token == self._token:
                    self.loaded.set()
                self._tell("loaded", message._asdict())
                self._status_news.look()
            case MessagesDropped(text=text):
                self._notice(text)
            case ConfigLoadFailed(reason=reason):
                self._notice(f"the engine could not load the config: {reason}")
            case Beat():
                self.mode, self.profile = message.mode, message.profile
                self._base_mode = message.base_mode
                self.muted, self.paused = message.muted, message.paused
                self.held_keys = message.held_keys
                self._status_news.look()
            case Ready():
                pass
            case _:
                assert_never(message)

    def _tell(self, kind: str, data: dict[str, Any]) -> None:
        if self._news is not None:
            self._news.hear(kind, data)
        self.on_event(kind, data)
        if self._watchers.socket and self._loop is not None:
            self._loop.call_soon_threadsafe(self.server.notify, f"monitor.{kind}", data)

    def _notice(self, text: str, undoes: str | None = None, page: int | None = None) -> None:
        log.log(logging.INFO if self._watchers.here else logging.WARNING, "%s", text)
        self.notices = [*self.notices[-19:], text]
        self._tell("notice", {"text": text, "undoes": undoes, "page": page})

    def _records_renewed(self, text: str) -> None:
        """Report a replaced database, and record the running config as the version for undo."""
        self._notice(text)
        # not here: who waits for the store may be who found the file damaged
        threading.Thread(target=self.store.record_again, name="history", daemon=True).start()

    def _problems(self, problems: tuple[Any, ...]) -> None:
        name = self.config_path.name
        self._tell_page("problems", {"problems": [one.model_dump() for one in problems]})
        if problems:
            rest = len(problems) - 1
            more = f" (and {rest} more: `conductor validate` lists them)" if rest else ""
            standing = self.store.fallback
            runs = f"{standing} runs instead" if standing else "the one before keeps running"
            self._notice(f"{name} was not taken over, {runs}: {problems[0].text()}{more}")
        else:
            past = f"{name} was not taken over, "
            self.notices = [text for text in self.notices if not text.startswith(past)]
            self._tell("notice", {"text": f"{name} is fine again", "level": "info"})
