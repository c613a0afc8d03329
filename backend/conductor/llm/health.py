"""Tests the connection to a provider, at no cost if the provider lists its models."""

import asyncio
from typing import NamedTuple

from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest

from conductor.base.clock import now
from conductor.domain.chat.messages import ProviderHealth
from conductor.llm.clients import ModelClient
from conductor.llm.failures import Place
from conductor.llm.live import Listed, list_models
from conductor.llm.problems import status_of
from conductor.llm.timeouts import deadline

NO_LIST = (404, 405, 501)


class Tested(NamedTuple):
    """The result of a connection test, with the models that the provider listed."""

    health: ProviderHealth
    models: dict[str, Listed]


async def test_connection(
    wire: ModelClient, place: Place, *, greet: bool, within_s: float
) -> Tested:
    """Test a connection by requesting the provider's list of models.

    A server without a model list is sent a one-word request instead, if `greet` allows spending a few tokens.
    """
    began = now()
    try:
        async with deadline(asyncio.get_running_loop().time() + within_s):
            models = await _list_or_greet(wire, place, greet=greet)
    except Exception as problem:  # noqa: BLE001 - every error becomes a message for the user
        failure = place.of_address(problem)
        return Tested(ProviderHealth(ok=False, message=failure.message, failure=failure), {})
    took_ms = (now() - began) * 1000
    return Tested(
        ProviderHealth(ok=True, message=_describe_success(place, models), latency_ms=took_ms),
        models,
    )


async def _list_or_greet(wire: ModelClient, place: Place, *, greet: bool) -> dict[str, Listed]:
    try:
        if place.kind == "openrouter" and isinstance(wire.client, AsyncOpenAI):
            await _check_key(wire.client)
        return await list_models(wire.client, place.kind)
    except Exception as problem:
        if not (greet and place.model and status_of(problem) in NO_LIST):
            raise
    hello = ModelRequest.user_text_prompt("Say ok.")
    await model_request(wire.model(place.model), [hello], model_settings={"max_tokens": 64})
    return {}


async def _check_key(client: AsyncOpenAI) -> None:
    """Check the API key by requesting its details, because OpenRouter lists its models even without a valid
    key.
    """
    try:
        await client.get("/key", cast_to=object)
    except Exception as problem:
        if status_of(problem) != 404:
            raise


def _describe_success(place: Place, models: dict[str, Listed]) -> str:
    if models and place.model and place.model not in models:
        return (
            f"{place.name} answers, but does not list {place.model}. "
            "Choose one of its models, or keep this one if you know that it is there."
        )
    count = f" It offers {len(models)} models." if models else ""
    return f"{place.name} answers.{count}"
