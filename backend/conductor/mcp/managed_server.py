"""Starts, replaces and stops a server for agents as the settings say, without a restart of Conductor."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Protocol, TypeVar

from conductor.errors import ConductorError

log = logging.getLogger(__name__)

CHECK_INTERVAL_S = 10.0
"""How often changed files are applied, and a server that could not be started is started again."""


class AgentServer(Protocol):
    """A running server, which listens on a port."""

    async def stop(self) -> None:
        """Close the port."""
        ...

    def reload_files(self) -> bool:
        """Apply changes of files that the server uses, such as its certificate. Return whether there were any.

        This runs in a worker thread.

        Raises:
            ConductorError: A changed file cannot be used. The message says what to do.
        """
        ...


ResultT = TypeVar("ResultT")
SettingsT = TypeVar("SettingsT")
ServerT = TypeVar("ServerT", bound=AgentServer)


class ManagedServer(ABC, Generic[SettingsT, ServerT]):
    """A server that runs while the settings say so.

    `start`, `stop`, `apply_settings` and `reload_files` run on the event loop. The other methods may be called
    in any thread.
    """

    def __init__(self) -> None:
        self.problem: str | None = None
        """Why the server does not run or work as the settings say, and what to do."""
        self._server: ServerT | None = None
        self._started_with: SettingsT | None = None
        """The settings of the running server."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    @abstractmethod
    def _read_settings(self) -> SettingsT | None:
        """Return the settings of the server, or None if it is switched off.

        Raises:
            ConductorError: It is switched on, but other settings prevent it. The message says which.
        """

    @abstractmethod
    async def _start_server(self, settings: SettingsT) -> ServerT:
        """Start the server.

        Raises:
            ConductorError: It could not be started. The message says what to do.
        """

    @abstractmethod
    def _on_status_change(self) -> None:
        """Report that the server was started or stopped, or that the problem has changed."""

    def start(self) -> None:
        """Start the server in the background if the settings say so, now and whenever they change."""
        self._loop = asyncio.get_running_loop()
        self._run_task(self._check_repeatedly())

    async def stop(self) -> None:
        """Stop the server, and ignore the settings from now on."""
        self._loop = None
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stop_server()

    def on_settings_changed(self) -> None:
        """Start, replace or stop the server if its settings have changed."""

        def schedule() -> None:
            if self._loop is not None:  # not stopped meanwhile
                self._run_task(self.apply_settings())

        self._call_soon(schedule)

    async def apply_settings(self) -> None:
        """Start, replace or stop the server if its settings have changed."""
        async with self._lock:
            problem = wanted = None
            try:
                wanted = self._read_settings()
            except ConductorError as error:
                problem = str(error)
            if wanted is not None and wanted == self._started_with:
                return
            had_server = self._server is not None
            await self._stop_server()
            if wanted is not None:
                self._server, problem = await self._attempt(self._start_server(wanted))
                self._started_with = None if self._server is None else wanted
            self._set_problem(problem, has_changed=had_server or self._server is not None)

    async def reload_files(self) -> None:
        """Apply changes of the server's files. If they cannot be used, report the problem."""
        async with self._lock:
            if self._server is None:
                return
            reload_files = asyncio.to_thread(self._server.reload_files)
            has_changed, problem = await self._attempt(reload_files)
            self._set_problem(problem, has_changed=bool(has_changed))

    def _call_soon(self, callback: Callable[[], object]) -> None:
        """Call a function on the event loop, unless the server is managed no longer."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(callback)

    def _run_task(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _check_repeatedly(self) -> None:
        while True:
            await self.apply_settings()
            await self.reload_files()
            await asyncio.sleep(CHECK_INTERVAL_S)

    async def _attempt(self, work: Awaitable[ResultT]) -> tuple[ResultT | None, str | None]:
        """Return the result of some work, or the problem if it fails."""
        try:
            return await work, None
        except ConductorError as error:
            return None, str(error)
        except Exception as error:
            # Conductor works without agents, and the next attempt may succeed.
            problem = f"a server for agents failed ({error}); see the log, and check its settings and files"
            if problem != self.problem:  # logged once, not at each attempt
                log.exception("a server for agents failed")
            return None, problem

    async def _stop_server(self) -> None:
        server, self._server, self._started_with = self._server, None, None
        if server is not None:
            await server.stop()

    def _set_problem(self, problem: str | None, *, has_changed: bool) -> None:
        has_changed = has_changed or problem != self.problem
        self.problem = problem
        if has_changed:
            self._on_status_change()
