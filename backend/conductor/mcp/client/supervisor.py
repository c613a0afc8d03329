"""Supervises one server: connects to it, and reconnects after failures until it is stopped."""

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import httpx2

from conductor.base import clock
from conductor.base.json_types import JsonObject
from conductor.domain.pins import Pin
from conductor.errors import NotAvailable
from conductor.mcp.client import failures
from conductor.mcp.client.connection import ServerConnection, open_server_connection
from conductor.mcp.client.http import AuthChallenge
from conductor.mcp.client.token_storage import build_refreshing_auth, load_sign_in
from conductor.mcp.client.tool_catalog import OfferedTool, build_pins, list_offered_tools
from conductor.mcp.client.traffic import ServerLog
from conductor.mcp.client.values import (
    ConnectionState,
    ConsentedServer,
    OnQuestion,
    PinStore,
    SignInStore,
)

log = logging.getLogger(__name__)

SERVER_STOP_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class SupervisorTimes:
    """The time limits and pauses of a supervisor. Tests use shorter ones."""

    connect_s: float = 15.0
    back_off_s: tuple[float, ...] = (0.5, 1.0, 2.0)
    """The pause before each retry. After the last one, a local program is not started again."""
    slow_back_off_s: float = 60.0
    """The pause between further attempts to connect to a remote server."""
    quick_failure_s: float = 30.0
    """After this time without a failure, the next one counts as the first again, so that the retries start
    over.
    """
    settle_s: float = 0.5
    """The pause between a notification of a change and reading the lists again."""
    max_settle_s: float = 60.0
    """The longest pause before reading the lists again, for a server that keeps announcing changes."""


class ConnectionResult(NamedTuple):
    """Why a connection or an attempt to connect has ended, and whether a retry could help."""

    problem: str
    stderr: list[str]
    is_permanent: bool
    """Whether another attempt would fail for the same reason."""


class ServerSupervisor:
    """Supervises one server in a task of its own, and reports its state in `state` and `problem`.

    The state changes from `starting` to `ready`, back to `starting` for a retry, and finally to `failed`,
    `sign_in` or `stopped`. A remote server is retried even after it has failed, but a local program is not.
    """

    def __init__(
        self,
        server: ConsentedServer,
        pins: PinStore,
        ask: OnQuestion,
        on_change: Callable[[], None],
        times: SupervisorTimes,
        sign_ins: SignInStore | None = None,
    ) -> None:
        self.server = server
        self.log = ServerLog()
        self.state: ConnectionState = "starting"
        self.problem: str | None = None
        self.offered: dict[str, OfferedTool] = {}
        """The tools that the server lists, by name."""
        self.unregistered: dict[str, str] = {}
        """The reasons why tools could not be added to the registry, by tool name."""
        self.connection: ServerConnection | None = None
        self.started_at: datetime | None = None
        self.is_signed_in = False
        """Whether requests carry the token of a stored sign-in."""
        self._refusal: AuthChallenge | None = None
        self._pins, self._ask, self._on_change, self._times = pins, ask, on_change, times
        self._sign_ins = sign_ins
        self._ready_at: float | None = None
        self._stored_era = ""
        """The protocol era stored in the database, or an empty text before it was read."""
        self.first_attempt_done = asyncio.Event()
        """Set when the server is ready, or when the first attempt to connect has failed."""
        self._task: asyncio.Task[None] | None = None

    @property
    def challenge(self) -> AuthChallenge | None:
        """The challenge of the server that a sign-in would resolve, or None."""
        return (
            self._refusal
            if self.connection is None
            else self.connection.status.permission_challenge
        )

    def report_sign_in_problem(self, problem: str | None) -> None:
        """Set the error of a failed sign-in. None clears it when a new sign-in begins."""
        self._set_state(self.state, problem)

    def start(self) -> None:
        """Start the task that supervises the server.

        `first_attempt_done` is set when the server is ready or could not be reached.
        """
        self._task = asyncio.create_task(
            self._run_with_retries(), name=f"mcp server {self.server.name}"
        )

    async def stop(self) -> None:
        """Stop the server in any state, and wait until its task has ended."""
        task = self._task
        if task is None:
            return
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=SERVER_STOP_TIMEOUT_S)
        # a task that is cancelled before its first step does not set it
        self.first_attempt_done.set()
        if not done and self.server.transport == "http":
            # Closing a session sends a DELETE request, which some servers never answer. A local
            # program gets no second cancellation, because that would interrupt `ServerProcess.stop`
            # and leave the process behind.
            task.cancel()
        await asyncio.wait([task])
        self._set_state("stopped", self.problem if self.state == "failed" else None)

    async def _run_with_retries(self) -> None:
        quick_failures, times = 0, self._times
        try:
            while True:
                self._ready_at = None
                problem, stderr, is_permanent = await self._run_connection()
                ready_at = self._ready_at
                ran_long = ready_at is not None and clock.now() - ready_at >= times.quick_failure_s
                quick_failures = 1 if ran_long else quick_failures + 1
                is_over = is_permanent or quick_failures > len(times.back_off_s)
                text = problem if is_over else f"{problem}{failures.RESTARTING_SUFFIX}"
                final: ConnectionState = "sign_in" if self._refusal else "failed"
                self._set_state(
                    final if is_over else "starting", failures.append_stderr(text, stderr)
                )
                self.first_attempt_done.set()
                if is_permanent or (is_over and self.server.transport == "stdio"):
                    return
                await asyncio.sleep(
                    times.slow_back_off_s if is_over else times.back_off_s[quick_failures - 1]
                )
        except Exception as error:
            # otherwise a bug in Conductor would end the task silently, with the server shown as
            # running
            log.exception("MCP server %s: supervisor failed", self.server.name)
            self._set_state("failed", failures.describe_server_error(error))
        finally:
            # also when cancelled, because `ClientManager.start` waits for it
            self.first_attempt_done.set()

    async def _run_connection(self) -> ConnectionResult:
        """Connect to the server, and stay connected until either side closes the connection."""
        self._refusal = None
        try:
            auth, mode = await self._load_auth(), await self._load_connection_mode()
            async with open_server_connection(
                self.server, mode, self.log, self._ask, self._times.connect_s, auth
            ) as connection:
                await self._on_connected(connection)
                problem = await self._run_until_closed(connection)
                self._refusal = connection.status.access_challenge
        except NotAvailable as error:
            # The stored era may be wrong, so the next attempt negotiates the era again.
            await self._store_protocol_era("auto")
            is_permanent = isinstance(error, failures.PermanentConnectionFailure)
            self._refusal = getattr(error, "challenge", None)
            return ConnectionResult(
                str(error), [] if is_permanent else self.log.get_lines(), is_permanent
            )
        except Exception as error:  # an error that a server causes must end only its own connection
            log.warning("MCP server %s failed", self.server.name, exc_info=True)
            problem = failures.describe_server_error(error)
        finally:
            self.connection = None
        is_permanent = self._refusal is not None
        return ConnectionResult(problem, [] if is_permanent else self.log.get_lines(), is_permanent)

    async def _load_auth(self) -> httpx2.Auth | None:
        """Return the authentication of a stored sign-in to the server, or None if there is none."""
        sign_in = None
        if self.server.transport == "http" and self._sign_ins is not None:
            sign_in = await asyncio.to_thread(load_sign_in, self.server, self._sign_ins)
        self.is_signed_in = sign_in is not None
        if sign_in is None or self._sign_ins is None:
            return None
        return build_refreshing_auth(self.server, self._sign_ins, sign_in)

    async def _load_connection_mode(self) -> str:
        """Return the mode in which the MCP client connects: `legacy` or `auto`.

        The era of a server is stored because `auto` asks for the newer protocol first, and an older server
        may take 10 s to refuse it.
        """
        era = self.server.era
        if era == "auto":
            try:
                era = self._stored_era = await asyncio.to_thread(
                    self._pins.read_protocol_era, self.server.identity
                )
            except NotAvailable as error:
                log.warning(
                    "MCP server %s: cannot read its protocol era: %s", self.server.name, error
                )
        return "legacy" if era == "legacy" else "auto"

    async def _store_protocol_era(self, era: str) -> None:
        """Store the protocol era of the server for the next start.

        A failure is only logged, because it only makes the next start slower.
        """
        if era == self._stored_era:
            return
        try:
            await asyncio.to_thread(self._pins.set_protocol_era, self.server.identity, era)
            self._stored_era = era
        except NotAvailable as error:
            log.warning("MCP server %s: cannot store its protocol era: %s", self.server.name, error)

    async def _on_connected(self, connection: ServerConnection) -> None:
        await self._store_protocol_era("modern" if connection.uses_modern_protocol else "legacy")
        await self._compare_with_pins(connection.tools, is_first=True)
        # set last, because a call during the awaits above could reach a tool that was not compared
        # yet
        self.connection, self.started_at = connection, datetime.now(UTC)
        self._ready_at = clock.now()
        self._set_state("ready", None)
        self.first_attempt_done.set()

    async def _compare_with_pins(self, tools: list[JsonObject], *, is_first: bool) -> None:
        """Compare the tools that the server lists with those that the user has accepted.

        The first list of a new server is accepted without review, because the user has just consented to
        that server.
        """
        accepted = await asyncio.to_thread(self._pins.read_accepted_tools, self.server.identity)
        if accepted is None and is_first:
            pins = build_pins(tools)
            await asyncio.to_thread(self._pins.accept_tools, self.server.identity, pins)
            accepted = {pin.tool: pin for pin in pins}
        self.offered = list_offered_tools(self.server.name, tools, accepted or {})

    async def accept_tool(self, pin: Pin) -> None:
        """Store that the user has accepted a new or changed tool."""
        await asyncio.to_thread(self._pins.accept_tools, self.server.identity, (pin,))
        if self.connection is not None:  # the connection may have ended during the write
            await self._compare_with_pins(self.connection.tools, is_first=False)
        self._on_change()

    async def _run_until_closed(self, connection: ServerConnection) -> str:
        """Keep the lists up to date until the connection closes, and return the reason why it closed."""
        listening = asyncio.create_task(connection.listen_for_list_changes())
        closing = asyncio.create_task(connection.wait_until_closed())
        relisting = asyncio.create_task(self._reread_lists_on_change(connection))
        tasks: list[asyncio.Task[Any]] = [listening, closing, relisting]
        try:
            # `listening` is left out, because it returns at once for a server that sends
            # notifications without a subscription
            await asyncio.wait([closing, relisting], return_when=asyncio.FIRST_COMPLETED)
            return (
                closing.result()
                if closing.done()
                else failures.describe_server_error(_get_task_exception(relisting))
            )
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _reread_lists_on_change(self, connection: ServerConnection) -> None:
        """Read the lists of the server again after each notification of a change.

        Some servers announce a change after every listing. Then the pause doubles each time, so that
        listings and notifications do not trigger each other endlessly.
        """
        times, snapshot = self._times, connection.listed_items
        settle_s, listed_at = 0.0, -math.inf
        while True:
            await connection.changed.wait()
            is_soon = clock.now() - listed_at <= settle_s
            settle_s = min(2 * settle_s, times.max_settle_s) if is_soon else times.settle_s
            await asyncio.sleep(settle_s)
            # cleared before the listing, because a change during the listing must cause another one
            connection.changed.clear()
            async with asyncio.timeout(times.connect_s):
                await connection.read_lists()
            listed_at = clock.now()
            if connection.listed_items != snapshot:
                snapshot = connection.listed_items
                await self._compare_with_pins(connection.tools, is_first=False)
                self._on_change()

    def _set_state(self, state: ConnectionState, problem: str | None) -> None:
        self.state, self.problem = state, problem
        if state in ("failed", "stopped", "sign_in"):
            # kept while "starting", so that a restart does not change the registry
            self.offered = {}
        self._on_change()


def _get_task_exception(task: "asyncio.Task[None]") -> BaseException:
    return task.exception() or NotAvailable("its lists could not be read")
