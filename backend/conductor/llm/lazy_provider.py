"""Opens a provider in a thread on first use, because importing its SDK takes seconds."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from threading import Lock
from typing import TYPE_CHECKING

from conductor.domain.chat.messages import (
    Capabilities,
    ChatRequest,
    Done,
    Failed,
    ModelInfo,
    ProviderHealth,
    ProviderKind,
    StreamEvent,
)
from conductor.llm.registry import ProviderRow, is_local_url

if TYPE_CHECKING:
    from conductor.llm.prices import ModelPrice
    from conductor.llm.sdk_provider import SdkProvider


class LazyProvider:
    """A `Provider` whose SDK is imported in a worker thread, so that the event loop is never blocked."""

    def __init__(
        self,
        row: ProviderRow,
        create: Callable[[], "SdkProvider"],
        report_health: Callable[[ProviderHealth], None],
    ) -> None:
        """Set how the provider is opened and where its health is reported.

        `create` is called in a worker thread on first use. `report_health` is called after each connection
        test and each request.
        """
        self.name, self.default_model = row.name, row.model
        self.kind: ProviderKind = row.kind
        self.is_local = is_local_url(row.base_url)
        self._label = row.label
        self._create, self._report_health = create, report_health
        self._provider: SdkProvider | None = None
        self._create_lock = Lock()

    async def stream_answer(self, request: ChatRequest) -> AsyncGenerator[StreamEvent]:
        """Send a request, yield its events as `Provider.stream_answer` does, and report the health of the
        provider.
        """
        provider = await self._open_provider_in_thread()
        async with aclosing(provider.stream_answer(request)) as events:
            async for event in events:
                if isinstance(event, Done):
                    self._report_health(ProviderHealth(ok=True, message=f"{self._label} answered."))
                elif isinstance(event, Failed):
                    failure = event.failure
                    self._report_health(
                        ProviderHealth(ok=False, message=failure.message, failure=failure)
                    )
                yield event

    async def test_connection(self) -> ProviderHealth:
        """Test the connection and report the health of the provider, even if the test is cancelled."""
        try:
            health = await (await self._open_provider_in_thread()).test_connection()
        except asyncio.CancelledError:
            self._report_health(
                ProviderHealth(ok=False, message=f"{self._label} did not answer in time.")
            )
            raise
        self._report_health(health)
        return health

    async def list_models(self) -> list[ModelInfo]:
        """Return the provider's models, or those in the shipped table if the request fails."""
        return await (await self._open_provider_in_thread()).list_models()

    def get_capabilities(self, model: str) -> Capabilities:
        """Return the capabilities of a model.

        This may import the SDK and therefore block for seconds, unless `Providers.preload_first_provider`
        has finished.
        """
        return self._open_provider().get_capabilities(model)

    async def close(self) -> None:
        """Close the HTTP connections as soon as no answer is being received.

        A later request opens them again.
        """
        provider, self._provider = self._provider, None
        if provider is not None:
            await provider.close()

    def find_listed_price(self, model: str) -> "ModelPrice | None":
        """Return the price of a model in the provider's own list, or None if the list is not loaded or has
        no price.
        """
        return self._provider.find_listed_price(model) if self._provider is not None else None

    async def _open_provider_in_thread(self) -> "SdkProvider":
        return self._provider or await asyncio.to_thread(self._open_provider)

    def _open_provider(self) -> "SdkProvider":
        with self._create_lock:
            if self._provider is None:
                self._provider = self._create()
            return self._provider
