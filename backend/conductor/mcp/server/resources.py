"""Serves MCP resources (config, status, plans, skills, core reference) and announces their changes.

The config, the status and the plans are read through the tool executor, which checks permissions.
"""

import asyncio
import json
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ToolsListChanged
from mcp.shared.exceptions import MCPError

from conductor.agent.texts import load_core_reference
from conductor.base.json_types import JsonObject
from conductor.mcp.server.agent_log import AgentLog
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.requesters import find_requester, get_connection_key
from conductor.mcp.server.skills import MARKDOWN_MIME_TYPE, SKILL_URI_PREFIX, SkillHandlers

Context = ServerRequestContext[Any]
CONFIG_URI, STATUS_URI, PLAN_URI_PREFIX = (
    "conductor://config",
    "conductor://status",
    "conductor://plans/",
)
REFERENCE_URI = "conductor://reference"
PLAN_URI_TEMPLATE = PLAN_URI_PREFIX + "{id}"
TOML_MIME_TYPE, JSON_MIME_TYPE = "application/toml", "application/json"
MAX_SUBSCRIPTIONS = 1024
NOTIFICATION_TIMEOUT_S = 10.0
LISTED_RESOURCES = [
    types.Resource(
        uri=CONFIG_URI,
        name="config",
        title="Configuration",
        description="The running config.toml: devices, modes, mappings, profiles, settings",
        mime_type=TOML_MIME_TYPE,
    ),
    types.Resource(
        uri=STATUS_URI,
        name="status",
        title="Status",
        description="The current status: devices, mode, profile, problems",
        mime_type=JSON_MIME_TYPE,
    ),
    types.Resource(
        uri=REFERENCE_URI,
        name="reference",
        title="Core reference",
        description="All triggers, actions, conditions and curves in brief, with common patterns",
        mime_type=MARKDOWN_MIME_TYPE,
    ),
]
RESOURCE_TEMPLATES = [
    types.ResourceTemplate(
        uri_template=PLAN_URI_TEMPLATE,
        name="plan",
        title="Plan",
        description="A proposed change: its diff, warnings, replay, examples and status",
        mime_type=JSON_MIME_TYPE,
    )
]


class ResourceHandlers:
    """Handles the MCP requests `resources/*`, except subscriptions."""

    def __init__(self, deps: ServerDeps, skills: SkillHandlers) -> None:
        self._deps = deps
        self._skills = skills

    async def list_resources(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        resources = [*LISTED_RESOURCES, *await self._skills.list_resources()]
        return types.ListResourcesResult(resources=resources)

    async def list_resource_templates(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=RESOURCE_TEMPLATES)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri == CONFIG_URI:
            return _build_text_result(
                uri,
                TOML_MIME_TYPE,
                (await self._call_tool(ctx, uri, "conductor_get_config"))["content"],
            )
        if uri == STATUS_URI:
            return _build_json_result(uri, await self._call_tool(ctx, uri, "conductor_get_status"))
        if uri == REFERENCE_URI:
            return _build_text_result(uri, MARKDOWN_MIME_TYPE, load_core_reference())
        if uri.startswith(SKILL_URI_PREFIX):
            return await self._skills.read_skill_file(uri)
        if uri.startswith(PLAN_URI_PREFIX):
            plan_id = uri.removeprefix(PLAN_URI_PREFIX)
            return _build_json_result(
                uri, await self._call_tool(ctx, uri, "conductor_get_plan", plan_id=plan_id)
            )
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {uri[:200]}", {"uri": uri[:200]})

    async def _call_tool(self, ctx: Context, uri: str, tool: str, **arguments: Any) -> JsonObject:
        outcome = await self._deps.gate.call_tool(tool, arguments, find_requester(ctx))
        if outcome.error is None:
            return outcome.to_plain()
        data = {"uri": uri[:200], "kind": outcome.error.code}
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {outcome.error}", data)


class ResourceUpdates:
    """Notifies clients of both protocol eras when resources or tools change."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self.log = AgentLog()
        self._subscriptions: dict[tuple[Any, str], Any] = {}
        self._sessions: dict[Any, Any] = {}
        self._send_tasks: set[asyncio.Task[None]] = set()

    async def subscribe(
        self, ctx: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Handle `resources/subscribe`, which only clients that use the `initialize` handshake send.

        Clients of the 2026-07-28 protocol subscribe through `bus`.
        """
        self._subscriptions[(get_connection_key(ctx), str(params.uri))] = ctx.session
        while len(self._subscriptions) > MAX_SUBSCRIPTIONS:
            del self._subscriptions[next(iter(self._subscriptions))]
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        self._subscriptions.pop((get_connection_key(ctx), str(params.uri)), None)
        return types.EmptyResult()

    async def on_client_initialized(self, ctx: Context, _params: types.NotificationParams) -> None:
        """Register a client for notifications about changed tools when its handshake is complete."""
        self._sessions[get_connection_key(ctx)] = ctx.session
        while len(self._sessions) > MAX_SUBSCRIPTIONS:
            del self._sessions[next(iter(self._sessions))]

    def forget_connection(self, connection: Any) -> None:
        """Forget the subscriptions and the log level of a connection that has closed."""
        self.log.forget_connection(connection)
        self._sessions.pop(connection, None)
        for key in [key for key in self._subscriptions if key[0] is connection]:
            del self._subscriptions[key]

    async def notify_resource_changed(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri))
        for (_, subscribed), session in list(self._subscriptions.items()):
            if subscribed == uri:
                self._send_notification(session.send_resource_updated(uri))

    async def notify_tools_changed(self) -> None:
        await self.bus.publish(ToolsListChanged())
        for session in list(self._sessions.values()):
            self._send_notification(session.send_tool_list_changed())

    def _send_notification(self, notification: Any) -> None:
        """Send the notification in a separate task, so that a slow client does not delay the others."""

        async def send() -> None:
            async with asyncio.timeout(NOTIFICATION_TIMEOUT_S):
                await notification

        task = asyncio.create_task(send())
        self._send_tasks.add(task)
        task.add_done_callback(self._on_sent)

    def _on_sent(self, task: asyncio.Task[None]) -> None:
        self._send_tasks.discard(task)
        if not task.cancelled():
            # The exception must be retrieved, or asyncio would log it. The client has disconnected
            # or does not read.
            task.exception()


def _build_text_result(uri: str, mime_type: str, text: str) -> types.ReadResourceResult:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.ReadResourceResult(contents=[contents])


def _build_json_result(uri: str, data: JsonObject) -> types.ReadResourceResult:
    return _build_text_result(uri, JSON_MIME_TYPE, json.dumps(data, ensure_ascii=False, indent=2))
