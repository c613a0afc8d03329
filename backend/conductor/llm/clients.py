"""Creates the SDK clients of the providers, and pydantic-ai models that use them."""

import ssl
from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any, NamedTuple, cast, get_args

import httpx2
from anthropic import AsyncAnthropic
from anthropic import DefaultAsyncHttpxClient as AnthropicHttp
from google.genai import Client as GoogleClient
from google.genai.types import HttpOptions
from openai import AsyncOpenAI
from openai import DefaultAsyncHttpxClient as OpenAIHttp
from openai.types.responses import ResponseStreamEvent
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.litellm import LiteLLMProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.providers.openrouter import OpenRouterProvider

from conductor.base.json_types import JsonObject
from conductor.domain.chat.messages import ProviderKind
from conductor.llm.guard import NO_COMPRESSION_HEADERS, check_response
from conductor.llm.options import ModelTimeouts

CLIENT_TIMEOUT = httpx2.Timeout(300.0, connect=10.0, pool=10.0)
"""The read timeout is long, because a thinking model may send nothing for minutes."""
PLACEHOLDER_API_KEY = "none"
"""A placeholder key. The SDKs require a key, and servers without keys ignore it."""

OnResponse = Callable[[httpx2.Response], Awaitable[None]]


class ClientAddress(NamedTuple):
    """The base URL of a provider and the API key to use there."""

    name: str
    kind: ProviderKind
    base_url: str
    key: str | None


class ModelClient(NamedTuple):
    """An open SDK client, and a function that creates a pydantic-ai model for it."""

    client: AsyncAnthropic | AsyncOpenAI | GoogleClient
    http: httpx2.AsyncClient
    create_model: Callable[[str], Model]


def open_client(
    address: ClientAddress, on_response: OnResponse, timeouts: ModelTimeouts
) -> ModelClient:
    """Create the client of a provider. `on_response` is called with the status and headers of each response."""
    http = _build_client_options(on_response, timeouts)
    if address.kind == "anthropic":
        return _open_anthropic_client(address, http)
    if address.kind == "google":
        return _open_google_client(address, http)
    return _open_openai_client(address, http)


def _build_client_options(on_response: OnResponse, timeouts: ModelTimeouts) -> JsonObject:
    """Return the options shared by all clients.

    Redirects are off, because they would send the conversation to another host.
    """
    return {
        "timeout": CLIENT_TIMEOUT,
        "follow_redirects": False,
        "headers": NO_COMPRESSION_HEADERS,
        "verify": _load_certificates(),
        "event_hooks": {
            "response": [partial(check_response, max_silence_s=timeouts.max_silence_s), on_response]
        },
    }


@cache
def _load_certificates() -> ssl.SSLContext:
    """Load the certificates that the system trusts, once for all clients, because loading takes 25 ms."""
    return httpx2.create_ssl_context()


def _remove_environment_headers(client: AsyncAnthropic | AsyncOpenAI) -> None:
    """Remove headers that the SDK read from environment variables such as OPENAI_CUSTOM_HEADERS.

    They would be sent to every host.
    """
    client._custom_headers = {}  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - there is no public setter


def _open_anthropic_client(address: ClientAddress, settings: JsonObject) -> ModelClient:
    http = AnthropicHttp(**settings)
    client = AsyncAnthropic(
        api_key=address.key or PLACEHOLDER_API_KEY,
        base_url=address.base_url,
        timeout=CLIENT_TIMEOUT,
        max_retries=0,
        http_client=http,
    )
    _remove_environment_headers(client)
    provider = AnthropicProvider(anthropic_client=client)
    return ModelClient(client, http, partial(AnthropicModel, provider=provider))


def _open_google_client(address: ClientAddress, settings: JsonObject) -> ModelClient:
    http = httpx2.AsyncClient(**settings)
    unused = {"verify": settings["verify"]}  # the SDK opens two clients of its own as well
    options = HttpOptions(
        base_url=address.base_url,
        api_version="v1beta",  # 3.0 of the SDK changes its own default to one that lacks models
        timeout=int(cast("float", CLIENT_TIMEOUT.read) * 1000),
        httpx_async_client=http,
        client_args=unused,
        async_client_args=unused,
    )
    client = GoogleClient(
        vertexai=False, api_key=address.key or PLACEHOLDER_API_KEY, http_options=options
    )
    provider = GoogleProvider(client=client)
    return ModelClient(client, http, partial(GoogleModel, provider=provider))


def _open_openai_client(address: ClientAddress, settings: JsonObject) -> ModelClient:
    http = OpenAIHttp(**settings)
    client = AsyncOpenAI(
        api_key=address.key or PLACEHOLDER_API_KEY,
        base_url=address.base_url,
        timeout=CLIENT_TIMEOUT,
        max_retries=0,
        http_client=http,
    )
    _remove_environment_headers(client)
    if address.kind != "openai":  # the SDK reads them from OPENAI_ORG_ID and OPENAI_PROJECT_ID
        client.organization = client.project = None
    return ModelClient(client, http, _build_openai_model(address, client))


def _build_openai_model(address: ClientAddress, client: AsyncOpenAI) -> Callable[[str], Model]:
    if address.kind == "openai":
        _build_event_validators()
        openai = OpenAIProvider(openai_client=client)
        return partial(OpenAIResponsesModel, provider=openai)
    if address.kind == "openrouter":
        router = OpenRouterProvider(openai_client=client)
        return partial(OpenRouterModel, provider=router)
    if address.kind == "litellm":
        proxy = LiteLLMProvider(openai_client=client)
        return partial(OpenAIChatModel, provider=proxy)
    own = OpenAICompatibleProvider(f"custom:{address.name}", openai_client=client)
    return partial(OpenAIChatModel, provider=own)


def _build_event_validators() -> None:
    """Build the validators of OpenAI's events in a thread, before the first answer needs them.

    Otherwise the first answer would block the event loop.
    """
    union: Any = get_args(ResponseStreamEvent)[0]
    for event in get_args(union):
        event.model_rebuild()
