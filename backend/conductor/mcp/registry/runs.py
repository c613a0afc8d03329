"""Runs the MCP servers in `mcp.json` that are switched on and that the user has consented to.

Whenever the file, the config or a consent changes, servers are started and stopped accordingly. The MCP
library is not imported before the first server is started.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from conductor.config.watcher import ConfigWatcher
from conductor.domain.servers import ServerEvent, ServerView
from conductor.domain.settings import SkillsSettings
from conductor.errors import ConductorError, InvalidParams, NotAllowed
from conductor.mcp.library import import_modules_serially
from conductor.mcp.registry.entry import ServerEntry
from conductor.mcp.registry.file import (
    SERVERS_FILE_NAME,
    ListedServer,
    ServersFile,
    ServersFileContent,
    require_listed_server,
)
from conductor.mcp.registry.user_questions import UserQuestions
from conductor.mcp.registry.views import (
    UNCHECKED_CONSENT,
    ConsentCheck,
    ServerStatus,
    apply_excluded_tools,
    build_server_view,
    check_consent,
)
from conductor.runtime.events import SERVERS_TOPIC, Publish
from conductor.runtime.notices import Notices

if TYPE_CHECKING:
    from conductor.mcp.client.manager import ClientManager
    from conductor.mcp.client.values import ClientView
    from conductor.storage.consents import Consents
    from conductor.storage.database import Database
    from conductor.storage.keys import Keys
    from conductor.storage.sign_ins import SignIns

log = logging.getLogger(__name__)

SERVERS_START_DELAY_S = 2.0
"""The delay before the MCP library is imported.

This takes a second of one core, so the window is drawn first.
"""
HALF_WRITTEN_FILE_DELAY_S = 0.15
CONNECT_TIMEOUT_S = 30.0
"""The time for a connection. It is long, because a package runner may have to download the server first."""
SERVER_TEST_TIMEOUT_S = 60.0
"""The time for a test. It is long, because a package runner may have to download the server first."""
CONSENT_REQUIRED_MESSAGE = (
    "you have not agreed to run {0} as it is now: review it in Settings > MCP servers, or with"
    " `conductor servers start {0}`, and agree first"
)
INTERNAL_ERROR_MESSAGE = (
    "an internal error prevented the start; see the logs folder in Conductor's home folder"
)


class DatabaseProvider(Protocol):
    """Provides the database `conductor.db`, which is opened on first use."""

    def load_library(self) -> None: ...
    def open_database(self) -> "Database": ...


class ServerRuns:
    """Starts and stops the MCP servers. Use it on the event loop, unless a method says otherwise."""

    def __init__(
        self,
        home: Path,
        settings: Callable[[], SkillsSettings],
        storage: DatabaseProvider,
        keys: Callable[[], "Keys"],
        questions: UserQuestions,
        publish: Publish,
        notices: Notices,
        on_tools_changed: Callable[[], None],
        *,
        demo: bool,
    ) -> None:
        """Prepare to run the servers in the `mcp.json` of the home folder. `open` starts them.

        `settings` and `keys` return the current values, and `on_tools_changed` is called when tools may have
        been added or removed.
        """
        self._settings = settings
        self._storage = storage
        self._keys = keys
        self._publish = publish
        self._notices = notices
        self._change_notices: set[str] = set()
        """The servers with a notice that their entry was changed and needs the user's consent."""
        self._on_tools_changed = on_tools_changed
        self._demo = demo
        self._questions = questions
        self.file = ServersFile(home / SERVERS_FILE_NAME)
        self.content = ServersFileContent({})
        self.is_known = False
        """Whether `mcp.json` has been read."""
        self.problem: str | None = None
        """Why `mcp.json` cannot be read, in which case `content` holds the previous content."""
        self.stopped_by_user: set[str] = set()
        """The servers that the user has stopped."""
        self.awaiting_consent: set[str] = set()
        """The servers that are switched on in the config once the user consents."""
        self.under_test: set[str] = set()
        """The servers that run only for a test."""
        self.failed: dict[str, str] = {}
        self.manager: ClientManager | None = None
        self.changes = asyncio.Event()
        """Set when the state of a server changes. A coroutine that waits for a change clears it first."""
        self._watcher = ConfigWatcher(self.file.path, self.schedule_reconcile, notify_missing=True)
        self._checks: dict[str, ConsentCheck] = {}
        self._consented_digests: dict[str, str] = {}
        self._running: dict[str, ServerEntry] = {}
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._stopping: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._published: dict[str, ServerView] = {}
        self._reconciling = asyncio.Lock()
        self._is_reconcile_due = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> None:
        """Start the servers, and watch the file and the config for changes."""
        self._loop = asyncio.get_running_loop()
        self._watcher.start()
        self._create_task(self._reconcile_at_start())

    async def close(self) -> None:
        """Stop all servers and cancel all background tasks."""
        self._loop = None
        tasks = {*self._tasks, *self._starting.values()}.difference(self._stopping.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._watcher.stop)
        if self.manager is not None:
            await self.manager.close()
        await asyncio.gather(*self._stopping.values())

    def schedule_reconcile(self) -> None:
        """Schedule a call of `reconcile_servers` on the event loop. Safe to call from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._schedule_next_reconcile)

    def get_skills_settings(self) -> SkillsSettings:
        """Return the settings of skills, without the tools that `mcp.json` switches off.

        Safe to call from any thread.
        """
        return apply_excluded_tools(self.content.servers, self._settings())

    def is_enabled(self, listed: ListedServer) -> bool:
        """Return whether a server is switched on in both the config and `mcp.json`."""
        settings, entry = self._settings(), listed.entry
        is_named = listed.name in settings.servers and not self._demo
        return is_named and (entry is None or not entry.disabled)

    def require_view(self, name: str) -> ServerView:
        """Return the current view of a server.

        Raises:
            UnknownServer: `mcp.json` has no server of this name.
        """
        return self.build_server_view(require_listed_server(self.content, name))

    def require_entry(self, name: str) -> ServerEntry:
        """Return the parsed entry of a server.

        Raises:
            UnknownServer: `mcp.json` has no server of this name.
            InvalidParams: The entry of the server is invalid.
        """
        listed = require_listed_server(self.content, name)
        if listed.entry is None:
            raise InvalidParams(listed.problem or f"the entry of {name} cannot be used")
        return listed.entry

    def require_consent(self, name: str) -> None:
        """Check that the user has consented to the current entry of a server.

        Raises:
            NotAllowed: The user has not consented to it.
        """
        self.require_entry(name)
        if not self.has_consent(require_listed_server(self.content, name)):
            raise NotAllowed(CONSENT_REQUIRED_MESSAGE.format(name))

    async def wait_until_settled(self, name: str) -> ServerView:
        """Wait until a server is ready or has failed, and return its view."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SERVER_TEST_TIMEOUT_S):
                while (view := self.require_view(name)).state == "starting":
                    self.changes.clear()
                    await self.changes.wait()
                return view
        return self.require_view(name)

    def has_consent(self, listed: ListedServer) -> bool:
        """Return whether the user has consented to the current entry of a server."""
        return (
            listed.entry is not None
            and self._consented_digests.get(listed.name) == listed.entry.digest
        )

    @property
    def is_reconciling(self) -> bool:
        return self._reconciling.locked()

    def is_server_running(self, name: str) -> bool:
        """Return whether a server runs or is starting."""
        return name in self._running

    def build_server_view(self, listed: ListedServer) -> ServerView:
        """Return the current view of a server."""
        name = listed.name
        is_under_test = name in self.under_test
        return build_server_view(
            listed,
            ServerStatus(
                enabled=self.is_enabled(listed) or is_under_test,
                consented_digest=self._consented_digests.get(name),
                stopped=name in self.stopped_by_user and not is_under_test,
                problem=self.failed.get(name),
                client_view=self._find_client_view(name),
                settings=self._settings(),
                check=self._checks.get(name, UNCHECKED_CONSENT),
                awaits_consent=name in self.awaiting_consent,
            ),
        )

    async def reconcile_servers(self) -> None:
        """Start and stop servers to match the file, the config and the consents.

        Waits until the servers that had to be stopped have stopped.
        """
        stop_tasks = await self.start_reconciling()
        if stop_tasks:
            await asyncio.wait(stop_tasks)

    async def start_reconciling(self) -> "list[asyncio.Task[None]]":
        """Start and stop servers like `reconcile_servers`. Return the tasks that are still stopping servers."""
        async with self._reconciling:
            self._is_reconcile_due = False
            await self._read_servers_file()
            wanted = {
                one.name: one.entry
                for one in self.content.servers.values()
                if self._should_run(one)
            }
            outdated = [
                name
                for name, entry in self._running.items()
                if _needs_restart(wanted.get(name), entry)
            ]
            self._notify_stopped(outdated)
            stop_tasks = [self._schedule_stop(name) for name in outdated]
            for name, entry in wanted.items():
                if entry is not None and name not in self._running:
                    self._schedule_start(name, entry)
            self._publish_all_changes()
            return stop_tasks

    async def stop_server(self, name: str) -> None:
        """Stop a server until the next `reconcile_servers`, which starts it again if it should run."""
        stop_task = self._schedule_stop(name)
        self.publish_server_change(name)
        await asyncio.wait([stop_task])

    def _schedule_next_reconcile(self) -> None:
        """Schedule another `reconcile_servers` after the current one, unless one is already scheduled."""
        if not self._is_reconcile_due:
            self._is_reconcile_due = True
            self._create_task(self.reconcile_servers())

    def _notify_stopped(self, stopped: Sequence[str]) -> None:
        """Show a notice for each server that was stopped because its changed entry needs the user's consent."""
        for name in stopped:
            if self._needs_consent(name):
                self._change_notices.add(name)
                self._notices.show_warning(
                    f"the MCP server {name} was changed: it is stopped until you agree to it",
                    key=f"server:{name}",
                )
        for name in [one for one in self._change_notices if not self._needs_consent(one)]:
            self._change_notices.discard(name)
            self._notices.withdraw_notice(f"server:{name}")

    def _needs_consent(self, name: str) -> bool:
        listed = self.content.servers.get(name)
        return listed is not None and self.is_enabled(listed) and not self.has_consent(listed)

    async def _reconcile_at_start(self) -> None:
        try:
            if self.file.path.exists():
                await asyncio.sleep(SERVERS_START_DELAY_S)
                await self.reconcile_servers()
        finally:
            self.is_known = True

    async def _read_servers_file(self) -> None:
        content = await asyncio.to_thread(self.file.read_servers)
        if content.problem is not None or (self.content.servers and not content.servers):
            # most editors truncate a file before they write it
            await asyncio.sleep(HALF_WRITTEN_FILE_DELAY_S)
            content = await asyncio.to_thread(self.file.read_servers)
        if content.problem is None:
            for name in _find_moved_servers(self.content, content):
                await asyncio.to_thread(self.forget_sign_in, name)
            self.content = content
            self._notices.withdraw_notice(SERVERS_FILE_NAME)
        elif content.problem != self.problem:
            self._notices.show_warning(
                f"{content.problem}. Until it is fixed, the MCP servers keep running as before",
                key=SERVERS_FILE_NAME,
            )
        if content.problem != self.problem:
            self.problem = content.problem
            self._publish(SERVERS_TOPIC, ServerEvent(name="", server=None))
        servers = self.content.servers.values()
        self._checks = await asyncio.to_thread(
            lambda: {one.name: check_consent(one) for one in servers}
        )
        if servers:
            self._consented_digests = await asyncio.to_thread(
                lambda: self.get_consents().list_digests()
            )

    def _should_run(self, listed: ListedServer) -> bool:
        is_wanted = self.is_enabled(listed) and listed.name not in self.stopped_by_user
        return self.has_consent(listed) and (is_wanted or listed.name in self.under_test)

    def _schedule_start(self, name: str, entry: ServerEntry) -> None:
        self._running[name] = entry
        self.failed.pop(name, None)
        task = asyncio.create_task(self._start_server(name, entry))
        self._starting[name] = task
        task.add_done_callback(lambda done: self._on_started(name, done))

    async def _start_server(self, name: str, entry: ServerEntry) -> None:
        from conductor.mcp.registry.secrets import resolve_server_entry

        if name in self._stopping:
            await asyncio.wait([self._stopping[name]])
        try:
            server = await asyncio.to_thread(resolve_server_entry, name, entry, self._load_key)
            await (await self._get_manager()).start(server)
        except ConductorError as error:
            self.failed[name] = str(error)
        except Exception:
            log.exception("the MCP server %s could not be started", name)
            self.failed[name] = INTERNAL_ERROR_MESSAGE

    def _on_started(self, name: str, task: "asyncio.Task[None]") -> None:
        if self._starting.get(name) is task:
            del self._starting[name]
        self.publish_server_change(name)

    def _schedule_stop(self, name: str) -> "asyncio.Task[None]":
        """Create the task that stops a server. The next start of the server waits for this task."""
        starting = self._starting.pop(name, None)
        if starting is not None:
            starting.cancel()
        self._running.pop(name, None)
        self.failed.pop(name, None)
        task = self._stopping[name] = self._create_task(self._stop_in_manager(name))
        task.add_done_callback(lambda done: self._on_stopped(name, done))
        return task

    async def _stop_in_manager(self, name: str) -> None:
        if self.manager is not None:
            await self.manager.remove(name)

    def _on_stopped(self, name: str, task: "asyncio.Task[None]") -> None:
        if self._stopping.get(name) is task:
            del self._stopping[name]
        self.publish_server_change(name)
        self._on_tools_changed()  # the tools were removed after the last notification

    async def _get_manager(self) -> "ClientManager":
        """Return the client manager. The first call creates it."""
        if self.manager is None:
            create_manager = await asyncio.to_thread(self._import_manager)
            if self.manager is None:
                self.manager = create_manager()
        return self.manager

    def _import_manager(self) -> "Callable[[], ClientManager]":
        """Return a function that creates the client manager. Call this on a worker thread, because it imports
        the MCP library, which takes a second.
        """
        self._storage.load_library()
        import_modules_serially("conductor.mcp.client.supervisor")
        from conductor.mcp.client.manager import ClientManager
        from conductor.mcp.client.supervisor import SupervisorTimes
        from conductor.storage.pins import ToolPins
        from conductor.tools.catalog import REGISTRY

        pins = ToolPins(self._storage.open_database)
        times = SupervisorTimes(connect_s=CONNECT_TIMEOUT_S)
        sign_ins = self.get_sign_ins()
        return lambda: ClientManager(
            REGISTRY, pins, self.publish_server_change, self._questions.ask_user, times, sign_ins
        )

    def publish_server_change(self, name: str) -> None:
        """Publish the view of a server to the pages if it has changed."""
        listed = self.content.servers.get(name)
        view = None if listed is None else self.build_server_view(listed)
        if view != self._published.get(name):
            if view is None:
                del self._published[name]
            else:
                self._published[name] = view
            self._publish(SERVERS_TOPIC, ServerEvent(name=name, server=view))
            self._on_tools_changed()
        self.changes.set()

    def _publish_all_changes(self) -> None:
        for name in {*self._published, *self.content.servers}:
            self.publish_server_change(name)

    def _find_client_view(self, name: str) -> "ClientView | None":
        if self.manager is None or name not in self._running or name in self._stopping:
            return None
        return self.manager.build_server_view(name)

    def get_sign_ins(self) -> "SignIns":
        """Return the stored sign-ins. Call this on a worker thread."""
        from conductor.storage.sign_ins import SignIns

        return SignIns(self._keys())

    def forget_sign_in(self, name: str) -> None:
        """Delete the stored sign-in of a server if the keychain is open. Call this on a worker thread."""
        with contextlib.suppress(ConductorError):
            self.get_sign_ins().delete_sign_in(name)

    def _load_key(self, name: str) -> str | None:
        return self._keys().get_key(name)

    def get_consents(self) -> "Consents":
        """Return the stored consents. Call this on a worker thread, because it opens the database."""
        self._storage.load_library()
        from conductor.storage.consents import Consents

        return Consents(self._storage.open_database)

    def _create_task(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(_log_errors(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _find_moved_servers(before: ServersFileContent, after: ServersFileContent) -> list[str]:
    """Return the names of the servers that were removed or whose address has changed."""
    previous_urls = {
        name: one.entry.url for name, one in before.servers.items() if one.entry is not None
    }
    return [
        name
        for name, url in previous_urls.items()
        if url is not None
        and (
            (now := after.servers.get(name)) is None
            or (now.entry is not None and now.entry.url != url)
        )
    ]


def _needs_restart(wanted: ServerEntry | None, running: ServerEntry) -> bool:
    """Return whether a server must be restarted because its program or its connection settings have changed."""
    if wanted is None:
        return True
    settings = [
        (one.digest, dict(one.headers), one.oauth, one.timeout_s, one.era)
        for one in (wanted, running)
    ]
    return settings[0] != settings[1]


async def _log_errors(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except ConductorError as error:
        log.warning("MCP servers: %s", error)
    except Exception:
        log.exception("updating the MCP servers failed")
