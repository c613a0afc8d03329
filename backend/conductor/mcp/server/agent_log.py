"""Sends log messages about the outcome of tool calls to the MCP clients that ask for them.

Clients that use the `initialize` handshake set a level for their connection (`logging/setLevel`) and
receive no messages before that. Clients of the 2026-07-28 protocol set a level in the `_meta` of each
request. A log message never contains data that the result of the call does not contain.
"""

from typing import Any

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext

from conductor.base.json_types import JsonObject
from conductor.domain.plan import ConfigPlan
from conductor.mcp.server.deps import Outcome
from conductor.mcp.server.forms import MODERN_PROTOCOL_VERSION
from conductor.mcp.server.requesters import get_connection_key

Context = ServerRequestContext[Any]
LOG_LEVELS: tuple[types.LoggingLevel, ...] = (
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency",
)  # fmt: skip
CLIENT_LOGGER_NAME = "conductor"
MAX_CONNECTIONS_WITH_LEVEL = 1024


class AgentLog:
    """Sends log messages to the clients, each at the level that the client has set."""

    def __init__(self) -> None:
        self._levels: dict[Any, types.LoggingLevel] = {}

    async def handle_set_level(
        self, ctx: Context, params: types.SetLevelRequestParams
    ) -> types.EmptyResult:
        """Handle `logging/setLevel`: remember the lowest level of messages that the client receives.

        Only clients that use the `initialize` handshake send this request.
        """
        self._levels[get_connection_key(ctx)] = params.level
        while len(self._levels) > MAX_CONNECTIONS_WITH_LEVEL:
            del self._levels[next(iter(self._levels))]
        return types.EmptyResult()

    def forget_connection(self, connection: Any) -> None:
        """Forget the level of a connection that has closed."""
        self._levels.pop(connection, None)

    async def send_call_outcome(self, ctx: Context, tool: str, outcome: Outcome) -> None:
        """Send a message about the outcome of a tool call, if the client asked for messages of that level."""
        level, data = _build_log_entry(tool, outcome)
        if not self._is_level_enabled(ctx, level):
            return
        params = types.LoggingMessageNotificationParams(
            level=level, data=data, logger=CLIENT_LOGGER_NAME
        )
        await ctx.session.send_notification(
            types.LoggingMessageNotification(params=params), related_request_id=ctx.request_id
        )

    def _is_level_enabled(self, ctx: Context, level: types.LoggingLevel) -> bool:
        if ctx.protocol_version >= MODERN_PROTOCOL_VERSION:
            return level in allowed_log_levels(ctx.protocol_version, ctx.meta)
        lowest = self._levels.get(get_connection_key(ctx))
        return lowest is not None and LOG_LEVELS.index(level) >= LOG_LEVELS.index(lowest)


def _build_log_entry(tool: str, outcome: Outcome) -> tuple[types.LoggingLevel, JsonObject]:
    if outcome.error is not None:
        return "warning", {"tool": tool, "kind": outcome.error.code, "message": str(outcome.error)}
    if isinstance(outcome.result, ConfigPlan):
        plan = outcome.result
        message = f"Plan {plan.plan_id} is {plan.status}: {plan.description}"
        return "info", {"tool": tool, "plan_id": plan.plan_id, "message": message}
    return "debug", {"tool": tool, "message": f"{tool} ran"}
