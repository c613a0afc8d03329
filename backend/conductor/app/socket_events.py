"""Forwards the events of the app to programs: to watchers on the socket, and to agents."""

import asyncio
from collections.abc import Callable

from conductor.base.json_types import JsonObject
from conductor.mcp.server.agents import Agents
from conductor.mcp.server.peer import Peer
from conductor.mcp.server.socket_watchers import SocketWatchers

MONITOR = ("trace", "skipped", "failure", "devices", "loaded", "notice")
"""The topics that a watcher of the monitor gets."""


class SocketEventForwarder:
    """A listener of the event bus; `on_event` may be called in any thread."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        watchers: SocketWatchers,
        agents: Agents,
        may_watch: Callable[[Peer | None], bool],
    ) -> None:
        self._loop = loop
        self._watchers = watchers
        self._agents = agents
        self._may_watch = may_watch

    def on_event(self, topic: str, payload: JsonObject) -> None:
        if topic in MONITOR and self._watchers.is_watched("monitor"):
            self._notify(f"monitor.{topic}", payload)
        match topic:
            case "approval" if payload["conversation_id"] is not None:
                self._notify("chat.approval", payload)
            case "status" | "devices":
                self._agents.resource_changed("conductor://status")
            case "plan":
                self._agents.resource_changed(f"conductor://plans/{payload['plan_id']}")
            case "tools":
                self._agents.settings_changed()
            case "config":
                self._agents.resource_changed("conductor://config")
                self._agents.settings_changed()
                self._loop.call_soon_threadsafe(self._watchers.disconnect_monitors, self._may_watch)
            case _:
                pass

    def _notify(self, method: str, payload: JsonObject) -> None:
        self._loop.call_soon_threadsafe(self._watchers.notify, method, payload)
