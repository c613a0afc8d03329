"""Conductor's MCP server: one object for all connections, of both eras and every transport.

Importing this imports the MCP library, which takes about a second: `agents.py` does it in the background.
"""

from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import ListenHandler

from conductor.mcp.server.access import closing
from conductor.mcp.server.calling import Calling
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.prompts import Prompts
from conductor.mcp.server.requesters import requester
from conductor.mcp.server.resources import Resources, ResourceUpdates
from conductor.mcp.server.skills import Skills
from conductor.mcp.server.tasks import Tasks, guard_listening

NAME = "conductor"
INSTRUCTIONS = (
    "Conductor maps MIDI controllers and gamepads to keystrokes, apps, volume, MIDI and OSC. Tools that "
    "change the config return a plan and change nothing: tell the user what the plan would do, then call "
    "conductor_apply_plan. Only the user can approve: in a form, in Conductor's window, or with `conductor "
    "plans approve`. To find which control the user means, use MIDI Learn; to find why something did or "
    "did not happen, use conductor_explain_event."
)
LONG = CacheHint(ttl_ms=3_600_000, scope="private")
SHORT = CacheHint(ttl_ms=10_000, scope="private")


def make_server(desk: ServerDeps, news: ResourceUpdates, tasks: Tasks | None = None) -> Server[Any]:
    """Build the server that answers agents from the desk."""
    skills = Skills(desk.skills())
    tasks = new_tasks() if tasks is None else tasks
    calling, resources = Calling(desk, tasks, news), Resources(desk, skills)
    prompts = Prompts(desk)
    server: Server[Any] = Server(
        NAME,
        version=desk.version,
        title="Conductor",
        instructions=INSTRUCTIONS,
        cache_hints={
            "tools/list": SHORT,
            "prompts/list": LONG,
            "resources/list": SHORT,  # the user may install a skill
            "resources/templates/list": LONG,
            "server/discover": LONG,
        },
        on_list_tools=calling.list_tools,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_subscribe_resource=news.subscribe,
        on_unsubscribe_resource=news.unsubscribe,
        on_subscriptions_listen=guard_listening(ListenHandler(news.bus)),
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
        on_completion=prompts.complete,
    )
    # instead of spans for OpenTelemetry, which nothing here collects
    server.middleware[:] = [closing(desk.settings)]
    server.add_notification_handler(
        "notifications/initialized", types.NotificationParams, news.remember
    )
    # not `on_call_tool=`, whose type does not have the result of an extension
    server.add_request_handler("tools/call", types.CallToolRequestParams, calling.call_tool)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, news.log.set_level)
    skills.join(server)
    tasks.join(server)
    return server


def new_tasks() -> Tasks:
    """Build the tasks of one Conductor; each belongs to the client that asked for it."""
    return Tasks(lambda ctx: requester(ctx).process())


def options_of(server: Server[Any]) -> InitializationOptions:
    """Return what a handshake of the older era announces."""
    return server.create_initialization_options(
        NotificationOptions(tools_changed=True, resources_changed=False)
    )
