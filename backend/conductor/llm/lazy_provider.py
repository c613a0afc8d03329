"""Opens a provider in a thread on first use, because importing its SDK takes seconds."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
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
        self._uses, self._is_closing = 0, False

    async def stream_answer(self, request: ChatRequest) -> AsyncGenerator[StreamEvent]:
        """Send a request, yield its events as `Provider.stream_answer` does, and report the health of the
        provider.
        """
        async with (
            self._use_provider() as provider,
            aclosing(provider.stream_answer(request)) as events,
        ):
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
            async with self._use_provider() as provider:
                health = await provider.test_connection()
        except asyncio.CancelledError:
            self._report_health(
                ProviderHealth(ok=False, message=f"{self._label} did not answer in time.")
            )
            raise
        self._report_health(health)
        return health

    async def list_models(self) -> list[ModelInfo]:
        """Return the provider's models, or those in the shipped table if the request fails."""
        async with self._use_provider() as provider:
            return await provider.list_models()

    def get_capabilities(self, model: str) -> Capabilities:
        """Return the capabilities of a model.

        This may import the SDK and therefore block for seconds, unless `Providers.preload_first_provider`
        has finished.
        """
        return self._open_provider().get_capabilities(model)

    async def close(self) -> None:
        """Close the HTTP connections as soon as no request is in progress.

        A later request opens them again, and closes them at its end.
        """
        self._is_closing = True
        await self._close_if_unused()

    def find_listed_price(self, model: str) -> "ModelPrice | None":
        """Return the price of a model in the provider's own list, or None if the list is not loaded or has
        no price.
        """
        return self._provider.find_listed_price(model) if self._provider is not None else None

    @asynccontextmanager
    async def _use_provider(self) -> AsyncGenerator["SdkProvider"]:
        """Keep the connections open for a request.

        Without the count, a provider that is closed while a worker thread still opens it would keep its
        connections until the process ends.
        """
        self._uses += 1
        try:
            yield await self._open_provider_in_thread()
        finally:
            self._uses -= 1
            await self._close_if_unused()

    async def _close_if_unused(self) -> None:
        if self._is_closing and not self._uses:
            provider, self._provider = self._provider, None
            if provider is not None:
                await provider.close()

    async def _open_provider_in_thread(self) -> "SdkProvider":
        return self._provider or await asyncio.to_thread(self._open_provider)

    def _open_provider(self) -> "SdkProvider":
        with self._create_lock:
            if self._provider is None:
                self._provider = self._create()
            return self._provider
