"""The interfaces of the services that the chat depends on. `app` provides the implementations."""

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
from conductor.domain.control_names import NO_CONTROL_NAMES, ControlNames
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
    """The configured model providers, implemented by `llm.service.Providers`."""

    def get_provider(self, name: str) -> Provider:
        """Return the provider with this name.

        Raises:
            NotAvailable: The provider cannot be used. The message says why and what to do.
        """
        ...

    def list_provider_names(self) -> Sequence[str]:
        """Return the names of the providers that a message may choose."""
        ...

    def order_provider_names(self, chosen: str | None = None) -> tuple[str, ...]:
        """Return the names of the providers to try, in order, starting with the chosen or the default
        provider.
        """
        ...


class AppState(NamedTuple):
    """The active mode and profile, the foreground app and the devices, as the engine last reported them."""

    mode: str = ""
    profile: str | None = None
    app: str = ""
    """The name of the foreground app; empty if unknown."""
    devices: Sequence[DeviceRow] = ()


@dataclass(frozen=True)
class ChatDeps:
    """The services and functions that the chat needs to answer a message, such as the config, the tools
    and the providers.
    """

    config: Callable[[], Config]
    app_state: Callable[[], AppState]
    recent_events: Callable[[int], Awaitable[Sequence[InputEvent]]]
    """Returns the latest input events, at most this many, oldest first.

    Raises NotAvailable if the engine does not answer.
    """
    recent_events_sync: Callable[[int], Sequence[InputEvent]]
    """Like `recent_events`, but blocking, for worker threads."""
    tools: Callable[[], Sequence[Tool]]
    """Returns the tools that the chat may call."""
    call: Callable[[str, JsonObject, Requester], Awaitable[ToolOutcome]]
    plan: Callable[[str], ConfigPlan]
    """Returns the plan with this id and its current status. Raises UnknownPlan."""
    plans: Callable[[], Sequence[ConfigPlan]]
    """Returns all stored plans, newest first."""
    providers: ProviderRegistry
    conversations: Conversations
    usage: UsageLog
    cost: Callable[[ProviderKind, str, Usage], float | None]
    """Returns the price of a request in dollars, or None for a model without a known price."""
    control_names: Callable[[], ControlNames] = lambda: NO_CONTROL_NAMES
    """Returns the names that are printed on the controls of the devices."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    knowledge: Callable[[], KnowledgeRetriever] | None = None
    """Returns the knowledge base.

    It is called in a worker thread, because loading the knowledge base may take seconds.
    """
    skills: Callable[[], SkillCatalog] | None = None
    """Returns the Agent Skills. It is called in a worker thread, because the skills are read from disk."""
