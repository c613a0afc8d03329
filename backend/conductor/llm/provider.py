"""The interface of a model provider.

`llm/service.py` creates one provider for each entry of `[llm.providers]`.
"""

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
    """A service or server that runs models.

    Failures of the provider and the network are returned as events or values. No method raises them.
    """

    name: str
    """The name of the entry in `[llm.providers]`."""
    kind: ProviderKind
    default_model: str
    is_local: bool
    """Whether the base URL points to this computer or the local network."""

    def stream_answer(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Send a request and yield the events of the answer. The last event is `Done` or `Failed`.

        If a request fails before any content has arrived, it is sent again up to 3 times, each time after a
        `Retrying` event that states the wait in seconds. Closing the iterator cancels the request at once.
        """
        ...

    async def test_connection(self) -> ProviderHealth:
        """Test the connection. This costs tokens only if the provider does not list its models."""
        ...

    async def list_models(self) -> list[ModelInfo]:
        """Return the models of the provider.

        If the request fails, return the models in the shipped table.
        """
        ...

    def get_capabilities(self, model: str) -> Capabilities: ...
    async def close(self) -> None: ...
