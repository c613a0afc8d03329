"""Which MCP servers run: those of `mcp.json` that are switched on and agreed to, and only those.

Whenever the file, the config or a consent changes, the manager starts and stops what differs. The MCP
library is imported when the first server is started, and never before.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from conductor.base.json_types import JsonObject
from conductor.config.watcher import ConfigWatcher
from conductor.domain.servers import ServerEvent, ServerView
from conductor.domain.settings import SkillsSettings
from conductor.errors import ConductorError, InvalidParams, NotAllowed
from conductor.mcp.registry.entry import Entry
from conductor.mcp.registry.file import FILE, Content, Listed, ServersFile, known
from conductor.mcp.registry.user_questions import Questions
from conductor.mcp.registry.views import (
    NOT_LOOKED,
    ConsentCheck,
    ServerStatus,
    check_consent,
    excluded_tools,
    view_of,
)

if TYPE_CHECKING:
    from conductor.mcp.client.manager import ClientManager
    from conductor.mcp.client.values import ClientView
    from conductor.storage.consents import Consents
    from conductor.storage.database import Database
    from conductor.storage.keys import Keys
    from conductor.storage.sign_ins import SignIns

log = logging.getLogger(__name__)

START_AFTER_S = 2.0
"""The MCP library takes a second of one core to import; a window is drawn first."""
HALF_WRITTEN_S = 0.15
CONNECTED_WITHIN_S = 30.0
"""A package runner may have to fetch the server first."""
TRIED_WITHIN_S = 60.0
"""A package runner may have to fetch the server first."""
ASK_FIRST = (
    "{0} has not been agreed to as it is now: look at what it runs, in Settings > MCP servers or by"
    " `conductor servers start {0}`, and agree to it first"
)
FAULT = "Conductor itself failed to start it; logs/ in its home says why"


class WithDatabase(Protocol):
    """Opens conductor.db at its first use."""

    def load_library(self) -> None: ...
    def database(self) -> "Database": ...


class ServerRuns:
    """For the event loop, but where it is said otherwise."""

    def __init__(
        self,
        home: Path,
        settings: Callable[[], SkillsSettings],
        storage: WithDatabase,
        keys: Callable[[], "Keys"],
        questions: Questions,
        emit: Callable[[str, JsonObject], None],
        notify: Callable[[str], None],
        on_tools_changed: Callable[[], None],
        *,
        demo: bool,
    ) -> None:
        """Prepare to run the servers of `home`; `open` starts them.

        `settings` and `keys` are called when they are needed, `emit` publishes a topic to the pages, `notify`
        shows the user a sentence, and `on_tools_changed` is called when tools may have come or gone.
        """
        self._settings = settings
        self._storage = storage
        self._keys = keys
        self._emit = emit
        self._notify = notify
        self._on_tools_changed = on_tools_changed
        self._demo = demo
        self._questions = questions
        self.file = ServersFile(home / FILE)
        self.content = Content({})
        self.is_known = False
        """Whether the file was looked at yet."""
        self.problem: str | None = None
        """What keeps the file from being read; `content` is what it was before."""
        self.stopped: set[str] = set()
        """By hand."""
        self.tried: set[str] = set()
        """Those that run only to be tried."""
        self.failed: dict[str, str] = {}
        self.host: ClientManager | None = None
        self.changes = asyncio.Event()
        """Set when a server's state changes. A waiter clears it first."""
        self._watcher = ConfigWatcher(self.file.path, self.soon_follow, notify_missing=True)
        self._looks: dict[str, ConsentCheck] = {}
        self._agreed: dict[str, str] = {}
        self._running: dict[str, Entry] = {}
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._ending: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: dict[str, ServerView] = {}
        self._following = asyncio.Lock()
        self._is_due = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> None:
        """Begin to follow the file and the config."""
        self._loop = asyncio.get_running_loop()
        self._watcher.start()
        self._soon(self._follow_at_first())

    async def close(self) -> None:
        """Stop all servers, and leave nothing running."""
        self._loop = None
        tasks = {*self._tasks, *self._starting.values()}.difference(self._ending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._watcher.stop)
        if self.host is not None:
            await self.host.close()
        await asyncio.gather(*self._ending.values())

    def soon_follow(self) -> None:
        """Follow what has changed; from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._follow_once)

    def settings(self) -> SkillsSettings:
        """Return the user's settings of tools, with those that `mcp.json` excludes; from any thread."""
        return excluded_tools(self.content.servers, self._settings())

    def is_on(self, listed: Listed) -> bool:
        """Return whether a server is switched on, in the config and in the file."""
        settings, entry = self._settings(), listed.entry
        is_named = listed.name in settings.servers and not self._demo
        return is_named and (entry is None or not entry.disabled)

    def known_view(self, name: str) -> ServerView:
        """Return the current state of a server.

        Raises:
            UnknownServer: `mcp.json` has no server of this name.
        """
        return self.view(known(self.content, name))

    def usable_entry(self, name: str) -> Entry:
        """Return the entry of a server.

        Raises:
            UnknownServer: `mcp.json` has no server of this name.
            InvalidParams: its entry has a mistake.
        """
        listed = known(self.content, name)
        if listed.entry is None:
            raise InvalidParams(listed.problem or f"the entry of {name} cannot be used")
        return listed.entry

    def require_consent(self, name: str) -> None:
        """Refuse a server that the user has not agreed to as it is now.

        Raises:
            NotAllowed: the user has not agreed to it.
        """
        self.usable_entry(name)
        if not self.is_agreed(known(self.content, name)):
            raise NotAllowed(ASK_FIRST.format(name))

    async def wait_until_settled(self, name: str) -> ServerView:
        """Wait until a server answers or has failed, and return its state."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TRIED_WITHIN_S):
                while (view := self.known_view(name)).state == "starting":
                    self.changes.clear()
                    await self.changes.wait()
                return view
        return self.known_view(name)

    def is_agreed(self, listed: Listed) -> bool:
        """Return whether the user has agreed to a server as it is now."""
        return listed.entry is not None and self._agreed.get(listed.name) == listed.entry.digest

    @property
    def is_following(self) -> bool:
        """Return whether it is just being worked out what should run."""
        return self._following.locked()

    def is_running(self, name: str) -> bool:
        """Return whether a server runs, or is starting."""
        return name in self._running

    def view(self, listed: Listed) -> ServerView:
        """Return a server as it stands."""
        name = listed.name
        is_tried = name in self.tried
        return view_of(
            listed,
            ServerStatus(
                enabled=self.is_on(listed) or is_tried,
                agreed=self._agreed.get(name),
                stopped=name in self.stopped and not is_tried,
                problem=self.failed.get(name),
                host=self._host_view(name),
                settings=self._settings(),
                look=self._looks.get(name, NOT_LOOKED),
            ),
        )

    async def follow(self) -> None:
        """Look at the file, the config and the consents, have run what should, and wait for what ends."""
        ends = await self.look()
        if ends:
            await asyncio.wait(ends)

    async def look(self) -> "list[asyncio.Task[None]]":
        """Follow, but wait for no server; gives the ends of those that are to end."""
        async with self._following:
            self._is_due = False
            await self._read()
            wanted = {
                one.name: one.entry for one in self.content.servers.values() if self._may_run(one)
            }
            others = [
                name for name, entry in self._running.items() if _differs(wanted.get(name), entry)
            ]
            self._say_why(others)
            ends = [self._end(name) for name in others]
            for name, entry in wanted.items():
                if entry is not None and name not in self._running:
                    self._begin(name, entry)
            self._tell_all()
            return ends

    async def end(self, name: str) -> None:
        """End a server, whatever the others do; the next `follow` starts it again if it should run."""
        end = self._end(name)
        self.changed(name)
        await asyncio.wait([end])

    def _follow_once(self) -> None:
        """Follow after what is being followed now; one more change meanwhile needs no more."""
        if not self._is_due:
            self._is_due = True
            self._soon(self.follow())

    def _say_why(self, stopped: Sequence[str]) -> None:
        for name in stopped:
            listed = self.content.servers.get(name)
            if listed is not None and self.is_on(listed) and not self.is_agreed(listed):
                self._notify(
                    f"the MCP server {name} was changed: it is stopped until you agree to it"
                )

    async def _follow_at_first(self) -> None:
        try:
            if self.file.path.exists():
                await asyncio.sleep(START_AFTER_S)
                await self.follow()
        finally:
            self.is_known = True

    async def _read(self) -> None:
        content = await asyncio.to_thread(self.file.read)
        if content.problem is not None or (self.content.servers and not content.servers):
            await asyncio.sleep(HALF_WRITTEN_S)  # most editors cut a file before they write it
            content = await asyncio.to_thread(self.file.read)
        if content.problem is None:
            for name in _elsewhere_now(self.content, content):
                await asyncio.to_thread(self.forget_sign_in, name)
            self.content = content
        elif content.problem != self.problem:
            self._notify(
                f"{content.problem}. Until it is mended, the MCP servers stay as they were"
            )
        if content.problem != self.problem:
            self.problem = content.problem
            self._emit("servers", ServerEvent(name="", server=None).model_dump(mode="json"))
        servers = self.content.servers.values()
        self._looks = await asyncio.to_thread(
            lambda: {one.name: check_consent(one) for one in servers}
        )
        if servers:
            self._agreed = await asyncio.to_thread(lambda: self.consents().all())

    def _may_run(self, listed: Listed) -> bool:
        is_wanted = self.is_on(listed) and listed.name not in self.stopped
        return self.is_agreed(listed) and (is_wanted or listed.name in self.tried)

    def _begin(self, name: str, entry: Entry) -> None:
        self._running[name] = entry
        self.failed.pop(name, None)
        task = asyncio.create_task(self._start(name, entry))
        self._starting[name] = task
        task.add_done_callback(lambda done: self._started(name, done))

    async def _start(self, name: str, entry: Entry) -> None:
        from conductor.mcp.registry.secrets import server_of

        if name in self._ending:
            await asyncio.wait([self._ending[name]])
        try:
            server = await asyncio.to_thread(server_of, name, entry, self._key_of)
            await (await self._open_host()).start(server)
        except ConductorError as error:
            self.failed[name] = str(error)
        except Exception:
            log.exception("the MCP server %s could not be started", name)
            self.failed[name] = FAULT

    def _started(self, name: str, task: "asyncio.Task[None]") -> None:
        if self._starting.get(name) is task:
            del self._starting[name]
        self.changed(name)

    def _end(self, name: str) -> "asyncio.Task[None]":
        """Start to stop a server. It may be started again at once, and then waits until it has stopped."""
        starting = self._starting.pop(name, None)
        if starting is not None:
            starting.cancel()
        self._running.pop(name, None)
        self.failed.pop(name, None)
        task = self._ending[name] = self._soon(self._taken_from_host(name))
        task.add_done_callback(lambda done: self._ended(name, done))
        return task

    async def _taken_from_host(self, name: str) -> None:
        if self.host is not None:
            await self.host.remove(name)

    def _ended(self, name: str, task: "asyncio.Task[None]") -> None:
        if self._ending.get(name) is task:
            del self._ending[name]
        self.changed(name)
        self._on_tools_changed()  # its tools went after it was told of

    async def _open_host(self) -> "ClientManager":
        """Make the host at the first need of it."""
        if self.host is None:
            make = await asyncio.to_thread(self._host_maker)
            if self.host is None:
                self.host = make()
        return self.host

    def _host_maker(self) -> "Callable[[], ClientManager]":
        """Import what the host needs, in a thread: it takes a second."""
        self._storage.load_library()
        from conductor.mcp.client.manager import ClientManager
        from conductor.mcp.client.supervisor import Times
        from conductor.storage.pins import ToolPins
        from conductor.tools.catalog import REGISTRY

        pins, times = ToolPins(self._storage.database), Times(connect_s=CONNECTED_WITHIN_S)
        sign_ins = self.sign_ins()
        return lambda: ClientManager(
            REGISTRY, pins, self.changed, self._questions.ask, times, sign_ins
        )

    def changed(self, name: str) -> None:
        """Publish the state of a server to the pages if it has changed."""
        listed = self.content.servers.get(name)
        view = None if listed is None else self.view(listed)
        if view != self._told.get(name):
            if view is None:
                del self._told[name]
            else:
                self._told[name] = view
            self._emit("servers", ServerEvent(name=name, server=view).model_dump(mode="json"))
            self._on_tools_changed()
        self.changes.set()

    def _tell_all(self) -> None:
        for name in {*self._told, *self.content.servers}:
            self.changed(name)

    def _host_view(self, name: str) -> "ClientView | None":
        if self.host is None or name not in self._running or name in self._ending:
            return None
        return self.host.view(name)

    def sign_ins(self) -> "SignIns":
        """Return what servers gave at a sign-in; for a worker."""
        from conductor.storage.sign_ins import SignIns

        return SignIns(self._keys())

    def forget_sign_in(self, name: str) -> None:
        """Delete what a server gave at a sign-in; for a worker. A locked keychain keeps it."""
        with contextlib.suppress(ConductorError):
            self.sign_ins().forget(name)

    def _key_of(self, name: str) -> str | None:
        return self._keys().get(name)

    def consents(self) -> "Consents":
        """Return what was agreed to; for a worker: the first use opens the database."""
        self._storage.load_library()
        from conductor.storage.consents import Consents

        return Consents(self._storage.database)

    def _soon(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _elsewhere_now(before: Content, after: Content) -> list[str]:
    """Return the servers at an address that are at another one now, or not there any more."""
    known = {name: one.entry.url for name, one in before.servers.items() if one.entry is not None}
    return [
        name
        for name, url in known.items()
        if url is not None
        and (
            (now := after.servers.get(name)) is None
            or (now.entry is not None and now.entry.url != url)
        )
    ]


def _differs(wanted: Entry | None, running: Entry) -> bool:
    """Return whether a server must be restarted: its program, address or connection settings changed."""
    if wanted is None:
        return True
    ways = [
        (one.digest, dict(one.headers), one.oauth, one.timeout_s, one.era)
        for one in (wanted, running)
    ]
    return ways[0] != ways[1]


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except ConductorError as error:
        log.warning("MCP servers: %s", error)
    except Exception:
        log.exception("following the MCP servers failed")
