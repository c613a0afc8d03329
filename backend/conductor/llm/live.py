"""Requests the list of a provider's models and parses the formats of the various servers.

Rows with missing or invalid fields are tolerated, because self-hosted servers deviate from the documented
formats.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from anthropic import AsyncAnthropic
from google.genai import Client as GoogleClient
from openai import AsyncOpenAI
from pydantic import TypeAdapter

from conductor.base.invisible_chars import has_hidden, remove_hidden
from conductor.base.json_types import JsonObject
from conductor.domain.chat.messages import Capabilities, ProviderKind
from conductor.llm.prices import ModelPrice

MAX_LISTED_MODELS = 1_000
_NON_CHAT_MODEL_WORDS = (
    *("embed", "whisper", "tts", "dall-e", "image", "imagen", "veo", "audio", "live", "realtime"),
    *("moderation", "transcribe", "sora", "search", "instruct", "babbage", "davinci", "aqa"),
)
"""If the name of a model contains one of these words, the model does not answer chat requests."""

JsonFields = Mapping[str, Any]


class ListedModel(NamedTuple):
    """A model as its provider lists it.

    `capabilities` contains only those fields of `Capabilities` that the provider reported.
    """

    model: str
    label: str
    capabilities: JsonObject
    price: ModelPrice | None = None
    retires_at: str | None = None


_MODEL_LIST_ADAPTER: TypeAdapter[list[ListedModel]] = TypeAdapter(list[ListedModel])


def serialize_models(models: Mapping[str, ListedModel]) -> str:
    """Return the JSON text of a model list, as it is stored in the cache."""
    return _MODEL_LIST_ADAPTER.dump_json(list(models.values())).decode()


def parse_stored_models(data: str) -> dict[str, ListedModel]:
    """Parse a model list from the cache.

    Another version of Conductor may have stored it in another format; the result is then empty.
    """
    try:
        return {one.model: _sanitize_model(one) for one in _MODEL_LIST_ADAPTER.validate_json(data)}
    except ValueError:
        return {}


def is_chat_model(model: str) -> bool:
    """Return whether a model of OpenAI or Google is a chat model, judged by its name."""
    return not any(word in model for word in _NON_CHAT_MODEL_WORDS)


async def list_models(
    client: AsyncAnthropic | AsyncOpenAI | GoogleClient, kind: ProviderKind
) -> dict[str, ListedModel]:
    """Request the provider's list of models and return the chat models by name.

    Exceptions of the SDK are raised unchanged.
    """
    rows, parse = await _request_model_rows(client, kind)
    models = [
        model for row in rows if (model := _parse_model_row(parse, row)) is not None and model.model
    ]
    return {model.model: model for model in models}


async def _request_model_rows(
    client: AsyncAnthropic | AsyncOpenAI | GoogleClient, kind: ProviderKind
) -> tuple[list[JsonFields], Callable[[JsonFields], ListedModel | None]]:
    if isinstance(client, GoogleClient):
        pager = await client.aio.models.list(config={"page_size": MAX_LISTED_MODELS})
        return [row.model_dump() for row in pager.page], _parse_google_model
    if isinstance(client, AsyncAnthropic):
        return await _request_json_list(
            client, f"/v1/models?limit={MAX_LISTED_MODELS}"
        ), _parse_anthropic_model
    if kind == "litellm":
        return await _request_litellm_model_rows(client)
    parsers = {"openai": _parse_openai_model, "openrouter": _parse_openrouter_model}
    return await _request_json_list(client, "/models"), parsers.get(kind, _parse_self_hosted_model)


async def _request_litellm_model_rows(
    client: AsyncOpenAI,
) -> tuple[list[JsonFields], Callable[[JsonFields], ListedModel | None]]:
    """Request the models of a LiteLLM proxy: the detailed list, or the plain list if the key may not read
    the detailed one.
    """
    try:
        return await _request_json_list(client, "/model/info"), _parse_litellm_model
    except Exception:  # noqa: BLE001 - on any error, the plain list is requested
        return await _request_json_list(client, "/models"), _parse_self_hosted_model


async def _request_json_list(client: AsyncAnthropic | AsyncOpenAI, path: str) -> list[JsonFields]:
    answer = cast("Any", await client.get(path, cast_to=object))
    rows = answer.get("data") if isinstance(answer, dict) else None
    return [row for row in rows or [] if isinstance(row, dict)]


def _parse_model_row(
    parse: Callable[[JsonFields], ListedModel | None], row: JsonFields
) -> ListedModel | None:
    try:
        model = parse(row)
        return model and _sanitize_model(model)
    except (TypeError, ValueError, AttributeError, KeyError):
        return None


def _sanitize_model(model: ListedModel) -> ListedModel:
    """Return a copy of a listed model with validated capabilities and a clean label of at most 200 characters.

    Raises:
        ValueError: The name contains invisible characters, or a capability has the wrong type.
    """
    if has_hidden(model.model, ""):
        raise ValueError("the model name is invalid")
    capabilities = Capabilities(**model.capabilities).model_dump(include=set(model.capabilities))
    retires_at = str(model.retires_at)[:10] if model.retires_at else None
    return model._replace(
        label=remove_hidden(model.label)[:200], capabilities=capabilities, retires_at=retires_at
    )


def _parse_anthropic_model(row: JsonFields) -> ListedModel | None:
    if row.get("lifecycle") == "retired":
        return None
    reported = row.get("capabilities") or {}
    capabilities = {
        "context_tokens": row.get("max_input_tokens"),
        "output_tokens": row.get("max_tokens"),
    }
    for field, name in (("images", "image_input"), ("thinking", "thinking")):
        capabilities[field] = (reported.get(name) or {}).get("supported")
    label = row.get("display_name") or row["id"]
    return ListedModel(
        row["id"], label, _drop_none_values(capabilities), retires_at=row.get("retires_at")
    )


def _parse_openai_model(row: JsonFields) -> ListedModel | None:
    model = row["id"]
    if not is_chat_model(model):
        return None
    return ListedModel(model, model, {}, retires_at=row.get("shutdown_date"))


def _parse_google_model(row: JsonFields) -> ListedModel | None:
    model = row["name"].removeprefix("models/")
    actions = row.get("supported_actions") or ["generateContent"]
    if "generateContent" not in actions or not is_chat_model(model):
        return None
    capabilities = {
        "context_tokens": row.get("input_token_limit"),
        "output_tokens": row.get("output_token_limit"),
        "thinking": row.get("thinking"),
    }
    return ListedModel(model, row.get("display_name") or model, _drop_none_values(capabilities))


def _parse_openrouter_model(row: JsonFields) -> ListedModel:
    parameters = row.get("supported_parameters")
    capabilities: JsonObject = {
        "context_tokens": row.get("context_length"),
        "output_tokens": (row.get("top_provider") or {}).get("max_completion_tokens"),
        "images": _contains_if_known(
            (row.get("architecture") or {}).get("input_modalities"), "image"
        ),
        "tools": _contains_if_known(parameters, "tools"),
        "thinking": _contains_if_known(parameters, "reasoning"),
        "temperature": _contains_if_known(parameters, "temperature"),
    }
    pricing = row.get("pricing") or {}
    price = _convert_token_prices(pricing.get("prompt"), pricing.get("completion"))
    return ListedModel(
        row["id"],
        row.get("name") or row["id"],
        _drop_none_values(capabilities),
        price,
        row.get("expiration_date"),
    )


def _parse_litellm_model(row: JsonFields) -> ListedModel:
    info = row.get("model_info") or {}
    capabilities = {
        "context_tokens": info.get("max_input_tokens"),
        "output_tokens": info.get("max_output_tokens"),
        "images": info.get("supports_vision"),
        "tools": info.get("supports_function_calling"),
        "thinking": info.get("supports_reasoning"),
    }
    price = _convert_token_prices(
        info.get("input_cost_per_token"), info.get("output_cost_per_token")
    )
    return ListedModel(row["model_name"], row["model_name"], _drop_none_values(capabilities), price)


def _parse_self_hosted_model(row: JsonFields) -> ListedModel | None:
    """Parse the row of a self-hosted server. Only vLLM and a few others report the context window."""
    capabilities = {"context_tokens": row.get("max_model_len") or row.get("context_length")}
    return (
        None
        if "embed" in row["id"]
        else ListedModel(row["id"], row["id"], _drop_none_values(capabilities))
    )


def _drop_none_values(fields: Mapping[str, Any]) -> JsonObject:
    return {field: value for field, value in fields.items() if value is not None}


def _contains_if_known(names: Any, name: str) -> bool | None:
    return name in names if isinstance(names, list) else None


def _convert_token_prices(input_price: Any, output_price: Any) -> ModelPrice | None:
    """Convert prices per token to prices per million tokens.

    Return None if a price is missing or negative. A negative price means that the price varies.
    """
    if (
        input_price is None
        or output_price is None
        or float(input_price) < 0
        or float(output_price) < 0
    ):
        return None
    return ModelPrice(float(input_price) * 1_000_000, float(output_price) * 1_000_000)
