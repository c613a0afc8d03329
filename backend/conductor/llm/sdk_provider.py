"""Implements a provider with its SDK: streams answers and repeats requests that failed temporarily."""

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
from conductor.llm.attempt import AnswerAttempt
from conductor.llm.capabilities import combine_capabilities
from conductor.llm.clients import ClientAddress, open_client
from conductor.llm.exchange import ModelExchange, record_response
from conductor.llm.failures import FailureContext
from conductor.llm.health import ConnectionTest, test_connection
from conductor.llm.live import ListedModel, is_chat_model, parse_stored_models, serialize_models
from conductor.llm.options import ClientOptions
from conductor.llm.problems import find_missing_capability
from conductor.llm.registry import ProviderRow
from conductor.llm.request_limit import RequestLimit
from conductor.llm.retries import compute_retry_wait

log = logging.getLogger(__name__)


class SdkProvider:
    """A configured provider with an open SDK client.

    Creating it opens the client and reads the model list from disk, so do this in a worker thread.
    """

    def __init__(
        self,
        row: ProviderRow,
        settings: LlmProvider,
        key: str | None,
        options: ClientOptions,
        limit: RequestLimit | None = None,
    ) -> None:
        self.name, self.default_model = row.name, row.model
        self.kind: ProviderKind = row.kind
        self._row, self._settings, self._key, self._options = row, settings, key, options
        self._limit = limit
        self._client = open_client(
            ClientAddress(row.name, row.kind, row.base_url, key), record_response, options.timeouts
        )
        self._listed_models = self._load_model_list()
        self._learned_limits: dict[str, JsonObject] = {}
        self._active_streams, self._is_closing = 0, False

    async def stream_answer(self, request: ChatRequest) -> AsyncGenerator[StreamEvent]:
        """Send a request and yield its events as `Provider.stream_answer` does, with retries.

        While an answer is received, `close` keeps the connections open.
        """
        self._active_streams += 1
        try:
            async with aclosing(self._stream_with_retries(request)) as events:
                async for event in events:
                    yield event
        finally:
            self._active_streams -= 1
            await self._close_if_idle()

    async def _stream_with_retries(self, request: ChatRequest) -> AsyncGenerator[StreamEvent]:
        retries = 0
        while True:
            if self._limit is not None:
                async for event in self._limit.wait_for_request(self._options.wait):
                    yield event
                    if isinstance(event, Failed):
                        return
            attempt = self._create_attempt(request)
            async with aclosing(attempt.stream_events()) as events:
                async for event in events:
                    yield event
            if attempt.failure is None:
                return
            if self._learn_missing_capability(request, attempt):
                continue
            wait_s = compute_retry_wait(attempt, retries)
            if wait_s is None:
                yield Failed(failure=attempt.failure, parts=attempt.usable_parts)
                return
            retries += 1
            yield Retrying(attempt=retries, wait_s=wait_s, failure=attempt.failure)
            await self._options.wait(wait_s)

    def get_capabilities(self, model: str) -> Capabilities:
        """Return what the model supports, including what its error messages have revealed."""
        try:
            profile = self._client.create_model(model).profile
        except Exception:  # noqa: BLE001 - the SDK rejects a name that it does not know
            profile = None
        listed = self._listed_models[model].capabilities if model in self._listed_models else {}
        live = {**listed, **self._learned_limits.get(model, {})}
        return combine_capabilities(self.kind, model, profile, live, self._settings)

    async def test_connection(self) -> ProviderHealth:
        """Test the connection.

        Without a model list, a request of one word is sent, which may cost a few tokens.
        """
        return (await self._request_connection_test(greet=True)).health

    async def list_models(self) -> list[ModelInfo]:
        """Request the provider's model list and return the models.

        If the request fails, return those of the last list, or else those in the shipped table.
        """
        await self._request_connection_test(greet=False)
        known = filter(is_chat_model, prices.list_known_models(self.kind))
        names = self._listed_models or list(known) or filter(None, [self.default_model])
        return [self._build_model_info(name) for name in names]

    async def close(self) -> None:
        """Close the HTTP connections as soon as no answer is being received."""
        self._is_closing = True
        await self._close_if_idle()

    def find_listed_price(self, model: str) -> prices.ModelPrice | None:
        """Return the price of a model in the provider's own list, or None if the list has no price for it."""
        listed = self._listed_models.get(model)
        return listed.price if listed else None

    async def _request_connection_test(self, *, greet: bool) -> ConnectionTest:
        context, timeout_s = (
            self._build_failure_context(self.default_model),
            self._options.timeouts.connection_test_s,
        )
        tested = await test_connection(self._client, context, greet=greet, timeout_s=timeout_s)
        if tested.models:
            self._listed_models = tested.models
            await asyncio.to_thread(self._save_model_list)
        return tested

    def _load_model_list(self) -> dict[str, ListedModel]:
        """Load the model list from the cache on disk, or return an empty list.

        Call this in a worker thread.
        """
        try:
            return parse_stored_models(
                self._options.model_cache.load_model_list(self.name, self._row.base_url) or "[]"
            )
        except ConductorError as problem:
            log.info(
                "could not read the cached model list of the provider %s: %s", self.name, problem
            )
            return {}

    def _save_model_list(self) -> None:
        try:
            self._options.model_cache.save_model_list(
                self.name, self._row.base_url, serialize_models(self._listed_models)
            )
        except ConductorError as problem:
            log.info("could not cache the model list of the provider %s: %s", self.name, problem)

    async def _close_if_idle(self) -> None:
        if self._is_closing and not self._active_streams:
            await self._client.http.aclose()

    def _create_attempt(self, request: ChatRequest) -> AnswerAttempt:
        price = self.find_listed_price(request.model)
        whole_s = self._options.timeouts.answer_s
        return AnswerAttempt(
            self._build_failure_context(request.model),
            self._prepare_exchange(request),
            price,
            whole_s,
        )

    def _build_model_info(self, model: str) -> ModelInfo:
        listed = self._listed_models.get(model)
        price = (listed.price if listed else None) or prices.find_model_price(self.kind, model)
        return ModelInfo(
            model=model,
            label=listed.label if listed else model,
            capabilities=self.get_capabilities(model),
            input_usd_per_mtok=price.input_usd_per_mtok if price else None,
            output_usd_per_mtok=price.output_usd_per_mtok if price else None,
            retires_at=listed.retires_at if listed else None,
        )

    def _build_failure_context(self, model: str) -> FailureContext:
        return FailureContext(self._row.label, model, self._row.base_url, self._key, self.kind)

    def _prepare_exchange(self, request: ChatRequest) -> Callable[[], ModelExchange]:
        """Return a function that creates the request.

        The SDK may reject the name of the model, so the request is created within the attempt, which
        reports this like any other failure.
        """

        def create() -> ModelExchange:
            capabilities = self.get_capabilities(request.model)
            return ModelExchange(
                self._client.create_model(request.model),
                request,
                capabilities,
                provider=self.name,
                settings=self._build_model_settings(request, capabilities),
            )

        return create

    def _build_model_settings(self, request: ChatRequest, capabilities: Capabilities) -> JsonObject:
        temperature = self._settings.temperature
        if request.temperature is not None:
            temperature = request.temperature
        options: JsonObject = {
            "max_tokens": request.max_tokens or self._settings.max_tokens,
            "temperature": temperature if capabilities.temperature else None,
            "openai_store": False if self.kind == "openai" else None,
        }
        settings = {name: value for name, value in options.items() if value is not None}
        return {"cache": True, "framing_announcement": "never", **settings}

    def _learn_missing_capability(self, request: ChatRequest, attempt: AnswerAttempt) -> bool:
        """Record the capability that the provider's error says the model lacks.

        Return whether to repeat the request, which is then built without that capability.
        """
        missing = (
            find_missing_capability(attempt.error)
            if attempt.error and not attempt.has_events
            else None
        )
        known = self.get_capabilities(request.model)
        if missing is None or not getattr(known, missing):
            return False
        self._learned_limits.setdefault(request.model, {})[missing] = False
        return not getattr(self.get_capabilities(request.model), missing)
