"""Interfaces of the services that the chat depends on, which the composition root provides."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from conductor.agent.reference import KnowledgeRetriever
from conductor.agent.skills import SkillCatalog
from conductor.base.json_types import JsonObject
from conductor.domain.chat.events import ChatEvent
from conductor.domain.chat.messages import ProviderKind, Usage
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.wire_rows import DeviceRow
from conductor.llm.provider import Provider
from conductor.storage.conversations import Conversations
from conductor.storage.usage import UsageLog
from conductor.tools.executor import ToolOutcome
from conductor.tools.registry import Tool

EventListener = Callable[[ChatEvent], None]


class ProviderRegistry(Protocol):
    """The configured model providers. Implemented by `llm.service.Providers`."""

    def get_provider(self, name: str) -> Provider:
        """Return the provider with this name.

        Raises:
            NotAvailable: The provider cannot be used; the message says why and what to do.
        """
        ...

    def list_provider_names(self) -> Sequence[str]:
        """Return the provider names that a request may use."""
        ...

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        """Return the provider names in the order to try them, starting with the chosen or default provider."""
        ...


class AppState(NamedTuple):
    """The current mode, profile, foreground app and devices."""

    mode: str = ""
    profile: str | None = None
    app: str = ""
    """Name of the foreground app."""
    devices: Sequence[DeviceRow] = ()


@dataclass(frozen=True)
class ChatDeps:
    """The services and functions that the chat needs to answer a message."""

    config: Callable[[], Config]
    app_state: Callable[[], AppState]
    recent_events: Callable[[int], Awaitable[Sequence[InputEvent]]]
    """Returns the latest input events, oldest first. Raises NotAvailable if the engine does not answer."""
    recent_events_sync: Callable[[int], Sequence[InputEvent]]
    """The blocking form of `recent_events`, for worker threads."""
    tools: Callable[[], Sequence[Tool]]
    """The tools that are allowed in the chat."""
    call: Callable[[str, JsonObject, Requester], Awaitable[ToolOutcome]]
    plan: Callable[[str], ConfigPlan]
    """Returns a plan with its current status; raises UnknownPlan."""
    plans: Callable[[], Sequence[ConfigPlan]]
    """Returns all stored plans, newest first."""
    providers: ProviderRegistry
    conversations: Conversations
    usage: UsageLog
    cost: Callable[[ProviderKind, str, Usage], float | None]
    """Returns the price of a request in dollars by the shipped table, or None for an unknown model."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    knowledge: Callable[[], KnowledgeRetriever] | None = None
    """Returns the knowledge base. Called in a worker thread, because loading the knowledge base may take
    seconds.
    """
    skills: Callable[[], SkillCatalog] | None = None
    """Returns the Agent Skills. Called in a worker thread."""
