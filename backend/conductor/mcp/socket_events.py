"""Forwards the events of the app to programs that watch the socket and to agents."""

import asyncio
from collections.abc import Callable

from conductor.base.json_types import JsonObject
from conductor.domain.approvals import ApprovalView
from conductor.domain.plan import ConfigPlan
from conductor.mcp.a2a.listener import A2aListener
from conductor.mcp.server.agents import AgentSessions
from conductor.mcp.server.peer import Peer
from conductor.mcp.server.socket_watchers import SocketWatchers
from conductor.runtime.events import (
    APPROVAL_TOPIC,
    CONFIG_LOADED_TOPIC,
    CONFIG_TOPIC,
    DEVICES_TOPIC,
    FAILURE_TOPIC,
    NOTICE_TOPIC,
    PLAN_TOPIC,
    SKIPPED_TRACES_TOPIC,
    STATUS_TOPIC,
    TOOLS_TOPIC,
    TRACE_TOPIC,
    EventBus,
)

MONITOR_TOPICS = (
    TRACE_TOPIC,
    SKIPPED_TRACES_TOPIC,
    FAILURE_TOPIC,
    DEVICES_TOPIC,
    CONFIG_LOADED_TOPIC,
    NOTICE_TOPIC,
)
"""The topics that a monitor receives."""


class SocketEventForwarder:
    """Forwards the events of the event bus to programs that watch the socket and to agents.

    Safe in any thread.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        watchers: SocketWatchers,
        agents: AgentSessions,
        a2a: A2aListener,
        may_watch: Callable[[Peer | None], bool],
    ) -> None:
        self._loop = loop
        self._watchers = watchers
        self._agents = agents
        self._a2a = a2a
        self._may_watch = may_watch

    def subscribe_to_bus(self, bus: EventBus) -> None:
        """Forward every event of an event bus from now on."""
        bus.forward_all(self._forward_to_monitors)
        bus.subscribe(APPROVAL_TOPIC, self._on_approval)
        bus.subscribe(
            STATUS_TOPIC, lambda _status: self._agents.notify_resource_changed("conductor://status")
        )
        bus.subscribe(
            DEVICES_TOPIC, lambda _rows: self._agents.notify_resource_changed("conductor://status")
        )
        bus.subscribe(PLAN_TOPIC, self._on_plan)
        bus.subscribe(TOOLS_TOPIC, lambda _no_data: self._agents.on_settings_changed())
        bus.subscribe(CONFIG_TOPIC, lambda _config: self._on_config())

    def _forward_to_monitors(self, topic: str, payload: JsonObject) -> None:
        if topic in MONITOR_TOPICS and self._watchers.is_watched("monitor"):
            self._notify_watchers(f"monitor.{topic}", payload)

    def _on_approval(self, view: ApprovalView) -> None:
        if view.conversation_id is not None:
            self._notify_watchers("chat.approval", view.model_dump(mode="json"))

    def _on_plan(self, plan: ConfigPlan) -> None:
        self._agents.notify_resource_changed(f"conductor://plans/{plan.plan_id}")
        self._a2a.on_plan_changed(plan.plan_id)

    def _on_config(self) -> None:
        self._agents.notify_resource_changed("conductor://config")
        self._agents.on_settings_changed()
        self._loop.call_soon_threadsafe(self._watchers.disconnect_monitors, self._may_watch)

    def _notify_watchers(self, method: str, payload: JsonObject) -> None:
        self._loop.call_soon_threadsafe(self._watchers.notify, method, payload)
