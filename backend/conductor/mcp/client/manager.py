"""Manages the running MCP servers of third parties and registers their tools."""

import asyncio
import logging
import re
from typing import TYPE_CHECKING

from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams, NotAvailable, UnknownTool
from conductor.mcp.client.pending_sign_ins import NO_SECURE_STORAGE_MESSAGE, PendingSignIns
from conductor.mcp.client.registered_tool import build_registered_tool
from conductor.mcp.client.values import (
    ClientView,
    ConsentedServer,
    OnChange,
    OnProgress,
    OnQuestion,
    PinStore,
    PromptMessage,
    ResourceContent,
    SignInStore,
    ToolAnswer,
    ToolView,
)
from conductor.mcp.library import import_modules_serially
from conductor.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from conductor.mcp.client.connection import ServerConnection
    from conductor.mcp.client.supervisor import ServerSupervisor, SupervisorTimes
    from conductor.mcp.client.tool_catalog import OfferedTool

log = logging.getLogger(__name__)

SERVER_NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


class ClientManager:
    """Starts and stops MCP servers of third parties and calls their tools, on the event loop of the app.

    If a server is faulty, `start` and `stop` do not raise an exception but record the problem in its view.
    Requests such as `call_tool` do raise. Permissions are checked by the tool executor, which calls the
    tools through the registry.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        pins: PinStore,
        on_change: OnChange,
        on_question: OnQuestion,
        times: "SupervisorTimes | None" = None,
        sign_ins: SignInStore | None = None,
    ) -> None:
        self._registry = registry
        self._pins = pins
        self._on_change = on_change
        self._on_question = on_question
        self._times = times
        self._sign_ins = sign_ins
        self._pending_sign_ins = PendingSignIns()
        self._servers: dict[str, ServerSupervisor] = {}
        self._registered: dict[str, dict[str, str]] = {}
        """The digests of the registered tools, by server name and tool id.

        A changed tool is registered again.
        """
        self._locks: dict[str, asyncio.Lock] = {}
        """A lock for each server, so that its starts and stops do not overlap."""

    async def start(self, server: ConsentedServer) -> None:
        """Start or restart a server, and return when it is ready or the first attempt has failed.

        The view of the server says whether the start succeeded.

        Raises:
            InvalidParams: The name of the server is invalid.
        """
        if SERVER_NAME_PATTERN.fullmatch(server.name) is None:
            raise InvalidParams(
                f"`{server.name[:40]}` is not a valid server name: use up to 32 letters, digits, `_`, `-`"
            )
        async with self._get_server_lock(server.name):
            await self._stop_supervisor(server.name)
            supervisor = await self._create_supervisor(server)
            self._servers[server.name] = supervisor
            supervisor.start()
        # without the lock, so that the user can stop a server that takes long to start
        await supervisor.first_attempt_done.wait()

    async def stop(self, name: str) -> None:
        """Stop a server and remove its tools from the registry. Nothing happens if it does not run."""
        async with self._get_server_lock(name):
            await self._stop_supervisor(name)

    async def restart(self, name: str) -> None:
        """Restart a server, and forget its earlier failures.

        Raises:
            NotAvailable: The server was never started.
        """
        await self.start(self._require_server(name).server)

    async def remove(self, name: str) -> None:
        """Stop a server that the user has removed, and delete its state. Its accepted tools are kept."""
        await self._pending_sign_ins.cancel_sign_in(name)
        await self.stop(name)
        self._servers.pop(name, None)

    async def close(self) -> None:
        """Cancel all sign-ins and stop all servers."""
        await self._pending_sign_ins.close()
        await asyncio.gather(*(self.stop(name) for name in list(self._servers)))

    def list_server_names(self) -> tuple[str, ...]:
        """Return the names of all servers that were started, including those that failed or were stopped."""
        return tuple(self._servers)

    def build_server_view(self, name: str) -> ClientView | None:
        """Return the current state of a server, or None if it was never started."""
        server = self._servers.get(name)
        if server is None:
            return None
        from conductor.mcp.client.view import build_client_view

        return build_client_view(
            server, self._list_other_tools(name), self._pending_sign_ins.get_sign_in_address(name)
        )

    def read_server_log(self, name: str) -> list[str]:
        """Return the last 500 lines of a server's log, cleaned and without secrets."""
        server = self._servers.get(name)
        return [] if server is None else server.log.get_lines()

    async def call_tool(
        self,
        server: str,
        tool: str,
        arguments: JsonObject,
        *,
        timeout_s: float | None = None,
        progress: OnProgress | None = None,
    ) -> ToolAnswer:
        """Call a tool of a server. The tool executor has already checked the permission.

        Raises:
            NotAvailable: The server does not run.
            UnknownTool: The server has no such tool, or the user has not accepted its current version.
            InvalidParams: The arguments do not match the tool's schema.
            ActionFailed: The server refused, closed the connection or took too long.
        """
        from conductor.mcp.client.answers import build_tool_answer

        supervisor = self._require_server(server)
        connection = self._require_connection(server)
        offered = supervisor.offered.get(tool)
        if offered is None or offered.check is None or offered.view.state != "ok":
            raise UnknownTool(f"the MCP server {server} has no usable tool `{tool[:80]}`")
        offered.check(arguments)
        arguments = offered.drop_optional_nulls(arguments)
        timeout_s = supervisor.server.timeout_s if timeout_s is None else timeout_s
        try:
            result = await connection.call_tool(tool, arguments, timeout_s, progress)
        finally:
            # the view then offers a sign-in for more permissions
            if connection.status.permission_challenge is not None:
                self._on_server_change(server)
        return build_tool_answer(server, tool, result, for_app=offered.view.app_uri is not None)

    async def read_resource(self, server: str, uri: str) -> tuple[ResourceContent, ...]:
        """Read a resource of a server.

        Raises:
            NotAvailable: The server does not run.
            ActionFailed: The server refused, closed the connection or took too long.
        """
        from conductor.mcp.client.answers import build_resource_contents

        connection = self._require_connection(server)
        return build_resource_contents(
            await connection.read_resource(uri, self._require_server(server).server.timeout_s)
        )

    async def get_prompt(
        self, server: str, name: str, arguments: dict[str, str]
    ) -> tuple[PromptMessage, ...]:
        """Request a prompt of a server with its arguments filled in.

        Raises:
            NotAvailable: The server does not run.
            ActionFailed: The server refused, closed the connection or took too long.
        """
        from conductor.mcp.client.answers import build_prompt_messages

        connection = self._require_connection(server)
        timeout_s = self._require_server(server).server.timeout_s
        return build_prompt_messages(await connection.get_prompt(name, arguments, timeout_s))

    async def accept_tool(self, server: str, tool: str, digest: str | None = None) -> ToolView:
        """Accept the current version of a new or changed tool.

        `digest` identifies the version that the user saw.

        Raises:
            NotAvailable: The server was never started.
            UnknownTool: The server offers no such tool.
            InvalidParams: The tool has changed since the user saw it.
        """
        supervisor = self._require_server(server)
        offered = supervisor.offered.get(tool)
        if offered is None:
            raise UnknownTool(f"the MCP server {server} offers no tool `{tool[:80]}`")
        if digest not in (None, offered.pin.digest):
            raise InvalidParams(f"`{tool[:80]}` has changed again: review it once more")
        await supervisor.accept_tool(offered.pin)
        return supervisor.offered[tool].view

    async def _create_supervisor(self, server: ConsentedServer) -> "ServerSupervisor":
        # in a thread, because importing the MCP library takes a second
        await asyncio.to_thread(import_modules_serially, "conductor.mcp.client.supervisor")
        from conductor.mcp.client.supervisor import ServerSupervisor, SupervisorTimes

        return ServerSupervisor(
            server,
            self._pins,
            self._on_question,
            lambda: self._on_server_change(server.name),
            self._times or SupervisorTimes(),
            self._sign_ins,
        )

    async def _stop_supervisor(self, name: str) -> None:
        if name in self._servers:
            await self._servers[name].stop()

    def _on_server_change(self, name: str) -> None:
        """Update the tools of a server in the registry, and notify the listener."""
        server = self._servers[name]
        wanted = {
            tool.view.skill_id: tool
            for tool in server.offered.values()
            if tool.check is not None and tool.view.state == "ok"
        }
        registered = self._registered.setdefault(name, {})
        for skill_id, digest in list(registered.items()):
            if skill_id not in wanted or wanted[skill_id].pin.digest != digest:
                self._registry.remove_tool(skill_id)
                del registered[skill_id]
        server.unregistered = {
            tool.view.name: "its name is taken: model APIs could not tell it from another tool's"
            for skill_id, tool in wanted.items()
            if skill_id not in registered and not self._register_tool(server, tool, registered)
        }
        try:
            self._on_change(name)
        except Exception:  # a failing listener must not end the supervisor's task, which calls this
            log.exception("MCP server %s: the change listener failed", name)

    def _register_tool(
        self, server: "ServerSupervisor", tool: "OfferedTool", registered: dict[str, str]
    ) -> bool:
        """Add a tool of a server to the registry. Return False if another tool has its name."""
        try:
            self._registry.add_tool(
                build_registered_tool(server.server, tool.view, tool.check, self.call_tool)
            )
        except ValueError:
            return False
        registered[tool.view.skill_id] = tool.pin.digest
        return True

    def _list_other_tools(self, name: str) -> list[tuple[str, str]]:
        """Return the tools of Conductor and of all other servers as pairs of owner and tool."""
        others = [
            (f"the server {other}", tool)
            for other, server in self._servers.items()
            if other != name
            for tool in server.offered
        ]
        ours = (
            tool.name for tool in self._registry.list_tools() if not tool.name.startswith("mcp:")
        )
        return [*others, *(("Conductor", tool) for tool in ours)]

    async def sign_in(self, name: str) -> str:
        """Start a sign-in to a server, and return the address to open in the browser.

        The server is restarted when the user has signed in.

        Raises:
            NotAvailable: The server was never started, or the sign-in cannot start.
            InvalidParams: The server does not require a sign-in.
        """
        supervisor, store = self._require_server(name), self._sign_ins
        if store is None:
            raise NotAvailable(NO_SECURE_STORAGE_MESSAGE)

        async def restart() -> None:
            await self.restart(name)

        return await self._pending_sign_ins.start_sign_in(
            supervisor, store, lambda: self._on_server_change(name), restart
        )

    async def wait_until_signed_in(self, name: str) -> None:
        """Wait until the pending sign-in to a server has succeeded or failed."""
        await self._pending_sign_ins.wait_until_done(name)

    async def cancel_sign_in(self, name: str) -> None:
        """Cancel the pending sign-in to a server. Nothing happens if there is none."""
        await self._pending_sign_ins.cancel_sign_in(name)

    def _require_server(self, name: str) -> "ServerSupervisor":
        server = self._servers.get(name)
        if server is None:
            raise NotAvailable(f"no MCP server `{name[:40]}` is running; start it in the settings")
        return server

    def _require_connection(self, name: str) -> "ServerConnection":
        server = self._require_server(name)
        if server.connection is None:
            state = (
                "is starting; try again in a moment"
                if server.state == "starting"
                else "has stopped; restart it"
            )
            raise NotAvailable(f"the MCP server {name} {state}")
        return server.connection

    def _get_server_lock(self, name: str) -> asyncio.Lock:
        return self._locks.setdefault(name, asyncio.Lock())
