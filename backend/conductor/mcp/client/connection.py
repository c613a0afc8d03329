"""Opens a connection to an MCP server, and sends requests over it until either side closes it."""

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
from conductor.base.json_types import JsonObject
from conductor.errors import ActionFailed, NotAvailable
from conductor.mcp.client import failures, http, listing, stdio
from conductor.mcp.client.log_filter import limit_library_logs
from conductor.mcp.client.questions import PausableTimeout, ServerQuestions
from conductor.mcp.client.texts import clean_line
from conductor.mcp.client.traffic import (
    FilteredReceiveStream,
    ServerLog,
    TrackedSendStream,
    TrafficFilter,
)
from conductor.mcp.client.values import (
    ConsentedServer,
    OnProgress,
    OnQuestion,
    PromptView,
    ResourceView,
)
from mcp import Client

log = logging.getLogger(__name__)

MAX_CONCURRENT_CALLS = 8
"""The maximum number of calls to a server at the same time.

The time limit of a further call starts when its wait ends.
"""
LISTEN_RETRY_S, MAX_LISTEN_RETRY_S = 10.0, 300.0
FLOODING_SERVER_MESSAGE = "it sends far more messages than it is asked for"
MCP_APPS_EXTENSION = advertise(
    "io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]}
)
R = TypeVar("R")


@dataclass
class ServerConnection:
    """An open connection to an MCP server, with the tools, resources and prompts that the server lists."""

    server: ConsentedServer
    client: Client
    traffic: TrafficFilter
    status: http.HttpStatus
    timeout: PausableTimeout
    program: stdio.ServerProcess | None
    changed: asyncio.Event
    """Set when the server notifies that one of its lists has changed."""
    tools: list[JsonObject] = field(default_factory=list[JsonObject])
    resources: tuple[ResourceView, ...] = ()
    prompts: tuple[PromptView, ...] = ()
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a failed request shows that the session has ended."""
    _slots: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(MAX_CONCURRENT_CALLS)
    )

    @property
    def uses_modern_protocol(self) -> bool:
        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def listed_items(self) -> tuple[Any, ...]:
        """The tools, resources and prompts that were read last, to be compared with those that were read
        before.
        """
        return self.tools, self.resources, self.prompts

    async def read_lists(self) -> None:
        """Read those lists of tools, resources and prompts that the server says it supports."""
        has = self.client.server_capabilities
        self.tools = await listing.list_tools(self.client, self.traffic) if has.tools else []
        self.resources = await listing.list_resources(self.client) if has.resources else ()
        self.prompts = await listing.list_prompts(self.client) if has.prompts else ()

    async def call_tool(
        self,
        tool: str,
        arguments: JsonObject,
        timeout_s: float,
        on_progress: OnProgress | None,
    ) -> types.CallToolResult:
        """Call a tool of the server and return its result.

        Raises:
            ActionFailed: The server refused, closed the connection, or did not answer within `timeout_s`
                seconds.
        """

        async def report(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            if on_progress is not None:
                on_progress(progress, total, None if message is None else clean_line(message))

        return await self._send_request(
            lambda: self.client.call_tool(
                tool, arguments, progress_callback=None if on_progress is None else report
            ),
            timeout_s,
        )

    async def read_resource(self, uri: str, timeout_s: float) -> types.ReadResourceResult:
        """Read a resource of the server.

        Raises:
            ActionFailed: The server refused, closed the connection, or did not answer within `timeout_s`
                seconds.
        """
        return await self._send_request(lambda: self.client.read_resource(uri), timeout_s)

    async def get_prompt(
        self, name: str, arguments: dict[str, str], timeout_s: float
    ) -> types.GetPromptResult:
        """Request a prompt of the server with its arguments filled in.

        Raises:
            ActionFailed: The server refused, closed the connection, or did not answer within `timeout_s`
                seconds.
        """
        return await self._send_request(lambda: self.client.get_prompt(name, arguments), timeout_s)

    async def _send_request(self, send: Callable[[], Awaitable[R]], timeout_s: float) -> R:
        name = self.server.name
        try:
            async with self._slots, self.timeout.limit_call_time(timeout_s):
                return await send()
        except TimeoutError:
            raise ActionFailed(
                f"the MCP server {name} did not answer within {timeout_s:g} s; try again, or restart it"
            ) from None
        except Exception as error:
            # The library does not report the end of a session, so the first request that fails must
            # do it.
            if failures.means_closed_connection(error) or self.status.access_challenge is not None:
                self.closed.set()
            raise ActionFailed(
                f"the MCP server {name}: {await self._describe_error(error)}"
            ) from error

    async def _describe_error(self, error: BaseException) -> str:
        """Return the most specific reason that is known for a failed request."""
        if self.status.problem is not None and not isinstance(error, ActionFailed):
            return self.status.problem
        if self.traffic.flooded.is_set():
            return FLOODING_SERVER_MESSAGE
        if self.program is not None and failures.means_closed_connection(error):
            if not self.program.has_closed_output:
                return "it was stopped"
            return f"{await self.program.describe_exit()}{failures.RESTARTING_SUFFIX}, unless it keeps failing"
        return failures.describe_server_error(error)

    async def wait_until_closed(self) -> str:
        """Wait until the connection is closed, and return the reason."""
        waits: list[asyncio.Task[Any]] = [
            asyncio.create_task(self.closed.wait()),
            asyncio.create_task(self.traffic.flooded.wait()),
        ]
        if self.program is not None:
            waits.append(asyncio.create_task(self.program.wait_until_exited()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return await _describe_connection_failure(
            failures.SESSION_ENDED_ERROR, self.status, self.program, self.traffic
        )

    async def listen_for_list_changes(self) -> None:
        """Receive a modern server's notifications about changed lists until cancelled. Older servers send
        them unasked.

        If the stream fails or ends, it is opened again after a pause that grows each time.
        """
        has = self.client.server_capabilities
        announced = {"tools": has.tools, "prompts": has.prompts, "resources": has.resources}
        kinds = [
            kind
            for kind, capability in announced.items()
            if capability is not None and capability.list_changed
        ]
        if not self.uses_modern_protocol or not kinds:
            return
        wait_s, is_logged = LISTEN_RETRY_S, False
        while True:
            since = clock.now()
            reason = await self._listen_once(kinds)
            if not is_logged:  # logged only once, because some servers do not support it
                log.info(
                    "MCP server %s: change notifications unavailable: %s", self.server.name, reason
                )
            if (
                clock.now() - since > wait_s
            ):  # it worked for a while, so the server does not refuse permanently
                wait_s = LISTEN_RETRY_S
            await asyncio.sleep(wait_s)
            wait_s, is_logged = min(2 * wait_s, MAX_LISTEN_RETRY_S), True

    async def _listen_once(self, kinds: list[str]) -> str:
        """Open a stream of notifications, wait until it ends, and return the reason."""
        try:
            async with self.client.listen(
                tools_list_changed="tools" in kinds,
                prompts_list_changed="prompts" in kinds,
                resources_list_changed="resources" in kinds,
            ) as notifications:
                # The lists may have changed between the last reading and this subscription. Later
                # notifications set `changed` in `TrafficFilter`, before the library sees them.
                self.changed.set()
                async for _ in notifications:
                    pass
        except (SubscriptionLost, MCPError, TimeoutError) as error:
            return failures.describe_server_error(error)
        return "it ended the stream"


@asynccontextmanager
async def open_server_connection(
    server: ConsentedServer,
    mode: str,
    log: ServerLog,
    ask: OnQuestion,
    connect_timeout_s: float,
    auth: httpx2.Auth | None = None,
) -> AsyncGenerator[ServerConnection]:
    """Connect to a server, read its lists, and yield the connection.

    Raises:
        SignInNeeded: The server requires that the user signs in.
        PermanentConnectionFailure: The connection failed, and another attempt would fail too.
        NotAvailable: The connection failed, and another attempt may succeed.
    """
    limit_library_logs()
    status = http.HttpStatus(server)
    program = stdio.ServerProcess(server, log) if server.transport == "stdio" else None
    changed = asyncio.Event()
    traffic = TrafficFilter(log, lambda _: changed.set())
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(connect_timeout_s):
                transport = http.connect_over_http(server, status, auth)
                if program is not None:
                    # pushed before the start, so that a start that is cancelled halfway is cleaned
                    # up too
                    stack.push_async_callback(program.stop)
                    await program.start()
                    transport = _open_program_streams(program)
                timeout = PausableTimeout()
                client = _build_mcp_client(
                    server, mode, _filter_streams(transport, traffic), ask, timeout
                )
                await stack.enter_async_context(client)
                connection = ServerConnection(
                    server, client, traffic, status, timeout, program, changed
                )
                await connection.read_lists()
        # The exception is caught here and raised again below, outside the stack. Otherwise the
        # library's task groups, which the stack closes, would wrap it in exception groups, and the
        # caller could not tell the three kinds apart. The reason is looked up now, because closing
        # the stack stops the program, after which the reason is lost.
        except Exception as error:  # noqa: BLE001 - the library raises many kinds of errors
            problem = await _describe_connection_failure(error, status, program, traffic)
            # A program that prints text and then waits does not speak MCP, so another attempt would
            # not help.
            is_not_mcp = (
                isinstance(error, TimeoutError)
                and program is not None
                and bool(program.stray_output)
            )
            is_permanent = status.is_permanent or failures.is_permanent_failure(error) or is_not_mcp
        else:
            # outside the `try`, because an exception of the caller's block is not a failure to
            # connect
            yield connection
            return
    if status.challenge is not None:
        raise failures.SignInNeeded(problem, status.challenge)
    raise failures.PermanentConnectionFailure(problem) if is_permanent else NotAvailable(problem)


def _build_mcp_client(
    server: ConsentedServer,
    mode: str,
    transport: AbstractAsyncContextManager[tuple[Any, Any]],
    ask: OnQuestion,
    timeout: PausableTimeout,
) -> Client:
    return Client(
        transport,
        mode=mode,
        elicitation_callback=ServerQuestions(server.name, ask, timeout),
        client_info=types.Implementation(name="conductor", version=__version__),
        extensions=[MCP_APPS_EXTENSION],
        cache=None,
    )


async def _describe_connection_failure(
    error: Exception,
    status: http.HttpStatus,
    program: stdio.ServerProcess | None,
    traffic: TrafficFilter,
) -> str:
    """Return the most specific reason that is known why a connection could not be opened or has ended."""
    if traffic.flooded.is_set():
        return FLOODING_SERVER_MESSAGE
    if status.problem is not None:
        return status.problem
    if program is None:
        return failures.describe_server_error(error)
    exit_reason = await program.describe_exit() if program.has_exited else ""
    if program.stray_output and exit_reason:
        return f"{exit_reason}; its output is not MCP: {program.stray_output}"
    if program.stray_output and isinstance(error, TimeoutError):
        return f"it does not speak MCP: it printed {program.stray_output}"
    return exit_reason or failures.describe_server_error(error)


@asynccontextmanager
async def _open_program_streams(program: stdio.ServerProcess) -> AsyncGenerator[tuple[Any, Any]]:
    yield program.streams


@asynccontextmanager
async def _filter_streams(
    transport: AbstractAsyncContextManager[tuple[Any, Any]], traffic: TrafficFilter
) -> AsyncGenerator[tuple[Any, Any]]:
    async with transport as (arriving, leaving):
        yield FilteredReceiveStream(arriving, traffic), TrackedSendStream(leaving, traffic)
