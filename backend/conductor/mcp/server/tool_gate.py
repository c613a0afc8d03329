"""Checks every tool call of agents and of the chat before it is executed."""

from collections.abc import Callable

from conductor.base.json_types import JsonObject
from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAllowed
from conductor.mcp.server.access import AGENTS_DISABLED_MESSAGE, is_agent_while_disabled
from conductor.storage.audit import AuditEntry, AuditLog
from conductor.tools.arguments import redact_arguments
from conductor.tools.executor import ToolExecutor, ToolOutcome
from conductor.tools.registry import Tool

ACCESS_REVOKED_MESSAGE = (
    "the user has revoked the access of this agent; sign in again to ask for it"
)


class ToolGate:
    """Passes tool calls to the executor, and rejects those of agents while the user has switched agents off."""

    def __init__(
        self,
        executor: ToolExecutor,
        settings: Callable[[], LlmMcp],
        audit: AuditLog,
        is_revoked: Callable[[Requester], bool],
    ) -> None:
        """Create the gate.

        `is_revoked` returns whether a call comes from an agent on another computer whose access was revoked
        after the call had started.
        """
        self._executor = executor
        self.settings = settings
        """Returns the user's current rules for agents."""
        self._audit = audit
        self._is_revoked = is_revoked

    def list_agent_tools(self) -> tuple[Tool, ...]:
        """Return the tools that agents may call now.

        Capabilities are included only if the user chose their toolset.
        """
        return self._executor.list_offered_tools() if self.settings().enabled else ()

    def list_chat_tools(self) -> tuple[Tool, ...]:
        """Return the tools that the model in the chat may call now."""
        return self._executor.list_chat_tools()

    def explain_refusal(self, tool: Tool) -> str | None:
        """Return why nobody can call a tool now, or None if it is switched on."""
        return self._executor.explain_disabled_tool(tool)

    async def call_tool(
        self, name: str, arguments: JsonObject, requester: Requester
    ) -> ToolOutcome:
        """Call a tool and return its result or error.

        Every call of an agent fails while the user has switched agents off.
        """
        if is_agent_while_disabled(self.settings(), requester):
            return self._reject_call(name, arguments, requester, AGENTS_DISABLED_MESSAGE)
        if self._is_revoked(requester):
            return self._reject_call(name, arguments, requester, ACCESS_REVOKED_MESSAGE)
        return await self._executor.call_tool(name, arguments, requester)

    def _reject_call(
        self, name: str, arguments: JsonObject, by: Requester, reason: str
    ) -> ToolOutcome:
        entry = AuditEntry.create_for_call(by, name[:80], None, redact_arguments(arguments))
        entry.outcome, entry.detail, entry.duration_ms = NotAllowed.code, reason, 0.0
        self._audit.write(entry)
        return ToolOutcome(None, error=NotAllowed(reason))
