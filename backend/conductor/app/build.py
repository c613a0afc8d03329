"""The composition root of the app process: creates, connects and shuts down its components."""

import asyncio
import logging
import os
import shlex
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from conductor import __version__
from conductor.app.browser_window import BrowserWindow
from conductor.app.second_start import SecondStartHandler
from conductor.app.shutdown import shut_down_with_timeout
from conductor.app.window_app import WindowApp
from conductor.base.detached import run_detached
from conductor.base.paths import CONFIG_FILE_NAME, find_other_config
from conductor.base.single_instance import InstanceLock
from conductor.bridge.browser_pages import BrowserPages
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.events import (
    CONFIG_TOPIC,
    CONTROL_NAMES_TOPIC,
    DEVICES_TOPIC,
    KNOWLEDGE_TOPIC,
    NOTICE_TOPIC,
    PROBLEMS_TOPIC,
    EventBus,
    Forwarder,
)
from conductor.runtime.foreground_apps import ForegroundApps
from conductor.runtime.notices import Notices
from conductor.runtime.open_pages import PAGE_RELOAD_GRACE_S, OpenPages
from conductor.storage.prefs import read_paused
from conductor.window.browsers import find_browser_reason

if TYPE_CHECKING:
    from conductor.bridge.bridge import Bridge
    from conductor.bridge.services import Services
    from conductor.domain.config import Config
    from conductor.domain.page_events import KnowledgeTopic
    from conductor.domain.validate import Problem
    from conductor.domain.wire_rows import NoticeRow

log = logging.getLogger(__name__)

CONFIG_FILE_NOTICE = "config-file"
"""The key of the notice that the config file cannot be used."""
FOREGROUND_NOTICE = "foreground"
"""The key of the notice that the foreground app cannot be detected."""


class App:
    """The app process, which runs until the event `stop` is set. Create the object on the event loop.

    The engine process is started first, so that it starts while this process imports large modules. If
    `owns_window` is true, closing the window ends the app.
    """

    def __init__(
        self,
        home: Path,
        stop: asyncio.Event,
        *,
        config_path: Path | None = None,
        demo: bool = False,
        owns_window: bool = False,
        hidden: bool = False,
    ) -> None:
        self.home = home
        self.demo = demo
        self._config_path = config_path or home / CONFIG_FILE_NAME
        self._lock = InstanceLock(home)
        self._loop = asyncio.get_running_loop()
        self._stop = stop
        self._ready = asyncio.Event()
        """Set when the socket server accepts requests and the services may be used."""
        self._bridge: Bridge | None = None
        self.bus = EventBus()
        self.notices = Notices(self.bus.publish)
        self.bus.subscribe(NOTICE_TOPIC, self._log_notice)
        self.engine = EngineConnection(
            home,
            self._config_path,
            self.bus.publish,
            self.notices,
            self._get_control_names,
            demo=demo,
        )
        # Keys and notes must not start again only because Conductor was restarted.
        self.engine.state.paused = not demo and read_paused(home)
        self.pages = OpenPages()
        self.pages.add_leave_listener(self._on_page_leave)
        self.foreground = ForegroundApps(
            self.engine, self.bus.publish, partial(self.notices.report_problem, FOREGROUND_NOTICE)
        )
        self.engine.process.start()
        self.browser = BrowserPages(self.open_bridge, self.notices)
        self.window = self._create_window(owns_app=owns_window, hidden=hidden)
        self._load_config()
        self._create_services()

    def _create_window(self, *, owns_app: bool, hidden: bool) -> WindowApp | BrowserWindow:
        """Create the Qt window, or an app window of a browser if this installation has no Qt."""
        read_config = lambda: self.store.current_config  # noqa: E731
        if find_browser_reason() is None:
            return WindowApp(
                self.home,
                self.engine,
                read_config,
                self.open_bridge,
                self.notices,
                self.request_quit,
                demo=self.demo,
                owns_app=owns_app,
                hidden=hidden,
            )
        window = BrowserWindow(
            self.home,
            self.browser,
            read_config,
            self.notices,
            self.request_quit,
            demo=self.demo,
            owns_app=owns_app,
            hidden=hidden,
        )
        self.bus.subscribe(CONFIG_TOPIC, lambda _payload: window.apply_settings())
        return window

    def _get_control_names(self) -> ControlNames:
        """Return the names of the controls, or no names while the app is still starting."""
        return self.naming.get_names() if self._ready.is_set() else NO_CONTROL_NAMES

    def _load_config(self) -> None:
        """Load the config and send it to the engine before anything slow is imported, so that mappings
        work early.
        """
        from conductor.config.store import ConfigStore
        from conductor.storage.audit import build_file_edit_entry
        from conductor.storage.records import Records

        self.records = Records(
            None if self.demo else self.home / "conductor.db",
            self._on_database_replaced,
            find_other_config(self.home, self._config_path),
        )
        history = None if self.demo else self.records.open_history
        self.store = ConfigStore(
            self._config_path,
            history,
            self._on_config_change,
            self._on_config_problems,
            self.notices.show_warning,
            lambda: self.services.audit.write(build_file_edit_entry(self._config_path.name)),
        )
        self.store.load_file()
        self.engine.load_config(self.store.current_config)

    def _create_services(self) -> None:
        """Import and create the services and the socket server.

        The imports take most of the time that the app needs to start.
        """
        from conductor.app.services import DEMO_NOT_SAVED_REASON, AppServices
        from conductor.config.watcher import ConfigWatcher
        from conductor.mcp.remote.commands import RemoteCommands
        from conductor.mcp.server.chat_plans import ChatPlans
        from conductor.mcp.server.request_handler import BareRequestHandler, SocketCallRules
        from conductor.mcp.server.socket_address import publish_socket
        from conductor.mcp.server.socket_server import SocketServer
        from conductor.mcp.server.socket_watchers import SocketWatchers
        from conductor.mcp.server.terminal_chat import TerminalChat
        from conductor.mcp.server.terminal_commands import DecisionCommands, RuntimeCommands
        from conductor.mcp.socket_events import SocketEventForwarder
        from conductor.runtime.control_naming import ControlNaming

        watchers = SocketWatchers(lambda on: self.engine.set_watched("socket", on=on))
        self.services = services = AppServices(
            self.home,
            self.bus,
            self.notices,
            self.engine,
            self.foreground,
            self.pages,
            watchers,
            self.records,
            self.store,
            demo=self.demo,
        )
        self._watcher = ConfigWatcher(self._config_path, self.store.reload_file)
        chat_plans = ChatPlans()
        handler = BareRequestHandler(
            SocketCallRules(
                services.gate,
                services.gate.settings,
                services.audit,
                DEMO_NOT_SAVED_REASON if self.demo else None,
            ),
            DecisionCommands(services.plans, services.approvals, self.store, chat_plans),
            RuntimeCommands(self.engine.process, services.recording, self.request_quit),
            services.servers,
            SecondStartHandler(self.browser, self.window.open_window),
            TerminalChat(services.chat.open_chat, chat_plans, watchers),
            RemoteCommands(services.remote).by_name,
        )
        path = self.find_socket_path()
        self._server = SocketServer(
            path,
            handler.answer_request,
            watchers,
            services.agents,
            on_bound=lambda: publish_socket(self.home, path),
        )
        self.naming = ControlNaming(
            self.home,
            lambda: self.engine.state.devices,
            lambda: self.store.current_config,
            lambda: self.bus.publish(CONTROL_NAMES_TOPIC, {}),
        )
        self.bus.subscribe(DEVICES_TOPIC, lambda _payload: self.naming.reload_names())
        self.bus.subscribe(CONFIG_TOPIC, lambda _payload: self.naming.reload_names())
        self.bus.subscribe(KNOWLEDGE_TOPIC, self._on_knowledge_change)
        events = SocketEventForwarder(
            self._loop, watchers, services.agents, services.a2a, handler.may_watch_monitor
        )
        events.subscribe_to_bus(self.bus)

    async def run(self) -> None:
        """Run the app until `stop` is set, then shut down its components in order."""
        await self._server.start()
        self.services.a2a.start()
        self._watcher.start()
        self._ready.set()
        services = self.services
        services.servers.runs.open()
        services.remote.start()
        self.engine.plugin_calls.start_accepting(services.gate, services.servers)
        # The watcher reports only changes after its start, and the config was read before it.
        await asyncio.to_thread(self.store.reload_file)
        is_front_needed = bool(self.store.current_config.profiles)
        await asyncio.to_thread(self.foreground.start, needed=is_front_needed)
        if not self.demo:
            services.examples.start()
            services.knowledge.resume_indexing()
            threading.Thread(target=self.store.open_history, name="history", daemon=True).start()
        try:
            await self._stop.wait()
        finally:
            await self._shut_down()

    async def _shut_down(self) -> None:
        """Shut down the components in order.

        Each has a time limit, and a component that fails or hangs does not affect the others.
        """
        services = self.services
        # Other tasks that wait for `stop` must run first: one of them limits the time of this
        # shutdown, and the calls below may block the loop.
        await asyncio.sleep(0)
        for close in (
            self.browser.close,
            self.window.close,
            services.a2a.stop,
            services.voice.close,
            services.chat.close,
            self.engine.plugin_calls.close,
            services.servers.runs.close,
            services.remote.stop,
            self._server.stop,
        ):
            await shut_down_with_timeout(close())
        if self._bridge is not None:
            self._bridge.close()
        # On threads of their own, because work that hangs may occupy all worker threads of the
        # event loop.
        for stop in (
            self.foreground.stop,
            self._watcher.stop,
            services.close,
            self._close_engine_and_storage,
        ):
            await shut_down_with_timeout(run_detached(stop))

    def _close_engine_and_storage(self) -> None:
        self.services.recording.close()
        self.engine.process.stop()
        self.services.knowledge.close()
        self.records.close()
        self._lock.release_lock()

    async def open_bridge(self) -> "Bridge":
        """Return the bridge, through which pages call commands. The first call creates it."""
        await self._ready.wait()
        await asyncio.to_thread(self.records.load_library)
        # Imported on a worker thread, because the import is slow. The imports below then find the
        # modules loaded.
        await asyncio.to_thread(import_module, "conductor.app.bridge_services")
        from conductor.bridge.bridge import Bridge

        if self._bridge is None:
            on_watch: Callable[[bool], None] = lambda on: self.engine.set_watched("page", on=on)  # noqa: E731
            self._bridge = Bridge(self._build_bridge_services(), self.pages, on_watch)
            self.bus.forward_all(self._bridge.publish)
            self.engine.publish_status()
        return self._bridge

    def _build_bridge_services(self) -> "Services":
        from conductor.app.bridge_services import BridgeServices
        from conductor.app.services import DEMO_NOT_SAVED_REASON
        from conductor.bridge import services as bridge
        from conductor.bridge.app_pages import AppPages
        from conductor.bridge.page_engine import PageEngine
        from conductor.bridge.window_shell import WindowShell
        from conductor.domain.plan import Requester
        from conductor.mcp.server_apps import ServerApps
        from conductor.tools.catalog import REGISTRY

        parts, gate = self.services, self.services.gate
        user = Requester(caller="window", client="Conductor", pid=os.getpid())
        return BridgeServices(
            app=bridge.AppInfo(
                __version__,
                self.home,
                self.demo,
                DEMO_NOT_SAVED_REASON if self.demo else None,
                user,
                self.request_quit,
            ),
            config=bridge.ConfigServices(
                self.store,
                parts.plans,
                parts.prover,
                parts.examples.delete_example,
                self.records.open_database,
                parts.missing.find_missing_parts,
            ),
            engine=PageEngine(self.engine, parts.recording, parts.perform_action),
            names=self.naming,
            runtime=parts.contexts.build_runtime_context(user),
            learn=parts.learn,
            desktop=bridge.DesktopServices(WindowShell(self.window.get_window), self.foreground),
            gate=bridge.GateServices(
                REGISTRY.list_tools, gate.explain_refusal, parts.approvals, parts.audit
            ),
            chat=parts.chat.open_for_pages(),
            llm=parts.llm.services,
            servers=bridge.ServerServices(
                parts.servers, parts.questions, ServerApps(parts.servers, gate), AppPages()
            ),
            pages=self.browser,
            voice=parts.voice,
            remote=parts.remote,
            a2a=parts.a2a,
            code=parts.abilities.code,
            bus=self.bus,
            lazy_knowledge=parts.knowledge,
            lazy_skills=parts.skills,
        )

    def request_quit(self) -> None:
        """Ask the app to stop. Safe to call from any thread."""
        with suppress(RuntimeError):  # the loop is closed if Conductor has already ended
            self._loop.call_soon_threadsafe(self._stop.set)

    def find_socket_path(self) -> Path:
        """Return the path of the socket in the config, or the default path in the home folder."""
        chosen = self.store.current_config.llm.mcp.socket_path
        return self.home / Path(chosen).expanduser() if chosen else self.home / "mcp.sock"

    def watch_events(self, on_event: Forwarder) -> None:
        """Call `on_event` with every event from now on, including traces, for the monitor of `conductor
        run`.
        """
        self.bus.forward_all(on_event)
        self.engine.set_watched("here", on=True)

    def _on_knowledge_change(self, progress: "KnowledgeTopic") -> None:
        """Use device profiles that were added or changed, as soon as they are in the index."""
        self.naming.reload_names()
        if not progress.updating:
            self.engine.update_lights()

    def _on_page_leave(self, page: object) -> None:
        """Deny pending approvals and questions if no page is left that could show them to the user."""

        def deny_without_page() -> None:
            if self.pages.page_count == 0:
                self.services.approvals.deny_after_last_page_closed()
                self.services.questions.on_page_closed()

        self.services.voice.cancel(page)
        self._loop.call_later(PAGE_RELOAD_GRACE_S, deny_without_page)

    def _on_config_change(self, config: "Config", reason: str) -> None:
        from conductor.domain.page_events import ConfigTopic

        self.engine.load_config(config)
        if not config.profiles:
            self.notices.withdraw_notice(FOREGROUND_NOTICE)
        self.services.on_config_change(config, reason)
        self.bus.publish(CONFIG_TOPIC, ConfigTopic(hash=self.store.config_hash))

    def _on_config_problems(self, problems: "tuple[Problem, ...]") -> None:
        """Notify the user that the config file is invalid and why, or that it is valid again."""
        from conductor.domain.page_events import ProblemsTopic

        name, path = self._config_path.name, self._config_path
        self.bus.publish(PROBLEMS_TOPIC, ProblemsTopic(problems=problems))
        self.notices.withdraw_notice(CONFIG_FILE_NOTICE)
        if not problems:
            self.notices.show_message(f"{name} is valid again")
            return
        rest = len(problems) - 1
        file = "" if path == self.home / CONFIG_FILE_NAME else f" {shlex.quote(str(path))}"
        more = f" (and {rest} more: `conductor validate{file}` lists them)" if rest else ""
        fallback = self.store.fallback
        runs = f"{fallback} runs instead" if fallback else "the previous config keeps running"
        text = f"{name} was not loaded; {runs}: {problems[0].format()}{more}"
        self.notices.show_warning(text, key=CONFIG_FILE_NOTICE)

    def _on_database_replaced(self, text: str) -> None:
        """Notify the user that a new database was started, and record the running config as its first
        version.
        """
        self.notices.show_warning(text)
        # On another thread, because the caller may hold the lock of the config store.
        threading.Thread(
            target=self.store.record_current_again, name="history", daemon=True
        ).start()

    def _log_notice(self, notice: "NoticeRow") -> None:
        if notice["level"] == "warning":
            # the monitor in this terminal already shows the notice
            level = logging.INFO if self.engine.is_watched("here") else logging.WARNING
            log.log(level, "%s", notice["text"])
