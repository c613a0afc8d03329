"""Builds the MCP server that serves all connections, for both protocol eras and every transport.

Importing this module imports the MCP library, which takes about a second, so `agents.py` uses a thread.
"""

from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import ListenHandler

from conductor.mcp.server.access import build_access_middleware
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.prompts import PromptHandlers
from conductor.mcp.server.requesters import find_requester
from conductor.mcp.server.resources import ResourceHandlers, ResourceUpdates
from conductor.mcp.server.skills import SkillHandlers
from conductor.mcp.server.tasks import TaskHandlers, guard_subscriptions
from conductor.mcp.server.tool_handlers import ToolHandlers

SERVER_NAME = "conductor"
SERVER_INSTRUCTIONS = (
    "Conductor maps MIDI controllers and gamepads to keystrokes, apps, volume, MIDI and OSC. Tools that "
    "change the config return a plan and change nothing: tell the user what the plan would do, then call "
    "conductor_apply_plan. Only the user can approve: in a form, in Conductor's window, or with `conductor "
    "plans approve`. To find which control the user means, use MIDI Learn; to find why something did or "
    "did not happen, use conductor_explain_event."
)
LONG_CACHE_HINT = CacheHint(ttl_ms=3_600_000, scope="private")
SHORT_CACHE_HINT = CacheHint(ttl_ms=10_000, scope="private")


def build_mcp_server(
    deps: ServerDeps, updates: ResourceUpdates, tasks: TaskHandlers | None = None
) -> Server[Any]:
    """Return the MCP server with all its request handlers."""
    skills = SkillHandlers(deps.skills())
    tasks = build_tasks() if tasks is None else tasks
    tools, resources = ToolHandlers(deps, tasks, updates), ResourceHandlers(deps, skills)
    prompts = PromptHandlers(deps)
    server: Server[Any] = Server(
        SERVER_NAME,
        version=deps.version,
        title="Conductor",
        instructions=SERVER_INSTRUCTIONS,
        cache_hints={
            "tools/list": SHORT_CACHE_HINT,
            "prompts/list": LONG_CACHE_HINT,
            # the list of resources may change, because the user may install a skill
            "resources/list": SHORT_CACHE_HINT,
            "resources/templates/list": LONG_CACHE_HINT,
            "server/discover": LONG_CACHE_HINT,
        },
        on_list_tools=tools.list_tools,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_resource_templates,
        on_read_resource=resources.read_resource,
        on_subscribe_resource=updates.subscribe,
        on_unsubscribe_resource=updates.unsubscribe,
        on_subscriptions_listen=guard_subscriptions(ListenHandler(updates.bus)),
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
        on_completion=prompts.complete_argument,
    )
    # replaces the library's own middleware, which makes OpenTelemetry spans that nothing collects
    server.middleware[:] = [build_access_middleware(deps.settings)]
    server.add_notification_handler(
        "notifications/initialized", types.NotificationParams, updates.on_client_initialized
    )
    # not `on_call_tool=`, because its result type does not allow the result of an extension, such
    # as a task
    server.add_request_handler("tools/call", types.CallToolRequestParams, tools.call_tool)
    server.add_request_handler(
        "logging/setLevel", types.SetLevelRequestParams, updates.log.handle_set_level
    )
    skills.register_handlers(server)
    tasks.register_handlers(server)
    return server


def build_tasks() -> TaskHandlers:
    """Return the store of tasks, in which each task belongs to the client process that started it."""
    return TaskHandlers(lambda ctx: find_requester(ctx).get_process())


def build_initialization_options(server: Server[Any]) -> InitializationOptions:
    """Return the capabilities that the server announces in the handshake of the older protocol era."""
    return server.create_initialization_options(
        NotificationOptions(tools_changed=True, resources_changed=False)
    )
