"""Tests the connection to a provider. The test is free if the provider lists its models."""

import asyncio
from typing import NamedTuple

from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest

from conductor.base.clock import now
from conductor.domain.chat.messages import ProviderHealth
from conductor.llm.clients import ModelClient
from conductor.llm.failures import FailureContext
from conductor.llm.live import ListedModel, list_models
from conductor.llm.problems import read_http_status
from conductor.llm.timeouts import cancel_at_deadline

NO_MODEL_LIST_STATUSES = (404, 405, 501)


class ConnectionTest(NamedTuple):
    """The result of a connection test, with the models that the provider listed, by name."""

    health: ProviderHealth
    models: dict[str, ListedModel]


async def test_connection(
    client: ModelClient, context: FailureContext, *, greet: bool, timeout_s: float
) -> ConnectionTest:
    """Test a connection by requesting the provider's list of models.

    If the server has no such list and `greet` is true, a request of one word is sent to the default model,
    which may cost a few tokens. Failures are returned, not raised.
    """
    started = now()
    try:
        async with cancel_at_deadline(asyncio.get_running_loop().time() + timeout_s):
            models = await _list_models_or_send_greeting(client, context, greet=greet)
    except Exception as error:  # noqa: BLE001 - every error becomes a message for the user
        failure = context.convert_connection_error(error)
        return ConnectionTest(
            ProviderHealth(ok=False, message=failure.message, failure=failure), {}
        )
    took_ms = (now() - started) * 1000
    return ConnectionTest(
        ProviderHealth(ok=True, message=_describe_success(context, models), latency_ms=took_ms),
        models,
    )


async def _list_models_or_send_greeting(
    client: ModelClient, context: FailureContext, *, greet: bool
) -> dict[str, ListedModel]:
    try:
        if context.kind == "openrouter" and isinstance(client.client, AsyncOpenAI):
            await _check_key(client.client)
        return await list_models(client.client, context.kind)
    except Exception as problem:
        if not (greet and context.model and read_http_status(problem) in NO_MODEL_LIST_STATUSES):
            raise
    hello = ModelRequest.user_text_prompt("Say ok.")
    await model_request(
        client.create_model(context.model), [hello], model_settings={"max_tokens": 64}
    )
    return {}


async def _check_key(client: AsyncOpenAI) -> None:
    """Request the details of the API key, which fails if the key is invalid.

    OpenRouter lists its models even for an invalid key, so the list proves nothing.
    """
    try:
        await client.get("/key", cast_to=object)
    except Exception as problem:
        if read_http_status(problem) != 404:
            raise


def _describe_success(context: FailureContext, models: dict[str, ListedModel]) -> str:
    if models and context.model and context.model not in models:
        return (
            f"{context.name} answers, but does not list {context.model}. "
            "Choose one of its models, or keep this one if you know that the server has it."
        )
    count = f" It offers {len(models)} models." if models else ""
    return f"{context.name} answers.{count}"
