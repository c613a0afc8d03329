"""`llm.mcp.enabled`: while it is false, outside agents are refused, whichever way they come.

It is looked at for each request, so a reload of the config closes and opens the door at once.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from conductor.domain.plan import Requester
from conductor.domain.settings import LlmMcp
from conductor.errors import NotAllowed

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

CLOSED = (
    "`llm.mcp.enabled` is false in config.toml: agents are not served. Only the user can change that;"
    " the `conductor` commands still work"
)
AUDITED = "tools/call"
"""Goes on to the gate, which refuses it and writes it down."""


def is_closed_to(settings: LlmMcp, by: Requester) -> bool:
    """Return whether this caller is an agent, and agents are shut out.

    Where the system does not tell who sends a bare line, it may be the user's own command: it passes.
    """
    is_agent = by.caller in ("mcp", "http") or (by.caller == "bare" and by.pid is not None)
    return is_agent and not settings.enabled


def closing(settings: Callable[[], LlmMcp]) -> "ServerMiddleware[Any]":
    """Make what refuses all requests of the protocol, the handshake too, while agents are shut out."""
    from mcp.shared.exceptions import MCPError

    async def refuse(ctx: "ServerRequestContext[Any]", call_next: "CallNext") -> "HandlerResult":
        is_request = ctx.request_id is not None
        if is_request and ctx.method != AUDITED and not settings().enabled:
            raise MCPError(NotAllowed.number, CLOSED, {"kind": NotAllowed.code})
        return await call_next(ctx)

    return refuse
