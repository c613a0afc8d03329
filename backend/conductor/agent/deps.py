"""What the chat needs of the running Conductor; `app.chat_desk` hands it over."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from conductor.agent.reference import Knowledge
from conductor.agent.skills import SkillCatalog
from conductor.domain.chat.events import ChatEvent
from conductor.domain.chat.messages import ProviderKind, Usage
from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.plan import ConfigPlan, Requester
from conductor.llm.provider import Provider
from conductor.storage.conversations import Conversations
from conductor.storage.usage import UsageLog
from conductor.tools.executor import Outcome
from conductor.tools.registry import Tool

Tell = Callable[[ChatEvent], None]


class Providers(Protocol):
    """The providers that are configured; `llm.service.Providers` is the real one."""

    def get(self, name: str) -> Provider:
        """Return a provider.

        Raises:
            NotAvailable: it cannot be used; says why, and what to do.
        """
        ...

    def names(self) -> Sequence[str]:
        """Return the names of all that may be asked for."""
        ...

    def order(self, chosen: str | None = None) -> tuple[str, ...]:
        """Return whom to ask, in the order in which they are tried: the chosen one or the default first."""
        ...


class AppState(NamedTuple):
    """Where Conductor stands now."""

    mode: str = ""
    profile: str | None = None
    app: str = ""
    """The app in front."""
    devices: Sequence[dict[str, Any]] = ()
    """`DeviceStatus` records."""


@dataclass(frozen=True)
class ChatDeps:
    """Everything that a turn may lead to."""

    config: Callable[[], Config]
    standing: Callable[[], AppState]
    recent_events: Callable[[int], Awaitable[Sequence[InputEvent]]]
    """What was played lately, the oldest first; raises NotAvailable when the engine does not answer."""
    lately: Callable[[int], Sequence[InputEvent]]
    """The same, for worker threads."""
    tools: Callable[[], Sequence[Tool]]
    """The tools that the user allows."""
    call: Callable[[str, dict[str, Any], Requester], Awaitable[Outcome]]
    plan: Callable[[str], ConfigPlan]
    """Give a plan as it stands now; raises UnknownPlan."""
    plans: Callable[[], Sequence[ConfigPlan]]
    """All that are kept, the newest first."""
    providers: Providers
    conversations: Conversations
    usage: UsageLog
    cost: Callable[[ProviderKind, str, Usage], float | None]
    """The price of tokens by the shipped table."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    knowledge: Callable[[], Knowledge] | None = None
    """Give what is known; called in a thread, for it may have to be read first."""
    skills: Callable[[], SkillCatalog] | None = None
    """Give the Agent Skills; called in a thread."""
