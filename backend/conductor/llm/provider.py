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
    """A model provider. Its methods do not raise errors of the provider or the network."""

    name: str
    """The name in `llm.providers`."""
    kind: ProviderKind
    default_model: str
    is_local: bool
    """Whether the provider runs on this computer or in the local network."""

    def stream_answer(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Send a request and yield its events. The last event is `Done` or `Failed`.

        If a request fails before any content arrives, it is retried up to 3 times. A `Retrying` event with the
        wait precedes each retry. Closing the iterator cancels the request at once.
        """
        ...

    async def test_connection(self) -> ProviderHealth:
        """Test the connection to the provider, without paid tokens if possible."""
        ...

    async def list_models(self) -> list[ModelInfo]:
        """Return the provider's models. If the request fails, return the models in the shipped table."""
        ...

    def get_capabilities(self, model: str) -> Capabilities: ...
    async def close(self) -> None: ...
