"""The interface of a model provider; `llm/service.py` creates one for each row in `llm.providers`."""

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
    """One model provider. No method raises for errors of the provider or the network."""

    name: str
    """The name in `llm.providers`."""
    kind: ProviderKind
    default_model: str
    is_local: bool
    """Whether it runs on this computer or in its local network."""

    def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Send a request and yield its events. The last event is `Done` or `Failed`.

        A failure before any content is retried at most 3 times, each time after a `Retrying` event with the
        wait. Closing the iterator ends the request at once.
        """
        ...

    async def health(self) -> ProviderHealth:
        """Test the connection, without paid tokens if possible."""
        ...

    async def models(self) -> list[ModelInfo]:
        """Return the models on offer; on failure those in the shipped table."""
        ...

    def capabilities(self, model: str) -> Capabilities: ...
    async def close(self) -> None: ...
