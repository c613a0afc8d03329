"""Tests a connection without paid tokens: by asking for the list of models."""

from typing import NamedTuple

from openai import AsyncOpenAI

from conductor.base.clock import now
from conductor.domain.chat import ProviderHealth
from conductor.llm.failures import Place, status_of
from conductor.llm.live import Listed, listed
from conductor.llm.wires import Wire


class Tested(NamedTuple):
    """How a test went, and the models it brought."""

    health: ProviderHealth
    models: dict[str, Listed]


async def test_connection(wire: Wire, place: Place) -> Tested:
    """Ask the provider for its models, and say how that went."""
    began = now()
    try:
        if place.kind == "openrouter" and isinstance(wire.client, AsyncOpenAI):
            await _check_key(wire.client)
        models = await listed(wire.client, place.kind)
    except Exception as problem:  # noqa: BLE001 - whatever it is, the user gets words for it
        failure = place.of_address(problem)
        return Tested(ProviderHealth(ok=False, message=failure.message, failure=failure), {})
    took_ms = (now() - began) * 1000
    return Tested(
        ProviderHealth(ok=True, message=_words(place, models), latency_ms=took_ms), models
    )


async def _check_key(client: AsyncOpenAI) -> None:
    """Ask for what belongs to the key: OpenRouter lists its models to everybody."""
    try:
        await client.get("/key", cast_to=object)
    except Exception as problem:
        if status_of(problem) != 404:
            raise


def _words(place: Place, models: dict[str, Listed]) -> str:
    if models and place.model and place.model not in models:
        return (
            f"{place.name} answers, but does not list {place.model}. "
            "Choose one of its models, or keep this one if you know that it is there."
        )
    count = f" It offers {len(models)} models." if models else ""
    return f"{place.name} answers.{count}"
