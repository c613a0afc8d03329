"""One connection to a server: from the handshake until one side ends it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx2
import mcp_types as types
from mcp.client.extension import advertise
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from conductor import __version__
from conductor.base import clock
from conductor.errors import ActionFailed, NotAvailable
from conductor.mcp.client import failures, http, listing, stdio
from conductor.mcp.client.log_filter import filter_library_logs
from conductor.mcp.client.questions import PausableTimeout, Questions
from conductor.mcp.client.texts import one_line
from conductor.mcp.client.traffic import (
    FilteredReceiveStream,
    ServerLog,
    TrackedSendStream,
    Traffic,
)
from conductor.mcp.client.values import OnQuestion, ProgressTold, PromptView, ResourceView, Server
from mcp import Client

log = logging.getLogger(__name__)

AT_ONCE = 8
"""Calls of one server; more wait."""
LISTEN_AGAIN_S, LISTEN_AGAIN_AT_MOST_S = 10.0, 300.0
FLOODS = "it sends far more than it is asked for"
PAGES = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
R = TypeVar("R")


@dataclass
class Connection:
    """What a server said of itself and offers, and the ways to use it."""

    server: Server
    client: Client
    traffic: Traffic
    status: http.Status
    patience: PausableTimeout
    program: stdio.Program | None
    changed: asyncio.Event
    tools: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    resources: tuple[ResourceView, ...] = ()
    prompts: tuple[PromptView, ...] = ()
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    @property
    def is_modern(self) -> bool:
        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def listed(self) -> tuple[Any, ...]:
        """Everything as it was listed last, to be compared."""
        return self.tools, self.resources, self.prompts

    async def list_all(self) -> None:
        """Ask for everything that the server says it has."""
        has = self.client.server_capabilities
        self.tools = await listing.tools(self.client, self.traffic) if has.tools else []
        self.resources = await listing.resources(self.client) if has.resources else ()
        self.prompts = await listing.prompts(self.client) if has.prompts else ()

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        timeout_s: float,
        told: ProgressTold | None,
    ) -> types.CallToolResult:
        """Call a tool.

        Raises:
            ActionFailed: the server refused, hung up or took too long.
        """

        async def tell(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            if told is not None:
                told(progress, total, None if message is None else one_line(message))

        return await self._bounded(
            lambda: self.client.call_tool(
                tool, arguments, progress_callback=None if told is None else tell
            ),
            timeout_s,
        )

    async def read(self, uri: str, timeout_s: float) -> types.ReadResourceResult:
        """Read a resource; raises as `call` does."""
        return await self._bounded(lambda: self.client.read_resource(uri), timeout_s)

    async def prompt(
        self, name: str, arguments: dict[str, str], timeout_s: float
    ) -> types.GetPromptResult:
        """Get a prompt; raises as `call` does."""
        return await self._bounded(lambda: self.client.get_prompt(name, arguments), timeout_s)

    async def _bounded(self, ask: Callable[[], Awaitable[R]], timeout_s: float) -> R:
        name = self.server.name
        try:
            async with self._slots, self.patience.of(timeout_s):
                return await ask()
        except TimeoutError:
            raise ActionFailed(
                f"the MCP server {name} did not answer within {timeout_s:g} s; try again, or restart it"
            ) from None
        except Exception as error:
            if failures.is_gone(error) or self.status.refused is not None:
                self.gone.set()
            raise ActionFailed(f"the MCP server {name}: {await self._said(error)}") from error

    async def _said(self, error: BaseException) -> str:
        if self.status.problem is not None and not isinstance(error, ActionFailed):
            return self.status.problem
        if self.traffic.flooded.is_set():
            return FLOODS
        if self.program is not None and failures.is_gone(error):
            if not self.program.has_hung_up:
                return "it was stopped"
            return f"{await self.program.ending()}{failures.AGAIN}, unless it keeps ending"
        return failures.said(error)

    async def ending(self) -> str:
        """Wait until it is of no use any more, and say why."""
        ways: list[asyncio.Task[Any]] = [
            asyncio.create_task(self.gone.wait()),
            asyncio.create_task(self.traffic.flooded.wait()),
        ]
        if self.program is not None:
            ways.append(asyncio.create_task(self.program.ended()))
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
        return await _why(failures.ENDED, self.status, self.program, self.traffic)

    async def listen(self) -> None:
        """Have a server of the newer kind tell when its lists change; older ones do so unasked."""
        has = self.client.server_capabilities
        offered = {"tools": has.tools, "prompts": has.prompts, "resources": has.resources}
        wanted = [kind for kind, told in offered.items() if told is not None and told.list_changed]
        if not self.is_modern or not wanted:
            return
        wait_s, is_told = LISTEN_AGAIN_S, False
        while True:
            since = clock.now()
            why = await self._heard(wanted)
            if not is_told:
                log.info("the MCP server %s tells no changes for now: %s", self.server.name, why)
            if clock.now() - since > wait_s:
                wait_s = LISTEN_AGAIN_S
            await asyncio.sleep(wait_s)
            wait_s, is_told = min(2 * wait_s, LISTEN_AGAIN_AT_MOST_S), True

    async def _heard(self, wanted: list[str]) -> str:
        """Note what it tells, as long as it does; say why no more."""
        try:
            async with self.client.listen(
                tools_list_changed="tools" in wanted,
                prompts_list_changed="prompts" in wanted,
                resources_list_changed="resources" in wanted,
            ) as news:
                self.changed.set()  # for what changed before anybody listened
                async for _ in news:
                    pass
        except (SubscriptionLost, MCPError, TimeoutError) as error:
            return failures.said(error)
        return "it ended the stream"


@asynccontextmanager
async def open_connection(
    server: Server,
    mode: str,
    log: ServerLog,
    ask: OnQuestion,
    connect_within_s: float,
    auth: httpx2.Auth | None = None,
) -> AsyncGenerator[Connection]:
    """Connect, and give the connection with everything listed.

    Raises:
        SignInNeeded: the server wants the user to sign in.
        Hopeless: there is no connection, and another try would be in vain.
        NotAvailable: there is no connection; both say why.
    """
    filter_library_logs()
    status = http.Status(server)
    program = stdio.Program(server, log) if server.transport == "stdio" else None
    changed = asyncio.Event()
    traffic = Traffic(log, lambda _: changed.set())
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(connect_within_s):
                transport = http.connect(server, status, auth)
                if program is not None:
                    stack.push_async_callback(program.stop)
                    await program.start()
                    transport = _as_is(program)
                patience = PausableTimeout()
                client = _client(server, mode, _seen(transport, traffic), ask, patience)
                await stack.enter_async_context(client)
                found = Connection(server, client, traffic, status, patience, program, changed)
                await found.list_all()
        except Exception as error:  # noqa: BLE001 - raised below: task groups of the stack would wrap it
            problem = await _why(error, status, program, traffic)
            is_foreign = isinstance(error, TimeoutError) and program is not None and program.printed
            is_hopeless = status.is_final or failures.is_hopeless(error) or bool(is_foreign)
        else:
            yield found
            return
    if status.challenge is not None:
        raise failures.SignInNeeded(problem, status.challenge)
    raise failures.Hopeless(problem) if is_hopeless else NotAvailable(problem)


def _client(
    server: Server,
    mode: str,
    transport: AbstractAsyncContextManager[tuple[Any, Any]],
    ask: OnQuestion,
    patience: PausableTimeout,
) -> Client:
    return Client(
        transport,
        mode=mode,
        elicitation_callback=Questions(server.name, ask, patience),
        client_info=types.Implementation(name="conductor", version=__version__),
        extensions=[PAGES],
        cache=None,
    )


async def _why(
    error: Exception, status: http.Status, program: stdio.Program | None, traffic: Traffic
) -> str:
    if traffic.flooded.is_set():
        return FLOODS
    if status.problem is not None:
        return status.problem
    if program is None:
        return failures.said(error)
    ended = await program.ending() if program.has_ended else ""
    if program.printed and ended:
        return f"{ended}; what it printed is no MCP: {program.printed}"
    if program.printed and isinstance(error, TimeoutError):
        return f"it does not speak MCP: it printed {program.printed}"
    return ended or failures.said(error)


@asynccontextmanager
async def _as_is(program: stdio.Program) -> AsyncGenerator[tuple[Any, Any]]:
    yield program.streams


@asynccontextmanager
async def _seen(
    transport: AbstractAsyncContextManager[tuple[Any, Any]], traffic: Traffic
) -> AsyncGenerator[tuple[Any, Any]]:
    async with transport as (arriving, leaving):
        yield FilteredReceiveStream(arriving, traffic), TrackedSendStream(leaving, traffic)
