"""What every provider can do; `llm/service.py` makes one for each row in `llm.providers`."""

from collections.abc import AsyncIterator
from typing import Protocol

from conductor.domain.chat.messages import (
    Capabilities,
    ChatRequest,
    ModelInfo,
    ProviderHealth,
    ProviderKind,
    StreamEvent,
)


class Provider(Protocol):
    """One model provider. No method raises for what the provider or the network does."""

    name: str
    """The name in `llm.providers`."""
    kind: ProviderKind
    default_model: str
    is_local: bool
    """It runs on this computer or in its network."""

    def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Make a request, and give what comes. The last event is `Done` or `Failed`.

        Failures before the first event of content are tried again, at most 3 times, each with a `Retrying`
        that says how long is waited. Closing the iterator ends the request at once.
        """
        ...

    async def health(self) -> ProviderHealth:
        """Test the connection without paid tokens where the provider allows it."""
        ...

    async def models(self) -> list[ModelInfo]:
        """Return what it offers now; on failure what the shipped table knows of it."""
        ...

    def capabilities(self, model: str) -> Capabilities: ...
    async def close(self) -> None: ...
