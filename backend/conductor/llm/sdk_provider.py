"""A provider on top of its SDK: streams answers and retries temporary failures."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from conductor.base.json_types import JsonObject
from conductor.domain.chat.messages import (
    Capabilities,
    ChatRequest,
    Failed,
    ModelInfo,
    ProviderHealth,
    ProviderKind,
    Retrying,
    StreamEvent,
)
from conductor.domain.settings import LlmProvider
from conductor.errors import ConductorError
from conductor.llm import prices
from conductor.llm.attempt import Attempt
from conductor.llm.capabilities import capabilities_of
from conductor.llm.clients import Address, open_client
from conductor.llm.exchange import Exchange, on_response
from conductor.llm.failures import Place
from conductor.llm.health import Tested, test_connection
from conductor.llm.live import Listed, for_chat, from_stored, to_stored
from conductor.llm.options import ClientOptions
from conductor.llm.problems import lacking
from conductor.llm.registry import ProviderRow
from conductor.llm.retries import wait_before_retry

log = logging.getLogger(__name__)


class SdkProvider:
    """A configured provider with an open SDK client."""

    def __init__(
        self, row: ProviderRow, settings: LlmProvider, key: str | None, options: ClientOptions
    ) -> None:
        self.name, self.default_model = row.name, row.model
        self.kind: ProviderKind = row.kind
        self._row, self._settings, self._key, self._options = row, settings, key, options
        self._wire = open_client(
            Address(row.name, row.kind, row.base_url, key), on_response, options.limits
        )
        self._listed = self._load_listed()
        self._learned: dict[str, JsonObject] = {}
        self._active, self._closing = 0, False

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent]:
        """Send a request and yield its events; see `Provider.stream`."""
        self._active += 1
        try:
            async with aclosing(self._stream_with_retries(request)) as events:
                async for event in events:
                    yield event
        finally:
            self._active -= 1
            await self._close_if_idle()

    async def _stream_with_retries(self, request: ChatRequest) -> AsyncGenerator[StreamEvent]:
        retries = 0
        while True:
            attempt = self._attempt(request)
            async with aclosing(attempt.events()) as events:
                async for event in events:
                    yield event
            if attempt.failure is None:
                return
            if self._learn_missing(request, attempt):
                continue
            wait_s = wait_before_retry(attempt, retries)
            if wait_s is None:
                yield Failed(failure=attempt.failure, parts=attempt.kept)
                return
            retries += 1
            yield Retrying(attempt=retries, wait_s=wait_s, failure=attempt.failure)
            await self._options.wait(wait_s)

    def capabilities(self, model: str) -> Capabilities:
        """Return the capabilities of a model."""
        try:
            profile = self._wire.model(model).profile
        except Exception:  # noqa: BLE001 - a rejected name is an unknown model
            profile = None
        told = self._listed[model].can if model in self._listed else {}
        live = {**told, **self._learned.get(model, {})}
        return capabilities_of(self.kind, model, profile, live, self._settings)

    async def health(self) -> ProviderHealth:
        """Test the connection; see `Provider.health`."""
        return (await self._test(greet=True)).health

    async def models(self) -> list[ModelInfo]:
        """Return the provider's models; see `Provider.models`."""
        await self._test(greet=False)
        known = filter(for_chat, prices.known_models(self.kind))
        names = self._listed or list(known) or filter(None, [self.default_model])
        return [self._info(name) for name in names]

    async def close(self) -> None:
        """Close the connections once no answer is being received."""
        self._closing = True
        await self._close_if_idle()

    def listed_price(self, model: str) -> prices.Price | None:
        """Return the price of a model from the provider's own list, if known."""
        listed = self._listed.get(model)
        return listed.price if listed else None

    async def _test(self, *, greet: bool) -> Tested:
        place, within_s = self._place(self.default_model), self._options.limits.test_s
        tested = await test_connection(self._wire, place, greet=greet, within_s=within_s)
        if tested.models:
            self._listed = tested.models
            await asyncio.to_thread(self._save_listed)
        return tested

    def _load_listed(self) -> dict[str, Listed]:
        """Load the cached model list from disk. Call this in a worker thread."""
        try:
            return from_stored(self._options.shelf.load(self.name, self._row.base_url) or "[]")
        except ConductorError as problem:
            log.info("could not read the cached model list of %s: %s", self.name, problem)
            return {}

    def _save_listed(self) -> None:
        try:
            self._options.shelf.save(self.name, self._row.base_url, to_stored(self._listed))
        except ConductorError as problem:
            log.info("could not cache the model list of %s: %s", self.name, problem)

    async def _close_if_idle(self) -> None:
        if self._closing and not self._active:
            await self._wire.http.aclose()

    def _attempt(self, request: ChatRequest) -> Attempt:
        price = self.listed_price(request.model)
        whole_s = self._options.limits.whole_s
        return Attempt(self._place(request.model), self._exchange(request), price, whole_s)

    def _info(self, model: str) -> ModelInfo:
        live = self._listed.get(model)
        price = (live.price if live else None) or prices.price(self.kind, model)
        return ModelInfo(
            model=model,
            label=live.label if live else model,
            capabilities=self.capabilities(model),
            input_usd_per_mtok=price.input_usd_per_mtok if price else None,
            output_usd_per_mtok=price.output_usd_per_mtok if price else None,
            retires_at=live.retires_at if live else None,
        )

    def _place(self, model: str) -> Place:
        return Place(self._row.label, model, self._row.base_url, self._key, self.kind)

    def _exchange(self, request: ChatRequest) -> Callable[[], Exchange]:
        """Return a function that creates the exchange with the model for one attempt.

        This way a rejected model name fails like any other request.
        """

        def make() -> Exchange:
            can = self.capabilities(request.model)
            return Exchange(
                self._wire.model(request.model),
                request,
                can,
                row=self.name,
                settings=self._model_settings(request, can),
            )

        return make

    def _model_settings(self, request: ChatRequest, can: Capabilities) -> JsonObject:
        temperature = self._settings.temperature
        if request.temperature is not None:
            temperature = request.temperature
        chosen: JsonObject = {
            "max_tokens": request.max_tokens or self._settings.max_tokens,
            "temperature": temperature if can.temperature else None,
            "openai_store": False if self.kind == "openai" else None,
        }
        given = {name: value for name, value in chosen.items() if value is not None}
        return {"cache": True, "framing_announcement": "never", **given}

    def _learn_missing(self, request: ChatRequest, attempt: Attempt) -> bool:
        """Record the capability that the model turned out to lack, so that the next request does without it.
        Return whether to repeat the request without it.
        """
        what = lacking(attempt.problem) if attempt.problem and not attempt.has_events else None
        known = self.capabilities(request.model)
        if what is None or not getattr(known, what):
            return False
        self._learned.setdefault(request.model, {})[what] = False
        return not getattr(self.capabilities(request.model), what)
