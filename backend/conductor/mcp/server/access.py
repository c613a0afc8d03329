"""Refuses the requests of agents on every transport while `llm.mcp.enabled` is false.

The setting is read for each request, so that a change takes effect at once.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAllowed, NotAvailable

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

AGENTS_DISABLED_MESSAGE = (
    "agents are disabled, because `llm.mcp.enabled` is false in config.toml. Only the user can change"
    " this setting; the `conductor` commands still work"
)
AUDITED_REQUEST_METHOD = "tools/call"
"""The method of a tool call, which is not refused here.

The tool executor refuses it and writes an audit entry.
"""


def require_agents_enabled(settings: LlmMcp, agents: str, setting: str) -> None:
    """Check that agents are not switched off, before a server for them is started.

    `agents` names the agents for the user, and `setting` switches their server on.

    Raises:
        NotAvailable: Agents are switched off.
    """
    if not settings.enabled:
        raise NotAvailable(
            f"{agents} are not served, because agents are switched off: set llm.mcp.enabled to true"
            f" (Settings > Agents (MCP) > Serve agents), or {setting} to false"
        )


def is_agent_while_disabled(settings: LlmMcp, by: Requester) -> bool:
    """Return whether a request comes from an agent while agents are switched off.

    A bare JSON-RPC line of a process that cannot be identified is not refused, because it may come from the
    user.
    """
    is_agent = by.caller in ("mcp", "http", "remote") or (
        by.caller == "bare" and by.pid is not None
    )
    return is_agent and not settings.enabled


def build_access_middleware(settings: Callable[[], LlmMcp]) -> "ServerMiddleware[Any]":
    """Return a middleware that refuses all requests, including the handshake, while agents are switched off."""
    from mcp.shared.exceptions import MCPError

    async def refuse(ctx: "ServerRequestContext[Any]", call_next: "CallNext") -> "HandlerResult":
        is_request = ctx.request_id is not None
        if is_request and ctx.method != AUDITED_REQUEST_METHOD and not settings().enabled:
            raise MCPError(NotAllowed.number, AGENTS_DISABLED_MESSAGE, {"kind": NotAllowed.code})
        return await call_next(ctx)

    return refuse
