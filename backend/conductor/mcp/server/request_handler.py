"""Answers the bare JSON-RPC lines of the socket.

A bare line either calls a tool or runs a command that is reserved for the user at a terminal.
"""

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from conductor.base.json_types import JsonObject
from conductor.domain.plan import TERMINAL_CLIENT, Requester
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAllowed
from conductor.mcp.registry import terminal
from conductor.mcp.registry.servers import Servers
from conductor.mcp.registry.terminal import READ_ONLY_REQUESTS, SERVERS_PREFIX
from conductor.mcp.server.access import is_agent_while_disabled
from conductor.mcp.server.connection import CHAT_METHOD_PREFIX, MONITOR_METHOD
from conductor.mcp.server.deps import Gate
from conductor.mcp.server.methods import PAGE_METHOD, PAGES_PREFIX, WINDOW_METHOD
from conductor.mcp.server.peer import Peer
from conductor.mcp.server.terminal_chat import TerminalChat
from conductor.mcp.server.terminal_commands import (
    CommandResult,
    DecisionCommands,
    RuntimeCommands,
    TerminalCommand,
)
from conductor.mcp.server.terminal_user import (
    build_bare_requester,
    is_user_command,
    require_own_code,
    require_user_command,
    resolve_tool_requester,
)
from conductor.storage.audit import AuditEntry, AuditLog, RecordedCall
from conductor.tools.arguments import redact_arguments


class SecondProcessRequests(Protocol):
    """Handles the requests of a second `conductor` process. `app` implements it."""

    async def show_window(self, params: JsonObject, *, is_user: bool) -> JsonObject: ...
    async def run_command(self, name: str, params: JsonObject, by: Requester) -> CommandResult: ...


class SocketCallRules(NamedTuple):
    """The rules for calls over the socket: the gate, the settings for agents and the audit log."""

    gate: Gate
    settings: Callable[[], LlmMcp]
    """Returns the current settings for agents."""
    audit: AuditLog
    read_only_reason: str | None
    """Why nothing can be changed, or None if changes are allowed."""


class BareRequestHandler:
    """Answers the bare JSON-RPC lines of the socket, most of which the user sends from a terminal."""

    def __init__(
        self,
        rules: SocketCallRules,
        decisions: DecisionCommands,
        runtime: RuntimeCommands,
        servers: Servers,
        second_starts: SecondProcessRequests,
        chat: TerminalChat,
        remote: Mapping[str, TerminalCommand],
    ) -> None:
        self._rules = rules
        self._decisions = decisions
        self._servers = servers
        self._second_starts = second_starts
        self._chat = chat
        self._commands = {**decisions.by_name, **runtime.by_name, **remote}

    def may_watch_monitor(self, peer: Peer | None) -> bool:
        """Return whether a process may watch the monitor under the current settings."""
        return not is_agent_while_disabled(self._rules.settings(), build_bare_requester(peer))

    async def answer_request(self, name: str, params: JsonObject, peer: Peer | None) -> JsonObject:
        """Answer a bare line that a process sent to the socket.

        Raises:
            ConductorError: The call was refused or failed.
        """
        if name in self._commands:
            return await asyncio.to_thread(self._run_terminal_command, name, params, peer)
        if name.startswith(CHAT_METHOD_PREFIX):
            with self._audit_user_call(name, "stateful", params, peer):
                return await self._chat.answer_chat_request(
                    name.removeprefix(CHAT_METHOD_PREFIX), params, peer
                )
        if name.startswith(SERVERS_PREFIX):
            tier = None if name.removeprefix(SERVERS_PREFIX) in READ_ONLY_REQUESTS else "privileged"
            with self._audit_user_call(name, tier, params, peer) as (by, _entry):
                if tier is not None:
                    require_own_code(peer)
                    self._require_writable_config()
                return await terminal.answer_servers_request(self._servers, name, params, by)
        if name == PAGE_METHOD or name.startswith(PAGES_PREFIX):
            with self._audit_user_call(name, "privileged", params, peer) as (by, entry):
                require_own_code(peer)
                entry.detail, answer = await self._second_starts.run_command(name, params, by)
                return answer
        if name == WINDOW_METHOD:
            return await self._second_starts.show_window(params, is_user=is_user_command(peer))
        if name == MONITOR_METHOD and self.may_watch_monitor(peer):
            return {"status": "watching"}
        return (
            await self._rules.gate.call_tool(name, params, resolve_tool_requester(name, peer))
        ).to_plain()

    def _run_terminal_command(self, name: str, params: JsonObject, peer: Peer | None) -> JsonObject:
        tier, run = self._commands[name]
        with self._audit_user_call(name, tier, params, peer) as (by, entry):
            if tier == "privileged":
                require_own_code(peer)
            if name == f"{CHAT_METHOD_PREFIX}approve":
                self._decisions.require_plan_shown(params, peer)
            entry.detail, answer = run(params, by)
        return answer

    def _require_writable_config(self) -> None:
        if self._rules.read_only_reason is not None:
            raise NotAllowed(self._rules.read_only_reason)

    @contextmanager
    def _audit_user_call(
        self, name: str, tier: str | None, params: JsonObject, peer: Peer | None
    ) -> Generator[tuple[Requester, AuditEntry]]:
        """Check that a call comes from the user at a terminal, and record it in the audit log."""
        by = build_bare_requester(peer)
        logged = {key: item for key, item in params.items() if key != "parts"}
        entry = AuditEntry.create_for_call(by, name, tier, redact_arguments(logged))
        with RecordedCall(self._rules.audit, entry):
            require_user_command(name, params, peer)
            yield by.model_copy(update={"caller": "cli", "client": TERMINAL_CLIENT}), entry
