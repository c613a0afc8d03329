"""Creates the SDK client of each provider, and the pydantic-ai models that send requests through it."""

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
"""The read timeout is long, because a reasoning model may send nothing for several minutes."""
TRANSCRIPTION_TIMEOUT = httpx2.Timeout(60.0, connect=10.0, pool=10.0)
"""A recording of 30 s takes a local server without a graphics card tens of seconds."""
PLACEHOLDER_API_KEY = "none"
"""Sent if the provider has no key.

The SDKs refuse to start without a key, and a server that needs none ignores it.
"""

OnResponse = Callable[[httpx2.Response], Awaitable[None]]


class ClientAddress(NamedTuple):
    """Where and how to reach a provider: the name in the config, the API, the base URL and the key."""

    name: str
    kind: ProviderKind
    base_url: str
    key: str | None


class ModelClient(NamedTuple):
    """An open SDK client with its HTTP connections, and a function that creates a pydantic-ai model by name."""

    client: AsyncAnthropic | AsyncOpenAI | GoogleClient
    http: httpx2.AsyncClient
    create_model: Callable[[str], Model]


def open_client(
    address: ClientAddress, on_response: OnResponse, timeouts: ModelTimeouts
) -> ModelClient:
    """Open the SDK client of a provider.

    `on_response` is called for each HTTP response once its headers have arrived.
    """
    http = _build_client_options(on_response, timeouts)
    if address.kind == "anthropic":
        return _open_anthropic_client(address, http)
    if address.kind == "google":
        return _open_google_client(address, http)
    return _open_openai_client(address, http)


def open_transcription_client(address: ClientAddress) -> AsyncOpenAI:
    """Open the SDK client of a provider or server with OpenAI's transcription API; the caller closes it."""
    client = AsyncOpenAI(
        api_key=address.key or PLACEHOLDER_API_KEY,
        base_url=address.base_url,
        timeout=TRANSCRIPTION_TIMEOUT,
        max_retries=0,
        http_client=OpenAIHttp(
            timeout=TRANSCRIPTION_TIMEOUT,
            follow_redirects=False,
            headers=NO_COMPRESSION_HEADERS,
            verify=_load_certificates(),
        ),
    )
    _remove_environment_headers(client)
    if address.kind != "openai":
        client.organization = client.project = None
    return client


def _build_client_options(on_response: OnResponse, timeouts: ModelTimeouts) -> JsonObject:
    """Return the HTTP options that all SDK clients share.

    Redirects are not followed, because a redirect would send the conversation and the key to another host.
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
    """Load the certificate authorities that the system trusts.

    The result is shared by all clients, because loading takes 25 ms.
    """
    return httpx2.create_ssl_context()


def _remove_environment_headers(client: AsyncAnthropic | AsyncOpenAI) -> None:
    """Remove the HTTP headers that the SDK read from environment variables such as OPENAI_CUSTOM_HEADERS.

    The SDK would send these headers, which may contain secrets, to the host of every provider.
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
    # The SDK opens two unused clients of its own, which would otherwise load the certificates
    # again.
    unused = {"verify": settings["verify"]}
    options = HttpOptions(
        base_url=address.base_url,
        api_version="v1beta",  # version 3.0 of the SDK selects an API by default that lacks models
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
    # the SDK reads OPENAI_ORG_ID and OPENAI_PROJECT_ID, which only OpenAI may see
    if address.kind != "openai":
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
    """Build pydantic's validators for the events of OpenAI's stream, which takes so long that it would
    block the event loop.

    The client is opened in a worker thread, so it is done here instead of at the first event.
    """
    union: Any = get_args(ResponseStreamEvent)[0]
    for event in get_args(union):
        event.model_rebuild()
