"""All servers of other people that run now, and their tools in the registry."""

import asyncio
import logging
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from conductor.errors import InvalidParams, NotAvailable, UnknownTool
from conductor.mcp.client.oauth_flow import NO_STORE, OAuthFlow
from conductor.mcp.client.registered_client import registered_client
from conductor.mcp.client.values import (
    ClientView,
    Content,
    OnChange,
    OnQuestion,
    Pins,
    ProgressTold,
    PromptMessage,
    Server,
    SignIns,
    ToolAnswer,
    ToolView,
)
from conductor.tools.registry import Registry

if TYPE_CHECKING:
    from conductor.mcp.client.connection import Connection
    from conductor.mcp.client.supervisor import Supervisor, Times
    from conductor.mcp.client.tool_catalog import OfferedTool

log = logging.getLogger(__name__)

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


class ClientManager:
    """Starts and stops servers, and calls them. Lives in the app's loop; nothing here raises for what a
    server does, except for who asked for an answer.

    A call through here asks nobody: everything that acts for an agent, a page or a pad goes through the gate,
    which calls the tool `mcp:<server>:<tool>` of the registry.
    """

    def __init__(
        self,
        registry: Registry,
        pins: Pins,
        on_change: OnChange,
        on_question: OnQuestion,
        times: "Times | None" = None,
        sign_ins: SignIns | None = None,
    ) -> None:
        self._registry = registry
        self._pins = pins
        self._on_change = on_change
        self._on_question = on_question
        self._times = times
        self._sign_ins = sign_ins
        self._signing = OAuthFlow()
        self._servers: dict[str, Supervisor] = {}
        self._in_registry: dict[str, dict[str, str]] = {}
        self._one_at_a_time: dict[str, asyncio.Lock] = {}

    async def start(self, server: Server) -> None:
        """Start a server, or start it anew; returns when it is ready or the first try has failed.

        What became of it is in `view`: this raises nothing for what the server does.

        Raises:
            InvalidParams: the name cannot be one.
        """
        if LABEL.fullmatch(server.name) is None:
            raise InvalidParams(
                f"`{server.name[:40]}` cannot name a server: up to 32 letters, digits, `_` and `-`"
            )
        async with self._lock(server.name):
            await self._stop(server.name)
            supervisor = await self._new(server)
            self._servers[server.name] = supervisor
            supervisor.start()
        await supervisor.tried.wait()  # outside: it may be stopped meanwhile

    async def stop(self, name: str) -> None:
        """Stop a server and take its tools away; one that does not run is no fault."""
        async with self._lock(name):
            await self._stop(name)

    async def restart(self, name: str) -> None:
        """Stop a server and start it again, with nothing forgotten but its failures.

        Raises:
            NotAvailable: no such server was started.
        """
        await self.start(self._known(name).server)

    async def remove(self, name: str) -> None:
        """Stop a server that the user has removed, and forget it; its pins stay for its next time."""
        await self._signing.cancel(name)
        await self.stop(name)
        self._servers.pop(name, None)

    async def close(self) -> None:
        """Stop all."""
        await self._signing.close()
        await asyncio.gather(*(self.stop(name) for name in list(self._servers)))

    def names(self) -> tuple[str, ...]:
        """Return the servers that were started, also those that have failed or were stopped."""
        return tuple(self._servers)

    def view(self, name: str) -> ClientView | None:
        """Return a server as it is now; None when it was never started."""
        server = self._servers.get(name)
        if server is None:
            return None
        from conductor.mcp.client.view import tool_view

        return tool_view(server, self._names_of_others(name), self._signing.address(name))

    def log(self, name: str) -> list[str]:
        """Return the last 500 lines that a server wrote, cleaned and without what looks like a secret."""
        server = self._servers.get(name)
        return [] if server is None else server.log.lines()

    async def call(
        self,
        server: str,
        tool: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float | None = None,
        progress: ProgressTold | None = None,
    ) -> ToolAnswer:
        """Call a tool. Asks nobody: the gate does.

        Raises:
            NotAvailable: the server does not run.
            UnknownTool: it has no such tool, or the user has not accepted it as it is now.
            InvalidParams: the arguments do not fit its schema.
            ActionFailed: the server refused, hung up or took too long.
        """
        from conductor.mcp.client.answers import tool_answer

        supervisor = self._known(server)
        connection = self._connected(server)
        offer = supervisor.offers.get(tool)
        if offer is None or offer.check is None or offer.view.state != "ok":
            raise UnknownTool(f"the MCP server {server} has no tool `{tool[:80]}` that may be used")
        offer.check(arguments)
        arguments = offer.fitting(arguments)
        timeout_s = supervisor.server.timeout_s if timeout_s is None else timeout_s
        try:
            result = await connection.call(tool, arguments, timeout_s, progress)
        finally:
            if connection.status.more is not None:
                self._changed(server)
        return tool_answer(server, tool, result, for_app=offer.view.app_uri is not None)

    async def read(self, server: str, uri: str) -> tuple[Content, ...]:
        """Read a resource; raises as `call` does."""
        from conductor.mcp.client.answers import contents

        connection = self._connected(server)
        return contents(await connection.read(uri, self._known(server).server.timeout_s))

    async def prompt(
        self, server: str, name: str, arguments: dict[str, str]
    ) -> tuple[PromptMessage, ...]:
        """Get a prompt with its arguments filled in; raises as `call` does."""
        from conductor.mcp.client.answers import messages

        connection = self._connected(server)
        timeout_s = self._known(server).server.timeout_s
        return messages(await connection.prompt(name, arguments, timeout_s))

    async def accept(self, server: str, tool: str, digest: str | None = None) -> ToolView:
        """Accept a new or changed tool as it is now; `digest` is of what the user was shown.

        Raises:
            NotAvailable: the server does not run.
            UnknownTool: it offers no such tool.
            InvalidParams: the tool is another one by now than the user was shown.
        """
        supervisor = self._known(server)
        offer = supervisor.offers.get(tool)
        if offer is None:
            raise UnknownTool(f"the MCP server {server} offers no tool `{tool[:80]}`")
        if digest not in (None, offer.pin.digest):
            raise InvalidParams(f"`{tool[:80]}` has changed again: look at it once more")
        await supervisor.accept(offer.pin)
        return supervisor.offers[tool].view

    async def _new(self, server: Server) -> "Supervisor":
        await asyncio.to_thread(import_module, "conductor.mcp.client.supervisor")  # takes a second
        from conductor.mcp.client.supervisor import Supervisor, Times

        return Supervisor(
            server,
            self._pins,
            self._on_question,
            lambda: self._changed(server.name),
            self._times or Times(),
            self._sign_ins,
        )

    async def _stop(self, name: str) -> None:
        if name in self._servers:
            await self._servers[name].stop()

    def _changed(self, name: str) -> None:
        """Have the registry hold exactly what may be called now, and tell who listens."""
        server = self._servers[name]
        wanted = {
            offer.view.skill_id: offer
            for offer in server.offers.values()
            if offer.check is not None and offer.view.state == "ok"
        }
        held = self._in_registry.setdefault(name, {})
        for skill_id, digest in list(held.items()):
            if skill_id not in wanted or wanted[skill_id].pin.digest != digest:
                self._registry.remove(skill_id)
                del held[skill_id]
        server.left_out = {
            offer.view.name: "its name is taken, for model APIs see no difference to another tool's"
            for skill_id, offer in wanted.items()
            if skill_id not in held and not self._taken_in(server, offer, held)
        }
        try:
            self._on_change(name)
        except Exception:  # who listens must not end a server
            log.exception("a change of the MCP server %s was not taken", name)

    def _taken_in(self, server: "Supervisor", offer: "OfferedTool", held: dict[str, str]) -> bool:
        try:
            self._registry.add(registered_client(server.server, offer.view, offer.check, self.call))
        except ValueError:
            return False
        held[offer.view.skill_id] = offer.pin.digest
        return True

    def _names_of_others(self, name: str) -> list[tuple[str, str]]:
        others = [
            (f"the server {other}", tool)
            for other, server in self._servers.items()
            if other != name
            for tool in server.offers
        ]
        ours = (tool.name for tool in self._registry.all() if not tool.name.startswith("mcp:"))
        return [*others, *(("Conductor", tool) for tool in ours)]

    async def sign_in(self, name: str) -> str:
        """Begin to sign the user in; gives the address that is to be opened in the browser.

        The server is started anew once the user has signed in; what became of it is in `view`.

        Raises:
            NotAvailable: the server does not run, or the sign-in cannot begin; says what to do.
            InvalidParams: the server does not ask for it.
        """
        supervisor, store = self._known(name), self._sign_ins
        if store is None:
            raise NotAvailable(NO_STORE)

        async def done() -> None:
            await self.restart(name)

        return await self._signing.begin(supervisor, store, lambda: self._changed(name), done)

    async def signed_in(self, name: str) -> None:
        """Wait until the sign-in that was begun is over, whatever came of it."""
        await self._signing.over(name)

    async def cancel_sign_in(self, name: str) -> None:
        """End a sign-in that waits for the user; none is no fault."""
        await self._signing.cancel(name)

    def _known(self, name: str) -> "Supervisor":
        server = self._servers.get(name)
        if server is None:
            raise NotAvailable(f"no MCP server `{name[:40]}` is running; start it in the settings")
        return server

    def _connected(self, name: str) -> "Connection":
        server = self._known(name)
        if server.connection is None:
            why = (
                "is starting; try again in a moment" if server.state == "starting" else "has ended"
            )
            raise NotAvailable(f"the MCP server {name} {why}")
        return server.connection

    def _lock(self, name: str) -> asyncio.Lock:
        return self._one_at_a_time.setdefault(name, asyncio.Lock())
